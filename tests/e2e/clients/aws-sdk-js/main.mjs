// @aws-sdk/client-s3 with lib-storage and the presigner. Arguments: URL ACCESS SECRET.
import assert from "node:assert/strict";
import { randomBytes } from "node:crypto";
import { Readable } from "node:stream";
import {
  CopyObjectCommand, CreateBucketCommand, DeleteBucketCommand, DeleteObjectsCommand, GetObjectCommand, HeadObjectCommand,
  ListObjectsV2Command, PutObjectCommand, S3Client, paginateListObjectsV2,
} from "@aws-sdk/client-s3";
import { Upload } from "@aws-sdk/lib-storage";
import { getSignedUrl } from "@aws-sdk/s3-request-presigner";

const [endpoint, accessKeyId, secretAccessKey] = process.argv.slice(2);
const config = { endpoint, region: "us-east-1", forcePathStyle: true, maxAttempts: 1,
  credentials: { accessKeyId, secretAccessKey } };
const s3 = new S3Client(config);
const Bucket = "aws-js";
const bytes = async (reply) => Buffer.from(await reply.Body.transformToByteArray());

await s3.send(new CreateBucketCommand({ Bucket }));
for (const size of [0, 1, 70000, 3 << 20]) {
  const body = randomBytes(size);
  const Key = `d (x)/${size}+é`;
  for (const ChecksumAlgorithm of [undefined, "SHA256", "CRC32C"]) {
    await s3.send(new PutObjectCommand({ Bucket, Key, Body: body, ChecksumAlgorithm, Metadata: { colour: "blue" } }));
    const got = await s3.send(new GetObjectCommand({ Bucket, Key, ChecksumMode: "ENABLED" }));
    assert.equal(got.Metadata.colour, "blue");
    assert.ok(body.equals(await bytes(got)));
  }
}
const range = await s3.send(new GetObjectCommand({ Bucket, Key: "d (x)/70000+é", Range: "bytes=5-9" }));
assert.equal(range.ContentRange, "bytes 5-9/70000");
await assert.rejects(s3.send(new GetObjectCommand({ Bucket, Key: "none" })), { name: "NoSuchKey" });
await assert.rejects(s3.send(new HeadObjectCommand({ Bucket, Key: "none" })), { name: "NotFound" });
await assert.rejects(s3.send(new PutObjectCommand({ Bucket, Key: "d (x)/1+é", Body: "x", IfNoneMatch: "*" })),
  { name: "PreconditionFailed" });

const big = randomBytes(20 * 1024 * 1024 + 7);
await new Upload({ client: s3, params: { Bucket, Key: "big", Body: Readable.from([big.subarray(0, 7), big.subarray(7)]) } }).done();
assert.ok(big.equals(await bytes(await s3.send(new GetObjectCommand({ Bucket, Key: "big" })))));
const url = await getSignedUrl(s3, new GetObjectCommand({ Bucket, Key: "big" }), { expiresIn: 60 });
const fetched = await fetch(url);
assert.equal(fetched.status, 200);
assert.ok(big.equals(Buffer.from(await fetched.arrayBuffer())));
// By default it would sign the checksum of an empty body into the URL.
const unchecked = new S3Client({ ...config, requestChecksumCalculation: "WHEN_REQUIRED" });
const put = await getSignedUrl(unchecked, new PutObjectCommand({ Bucket, Key: "put" }), { expiresIn: 60 });
assert.equal((await fetch(put, { method: "PUT", body: "hello" })).status, 200);
await s3.send(new CopyObjectCommand({ Bucket, Key: "copied", CopySource: `${Bucket}/put` }));
assert.equal((await bytes(await s3.send(new GetObjectCommand({ Bucket, Key: "copied" })))).toString(), "hello");

for (let i = 0; i < 1001; i += 91) {
  await Promise.all(Array.from({ length: 91 }, (_, j) =>
    s3.send(new PutObjectCommand({ Bucket, Key: `many/${String(i + j).padStart(4, "0")}`, Body: "" }))));
}
const listed = await s3.send(new ListObjectsV2Command({ Bucket, Prefix: "many/" }));
assert.equal(listed.KeyCount, 1000);
assert.ok(listed.IsTruncated);
const keys = [];
for await (const page of paginateListObjectsV2({ client: s3 }, { Bucket })) {
  keys.push(...page.Contents.map((object) => object.Key));
}
assert.equal(keys.filter((key) => key.startsWith("many/")).length, 1001);
for (let i = 0; i < keys.length; i += 1000) {
  const Objects = keys.slice(i, i + 1000).map((Key) => ({ Key }));
  const gone = await s3.send(new DeleteObjectsCommand({ Bucket, Delete: { Objects } }));
  assert.equal(gone.Deleted.length, Objects.length);
}
await s3.send(new DeleteBucketCommand({ Bucket }));
console.log("done");
