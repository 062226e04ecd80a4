"""What every client is made to do, written once over boto3's interface: bucket life cycle, sizes, multipart,
ranges, metadata, copy, lists, batch delete, presigned URLs, errors, checksums."""
import hashlib
import io
import os
import urllib.error
import urllib.request

import boto3
from boto3.s3.transfer import TransferConfig
from botocore.client import Config
from botocore.exceptions import ClientError

from harness import ACCESS, SECRET


def client(server, **config):
    return boto3.client("s3", endpoint_url=server.endpoint, aws_access_key_id=ACCESS, aws_secret_access_key=SECRET,
                        region_name="us-east-1", config=Config(signature_version="s3v4", retries={"max_attempts": 2}, **config))


def code_of(call, *args, **kwargs):
    try:
        call(*args, **kwargs)
    except ClientError as error:
        return error.response["Error"]["Code"], error.response["ResponseMetadata"]["HTTPStatusCode"]
    return None, 200


def http(method, url, data=None, headers=None):
    request = urllib.request.Request(url, data=data, method=method, headers=headers or {})
    try:
        with urllib.request.urlopen(request, timeout=20) as reply:
            return reply.status, reply.read()
    except urllib.error.HTTPError as error:
        return error.code, error.read()


def buckets(s3):
    s3.create_bucket(Bucket="life")
    assert "life" in [b["Name"] for b in s3.list_buckets()["Buckets"]]
    assert s3.head_bucket(Bucket="life")["ResponseMetadata"]["HTTPStatusCode"] == 200
    assert not s3.get_bucket_location(Bucket="life")["LocationConstraint"]
    assert "Status" not in s3.get_bucket_versioning(Bucket="life")
    assert code_of(s3.get_object_lock_configuration, Bucket="life")[0] == "ObjectLockConfigurationNotFoundError"
    s3.put_object(Bucket="life", Key="x", Body=b"1")
    assert code_of(s3.delete_bucket, Bucket="life") == ("BucketNotEmpty", 409)
    s3.delete_object(Bucket="life", Key="x")
    s3.delete_bucket(Bucket="life")
    assert code_of(s3.head_bucket, Bucket="life")[1] == 404
    assert code_of(s3.put_object, Bucket="life", Key="x", Body=b"1") == ("NoSuchBucket", 404)


def objects(s3, bucket):
    for size in (0, 1, 1000, 4096, 131072, 131073, 1 << 20, (1 << 20) + 1):
        body = os.urandom(size)
        put = s3.put_object(Bucket=bucket, Key=f"size/{size}", Body=body, ContentType="text/x-test",
                            Metadata={"colour": "blue", "n": str(size)}, CacheControl="max-age=5")
        assert put["ETag"] == '"%s"' % hashlib.md5(body).hexdigest(), put
        got = s3.get_object(Bucket=bucket, Key=f"size/{size}")
        assert got["Body"].read() == body
        assert got["ETag"] == put["ETag"] and got["ContentLength"] == size
        assert got["ContentType"] == "text/x-test" and got["CacheControl"] == "max-age=5"
        assert got["Metadata"] == {"colour": "blue", "n": str(size)}
        head = s3.head_object(Bucket=bucket, Key=f"size/{size}")
        assert head["ContentLength"] == size and head["LastModified"] == got["LastModified"]


def ranges(s3, bucket):
    body = os.urandom(3 << 20)
    s3.put_object(Bucket=bucket, Key="ranged", Body=body)
    for first, last in ((0, 0), (0, 99), (1 << 20, (1 << 20) + 5), ((1 << 20) - 1, 1 << 20), (5, (3 << 20) - 1)):
        got = s3.get_object(Bucket=bucket, Key="ranged", Range=f"bytes={first}-{last}")
        assert got["ResponseMetadata"]["HTTPStatusCode"] == 206
        assert got["ContentRange"] == f"bytes {first}-{last}/{len(body)}"
        assert got["Body"].read() == body[first:last + 1]
    assert s3.get_object(Bucket=bucket, Key="ranged", Range="bytes=-7")["Body"].read() == body[-7:]
    assert s3.get_object(Bucket=bucket, Key="ranged", Range="bytes=3145000-")["Body"].read() == body[3145000:]
    assert code_of(s3.get_object, Bucket=bucket, Key="ranged", Range="bytes=9999999-") == ("InvalidRange", 416)


def conditions(s3, bucket):
    tag = s3.put_object(Bucket=bucket, Key="cond", Body=b"1")["ETag"]
    assert code_of(s3.get_object, Bucket=bucket, Key="cond", IfMatch='"0"')[1] == 412
    assert code_of(s3.get_object, Bucket=bucket, Key="cond", IfNoneMatch=tag)[1] == 304
    assert s3.get_object(Bucket=bucket, Key="cond", IfMatch=tag)["Body"].read() == b"1"
    for header, value, status in (("If-None-Match", "*", 412), ("If-Match", '"0"', 412), ("If-Match", tag, 200)):
        s3.meta.events.register("before-sign.s3.PutObject", lambda request, h=header, v=value, **k: request.headers.__setitem__(h, v), unique_id="cond")
        assert code_of(s3.put_object, Bucket=bucket, Key="cond", Body=b"1")[1] == status, (header, value)
        s3.meta.events.unregister("before-sign.s3.PutObject", unique_id="cond")


def copies(s3, bucket):
    body = os.urandom(200_000)
    s3.put_object(Bucket=bucket, Key="from/ä +%", Body=body, Metadata={"a": "1"}, ContentType="text/a")
    s3.copy_object(Bucket=bucket, Key="to", CopySource={"Bucket": bucket, "Key": "from/ä +%"})
    got = s3.get_object(Bucket=bucket, Key="to")
    assert got["Body"].read() == body and got["Metadata"] == {"a": "1"} and got["ContentType"] == "text/a"
    s3.copy_object(Bucket=bucket, Key="to", CopySource=f"{bucket}/to", MetadataDirective="REPLACE", Metadata={"b": "2"})
    assert s3.head_object(Bucket=bucket, Key="to")["Metadata"] == {"b": "2"}
    assert code_of(s3.copy_object, Bucket=bucket, Key="to", CopySource=f"{bucket}/to")[0] == "InvalidRequest"
    assert code_of(s3.copy_object, Bucket=bucket, Key="z", CopySource=f"{bucket}/none")[0] == "NoSuchKey"


def multipart(s3, bucket):
    body = os.urandom(20 << 20)
    s3.upload_fileobj(io.BytesIO(body), bucket, "big", Config=TransferConfig(multipart_threshold=8 << 20, multipart_chunksize=8 << 20))
    out = io.BytesIO()
    s3.download_fileobj(bucket, "big", out)
    assert out.getvalue() == body
    md5s = b"".join(hashlib.md5(body[i:i + (8 << 20)]).digest() for i in range(0, len(body), 8 << 20))
    assert s3.head_object(Bucket=bucket, Key="big")["ETag"] == '"%s-3"' % hashlib.md5(md5s).hexdigest()
    part = s3.get_object(Bucket=bucket, Key="big", PartNumber=2)
    assert part["PartsCount"] == 3 and part["Body"].read() == body[8 << 20:16 << 20]
    upload = s3.create_multipart_upload(Bucket=bucket, Key="mp")["UploadId"]
    tags = {}
    for number in (3, 1, 2, 1):  # out of order, one part twice
        piece = bytes([number]) * (5 << 20)
        tags[number] = s3.upload_part(Bucket=bucket, Key="mp", UploadId=upload, PartNumber=number, Body=piece)["ETag"]
    tags[4] = s3.upload_part_copy(Bucket=bucket, Key="mp", UploadId=upload, PartNumber=4, CopySource=f"{bucket}/big",
                                  CopySourceRange="bytes=100-1099")["CopyPartResult"]["ETag"]
    listed = s3.list_parts(Bucket=bucket, Key="mp", UploadId=upload)["Parts"]
    assert [p["PartNumber"] for p in listed] == [1, 2, 3, 4]
    assert [u["Key"] for u in s3.list_multipart_uploads(Bucket=bucket)["Uploads"]] == ["mp"]
    parts = [{"PartNumber": n, "ETag": tags[n]} for n in (1, 2, 3, 4)]
    bad = {"Parts": [parts[1], parts[0]]}
    assert code_of(s3.complete_multipart_upload, Bucket=bucket, Key="mp", UploadId=upload, MultipartUpload=bad)[0] == "InvalidPartOrder"
    s3.complete_multipart_upload(Bucket=bucket, Key="mp", UploadId=upload, MultipartUpload={"Parts": parts})
    whole = s3.get_object(Bucket=bucket, Key="mp")["Body"].read()
    assert whole == b"\1" * (5 << 20) + b"\2" * (5 << 20) + b"\3" * (5 << 20) + body[100:1100]
    upload = s3.create_multipart_upload(Bucket=bucket, Key="gone")["UploadId"]
    s3.abort_multipart_upload(Bucket=bucket, Key="gone", UploadId=upload)
    assert code_of(s3.list_parts, Bucket=bucket, Key="gone", UploadId=upload) == ("NoSuchUpload", 404)


def lists(s3, bucket, count=1001):
    for i in range(count):
        s3.put_object(Bucket=bucket, Key=f"list/{i % 10}/{i:05}", Body=b"")
    keys = [o["Key"] for page in s3.get_paginator("list_objects_v2").paginate(Bucket=bucket, Prefix="list/") for o in page.get("Contents", [])]
    assert keys == sorted(f"list/{i % 10}/{i:05}" for i in range(count))
    page = s3.list_objects_v2(Bucket=bucket, Prefix="list/", Delimiter="/")
    assert [p["Prefix"] for p in page["CommonPrefixes"]] == [f"list/{i}/" for i in range(10)] and page["KeyCount"] == 10
    seen = [o["Key"] for p in s3.get_paginator("list_objects").paginate(Bucket=bucket, Prefix="list/3/", PaginationConfig={"PageSize": 7}) for o in p["Contents"]]
    assert seen == [k for k in keys if k.startswith("list/3/")]
    versions = s3.list_object_versions(Bucket=bucket, Prefix="list/1/", MaxKeys=5)
    assert [v["VersionId"] for v in versions["Versions"]] == ["null"] * 5 and versions["IsTruncated"]
    for start in range(0, count, 1000):
        batch = [{"Key": k} for k in keys[start:start + 1000]]
        reply = s3.delete_objects(Bucket=bucket, Delete={"Objects": batch + [{"Key": "never-there"}]} if len(batch) < 1000 else {"Objects": batch})
        assert "Errors" not in reply
    assert s3.list_objects_v2(Bucket=bucket, Prefix="list/")["KeyCount"] == 0


def presigned(s3, bucket):
    put = s3.generate_presigned_url("put_object", Params={"Bucket": bucket, "Key": "pre/ä b"}, ExpiresIn=60)
    assert http("PUT", put, b"presigned")[0] == 200
    get = s3.generate_presigned_url("get_object", Params={"Bucket": bucket, "Key": "pre/ä b"}, ExpiresIn=60)
    assert http("GET", get) == (200, b"presigned")
    assert http("GET", get.replace("X-Amz-Signature=", "X-Amz-Signature=0"))[0] == 403
    status, body = http("PUT", put, b"evil", {"x-amz-copy-source": f"/{bucket}/big"})
    assert status == 403 and b"not signed" in body, body
    assert http("GET", get) == (200, b"presigned")


def errors(s3, bucket):
    assert code_of(s3.get_object, Bucket=bucket, Key="none") == ("NoSuchKey", 404)
    assert code_of(s3.head_object, Bucket=bucket, Key="none")[1] == 404
    assert code_of(s3.get_object, Bucket="no-such-bucket-here", Key="k") == ("NoSuchBucket", 404)
    assert s3.delete_object(Bucket=bucket, Key="none")["ResponseMetadata"]["HTTPStatusCode"] == 204


def everything(server):
    s3 = client(server)
    buckets(s3)
    s3.create_bucket(Bucket="work")
    for step in (objects, ranges, conditions, copies, multipart, presigned, errors, lists):
        step(s3, "work")
        print("done:", step.__name__, flush=True)
