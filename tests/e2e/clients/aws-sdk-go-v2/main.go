// aws-sdk-go-v2 with its transfer manager: put, get, ranges, conditions, multipart both ways, paginated lists, copy, batch
// delete, presigned URLs, checksums in trailers. Arguments: URL ACCESS SECRET.
package main

import (
	"bytes"
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"io"
	"log"
	"net/http"
	"os"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/credentials"
	"github.com/aws/aws-sdk-go-v2/feature/s3/manager"
	"github.com/aws/aws-sdk-go-v2/service/s3"
	"github.com/aws/aws-sdk-go-v2/service/s3/types"
	"github.com/aws/smithy-go"
)

const bucket = "gov2"

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

func code(err error) string {
	var api smithy.APIError
	if errors.As(err, &api) {
		return api.ErrorCode()
	}
	return fmt.Sprint(err)
}

func objects(ctx context.Context, c *s3.Client) {
	for _, size := range []int{0, 1, 70000, 3 << 20} {
		body, key := data(size), fmt.Sprintf("d (x)/%d+é", size)
		for _, sum := range []types.ChecksumAlgorithm{"", types.ChecksumAlgorithmSha256, types.ChecksumAlgorithmCrc32c} {
			_, err := c.PutObject(ctx, &s3.PutObjectInput{Bucket: aws.String(bucket), Key: &key, Body: bytes.NewReader(body),
				ChecksumAlgorithm: sum, Metadata: map[string]string{"colour": "blue"}})
			must(err, "put "+key)
			got, err := c.GetObject(ctx, &s3.GetObjectInput{Bucket: aws.String(bucket), Key: &key, ChecksumMode: types.ChecksumModeEnabled})
			must(err, "get "+key)
			all, err := io.ReadAll(got.Body)
			must(err, "read "+key)
			check(bytes.Equal(all, body) && got.Metadata["colour"] == "blue", "%s differs", key)
		}
		if size > 10 {
			part, err := c.GetObject(ctx, &s3.GetObjectInput{Bucket: aws.String(bucket), Key: &key, Range: aws.String("bytes=5-9")})
			must(err, "range")
			all, err := io.ReadAll(part.Body)
			must(err, "read range")
			check(bytes.Equal(all, body[5:10]), "range differs")
		}
	}
	_, err := c.GetObject(ctx, &s3.GetObjectInput{Bucket: aws.String(bucket), Key: aws.String("none")})
	check(code(err) == "NoSuchKey", "missing key: %v", err)
	_, err = c.PutObject(ctx, &s3.PutObjectInput{Bucket: aws.String(bucket), Key: aws.String("d (x)/1+é"), Body: bytes.NewReader(nil),
		IfNoneMatch: aws.String("*")})
	check(code(err) == "PreconditionFailed", "conditional put: %v", err)
	_, err = c.CopyObject(ctx, &s3.CopyObjectInput{Bucket: aws.String(bucket), Key: aws.String("copied"),
		CopySource: aws.String(bucket + "/d%20%28x%29/70000%2B%C3%A9")})
	must(err, "copy")
}

func transfers(ctx context.Context, c *s3.Client) {
	body := data(20<<20 + 7)
	_, err := manager.NewUploader(c).Upload(ctx, &s3.PutObjectInput{Bucket: aws.String(bucket), Key: aws.String("big"),
		Body: io.MultiReader(bytes.NewReader(body))})
	must(err, "upload")
	out := manager.NewWriteAtBuffer(nil)
	_, err = manager.NewDownloader(c).Download(ctx, out, &s3.GetObjectInput{Bucket: aws.String(bucket), Key: aws.String("big")})
	must(err, "download")
	check(bytes.Equal(out.Bytes(), body), "big differs")
	presigned, err := s3.NewPresignClient(c).PresignGetObject(ctx, &s3.GetObjectInput{Bucket: aws.String(bucket), Key: aws.String("big")},
		s3.WithPresignExpires(time.Minute))
	must(err, "presign")
	reply, err := http.Get(presigned.URL)
	must(err, "presigned get")
	defer reply.Body.Close()
	all, err := io.ReadAll(reply.Body)
	must(err, "presigned read")
	check(reply.StatusCode == 200 && bytes.Equal(all, body), "presigned differs: %d", reply.StatusCode)
}

func lists(ctx context.Context, c *s3.Client) {
	for i := 0; i < 1001; i++ {
		_, err := c.PutObject(ctx, &s3.PutObjectInput{Bucket: aws.String(bucket), Key: aws.String(fmt.Sprintf("many/%04d", i)), Body: bytes.NewReader(nil)})
		must(err, "put many")
	}
	count := 0
	many := s3.NewListObjectsV2Paginator(c, &s3.ListObjectsV2Input{Bucket: aws.String(bucket), Prefix: aws.String("many/")})
	for many.HasMorePages() {
		page, err := many.NextPage(ctx)
		must(err, "list")
		count += len(page.Contents)
	}
	check(count == 1001, "listed %d", count)
	all := s3.NewListObjectsV2Paginator(c, &s3.ListObjectsV2Input{Bucket: aws.String(bucket)})
	for all.HasMorePages() {
		page, err := all.NextPage(ctx)
		must(err, "list all")
		var gone []types.ObjectIdentifier
		for _, object := range page.Contents {
			gone = append(gone, types.ObjectIdentifier{Key: object.Key})
		}
		reply, err := c.DeleteObjects(ctx, &s3.DeleteObjectsInput{Bucket: aws.String(bucket), Delete: &types.Delete{Objects: gone}})
		must(err, "delete objects")
		check(len(reply.Deleted) == len(gone) && len(reply.Errors) == 0, "deleted %d of %d", len(reply.Deleted), len(gone))
	}
}

func main() {
	ctx, cancel := context.WithTimeout(context.Background(), 150*time.Second)
	defer cancel()
	c := s3.New(s3.Options{BaseEndpoint: aws.String(os.Args[1]), Region: "us-east-1", UsePathStyle: true,
		Credentials: credentials.NewStaticCredentialsProvider(os.Args[2], os.Args[3], ""), RetryMaxAttempts: 1})
	_, err := c.CreateBucket(ctx, &s3.CreateBucketInput{Bucket: aws.String(bucket)})
	must(err, "create bucket")
	objects(ctx, c)
	transfers(ctx, c)
	lists(ctx, c)
	_, err = c.DeleteBucket(ctx, &s3.DeleteBucketInput{Bucket: aws.String(bucket)})
	must(err, "delete bucket")
	_, err = c.HeadBucket(ctx, &s3.HeadBucketInput{Bucket: aws.String(bucket)})
	check(code(err) == "NotFound", "deleted bucket: %v", err)
	fmt.Println("done")
}
