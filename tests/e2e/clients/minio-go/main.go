// Does with minio-go what warp does: bucket set-up, PUT in every payload mode, GET, HEAD, ranges, lists, batch
// delete, multipart, copies. Arguments: URL ACCESS SECRET.
package main

import (
	"bytes"
	"context"
	"crypto/rand"
	"fmt"
	"io"
	"log"
	"net/url"
	"os"
	"sort"
	"strings"
	"time"

	"github.com/minio/minio-go/v7"
	"github.com/minio/minio-go/v7/pkg/credentials"
)

func must(err error, what string) {
	if err != nil {
		log.Fatalf("%s: %v", what, err)
	}
}

func check(ok bool, format string, args ...any) {
	if !ok {
		log.Fatalf(format, args...)
	}
}

func data(size int) []byte {
	body := make([]byte, size)
	_, err := rand.Read(body)
	must(err, "random")
	return body
}

func roundTrip(ctx context.Context, c *minio.Client, bucket, key string, body []byte, opts minio.PutObjectOptions) {
	_, err := c.PutObject(ctx, bucket, key, bytes.NewReader(body), int64(len(body)), opts)
	must(err, "put "+key)
	object, err := c.GetObject(ctx, bucket, key, minio.GetObjectOptions{})
	must(err, "get "+key)
	got, err := io.ReadAll(object)
	must(err, "read "+key)
	check(bytes.Equal(got, body), "%s: %d bytes differ from %d sent", key, len(got), len(body))
	stat, err := c.StatObject(ctx, bucket, key, minio.StatObjectOptions{})
	must(err, "stat "+key)
	check(stat.Size == int64(len(body)), "%s: stat says %d", key, stat.Size)
}

func payloadModes(ctx context.Context, c *minio.Client, bucket string) {
	for _, size := range []int{0, 1, 65536, 65537, 200000, 3 << 20} {
		body := data(size)
		roundTrip(ctx, c, bucket, fmt.Sprintf("(plain)/%d", size), body, minio.PutObjectOptions{})
		roundTrip(ctx, c, bucket, fmt.Sprintf("md5/%d", size), body, minio.PutObjectOptions{SendContentMd5: true})
		roundTrip(ctx, c, bucket, fmt.Sprintf("unsigned/%d", size), body, minio.PutObjectOptions{DisableContentSha256: true})
		for _, sum := range []minio.ChecksumType{minio.ChecksumCRC32, minio.ChecksumCRC32C, minio.ChecksumSHA1, minio.ChecksumSHA256, minio.ChecksumCRC64NVME} {
			roundTrip(ctx, c, bucket, fmt.Sprintf("%s/%d", sum.String(), size), body, minio.PutObjectOptions{Checksum: sum})
		}
	}
}

func multipart(ctx context.Context, c *minio.Client, bucket string) {
	body := data(20 << 20)
	roundTrip(ctx, c, bucket, "multi", body, minio.PutObjectOptions{PartSize: 5 << 20})
	roundTrip(ctx, c, bucket, "multi-sum", body, minio.PutObjectOptions{PartSize: 5 << 20, Checksum: minio.ChecksumCRC32C})
	opts := minio.GetObjectOptions{PartNumber: 2}
	object, err := c.GetObject(ctx, bucket, "multi", opts)
	must(err, "get part")
	part, err := io.ReadAll(object)
	must(err, "read part")
	check(bytes.Equal(part, body[5<<20:10<<20]), "part 2 differs")
	opts = minio.GetObjectOptions{}
	must(opts.SetRange(1<<20-1, 1<<20+1), "range")
	object, err = c.GetObject(ctx, bucket, "multi", opts)
	must(err, "get range")
	piece, err := io.ReadAll(object)
	must(err, "read range")
	check(bytes.Equal(piece, body[1<<20-1:1<<20+2]), "range differs")
	_, err = c.CopyObject(ctx, minio.CopyDestOptions{Bucket: bucket, Object: "copied"}, minio.CopySrcOptions{Bucket: bucket, Object: "multi"})
	must(err, "copy")
	_, err = c.ComposeObject(ctx, minio.CopyDestOptions{Bucket: bucket, Object: "composed"},
		minio.CopySrcOptions{Bucket: bucket, Object: "multi"}, minio.CopySrcOptions{Bucket: bucket, Object: "multi"})
	must(err, "compose")
	stat, err := c.StatObject(ctx, bucket, "composed", minio.StatObjectOptions{})
	must(err, "stat composed")
	check(stat.Size == 40<<20, "composed has %d bytes", stat.Size)
}

func lists(ctx context.Context, c *minio.Client, bucket string) {
	var want []string
	for i := 0; i < 1001; i++ {
		key := fmt.Sprintf("l(%d)/%04d", i%4, i)
		want = append(want, key)
		_, err := c.PutObject(ctx, bucket, key, strings.NewReader("x"), 1, minio.PutObjectOptions{})
		must(err, "put "+key)
	}
	sort.Strings(want)
	var got []string
	for object := range c.ListObjects(ctx, bucket, minio.ListObjectsOptions{Prefix: "l(", Recursive: true, MaxKeys: 100}) {
		must(object.Err, "list")
		got = append(got, object.Key)
	}
	check(strings.Join(got, " ") == strings.Join(want, " "), "listed %d of %d", len(got), len(want))
	versions := 0
	for object := range c.ListObjects(ctx, bucket, minio.ListObjectsOptions{Prefix: "l(", Recursive: true, WithVersions: true}) {
		must(object.Err, "list versions")
		versions++
	}
	check(versions == len(want), "listed %d versions", versions)
	prefixes := 0
	for object := range c.ListObjects(ctx, bucket, minio.ListObjectsOptions{Prefix: "l("}) {
		must(object.Err, "list prefixes")
		prefixes++
	}
	check(prefixes == 4, "%d prefixes", prefixes)
	feed := make(chan minio.ObjectInfo)
	go func() {
		defer close(feed)
		for object := range c.ListObjects(ctx, bucket, minio.ListObjectsOptions{Recursive: true}) {
			feed <- object
		}
	}()
	for failed := range c.RemoveObjects(ctx, bucket, feed, minio.RemoveObjectsOptions{}) {
		log.Fatalf("remove %s: %v", failed.ObjectName, failed.Err)
	}
}

func main() {
	endpoint, err := url.Parse(os.Args[1])
	must(err, "endpoint")
	c, err := minio.New(endpoint.Host, &minio.Options{Secure: endpoint.Scheme == "https", Creds: credentials.NewStaticV4(os.Args[2], os.Args[3], ""), TrailingHeaders: true, MaxRetries: 2})
	must(err, "client")
	ctx, cancel := context.WithTimeout(context.Background(), 150*time.Second)
	defer cancel()
	const bucket = "minio-go"
	there, err := c.BucketExists(ctx, bucket)
	must(err, "bucket exists")
	check(!there, "bucket is there already")
	must(c.MakeBucket(ctx, bucket, minio.MakeBucketOptions{}), "make bucket")
	_, err = c.StatObject(ctx, bucket, "none", minio.StatObjectOptions{})
	check(minio.ToErrorResponse(err).Code == "NoSuchKey", "stat of a missing key: %v", err)
	payloadModes(ctx, c, bucket)
	multipart(ctx, c, bucket)
	lists(ctx, c, bucket)
	presigned, err := c.PresignedPutObject(ctx, bucket, "pre", time.Minute)
	must(err, "presign")
	check(strings.Contains(presigned.String(), "X-Amz-Signature="), "presigned url")
	must(c.RemoveBucket(ctx, bucket), "remove bucket")
	fmt.Println("done")
}
