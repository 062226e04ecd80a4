"""Rules of writes, versions and configurations where AWS's answers and RFC 9110 settle the matter, through boto3."""
# interpreter: venv
# timeout: 120
from harness import Server
from s3_clients import client, code_of

FAILED = ("PreconditionFailed", 412)
MISSING = ("NoSuchKey", 404)


def conditions(s3, bucket):
    etag = s3.put_object(Bucket=bucket, Key="c", Body=b"1", IfNoneMatch="*")["ETag"]
    assert code_of(s3.put_object, Bucket=bucket, Key="c", Body=b"2", IfNoneMatch="*") == FAILED
    assert code_of(s3.put_object, Bucket=bucket, Key="c", Body=b"2", IfNoneMatch=etag) == FAILED
    assert code_of(s3.put_object, Bucket=bucket, Key="none", Body=b"2", IfMatch=etag) == MISSING
    assert code_of(s3.put_object, Bucket=bucket, Key="none", Body=b"2", IfMatch="*") == MISSING
    second = s3.put_object(Bucket=bucket, Key="c", Body=b"2", IfMatch=etag)["ETag"]
    assert code_of(s3.put_object, Bucket=bucket, Key="c", Body=b"3", IfMatch=etag) == FAILED
    s3.put_object(Bucket=bucket, Key="c", Body=b"3", IfNoneMatch=etag)  # no longer the current one
    assert code_of(s3.delete_object, Bucket=bucket, Key="c", IfMatch=second) == FAILED

    def complete(**condition):
        upload = s3.create_multipart_upload(Bucket=bucket, Key="m")["UploadId"]
        part = s3.upload_part(Bucket=bucket, Key="m", UploadId=upload, PartNumber=1, Body=b"part")["ETag"]
        return s3.complete_multipart_upload(Bucket=bucket, Key="m", UploadId=upload, **condition,
                                            MultipartUpload={"Parts": [{"PartNumber": 1, "ETag": part}]})

    tag = complete(IfNoneMatch="*")["ETag"]
    assert code_of(complete, IfNoneMatch="*") == FAILED
    assert code_of(complete, IfNoneMatch=tag) == FAILED
    assert code_of(complete, IfMatch=etag) == FAILED
    assert complete(IfMatch=tag)["ETag"] == tag


def version_ids(s3, bucket):
    assert "VersionId" not in s3.put_object(Bucket=bucket, Key="v", Body=b"0")
    s3.put_bucket_versioning(Bucket=bucket, VersioningConfiguration={"Status": "Enabled"})
    version = s3.put_object(Bucket=bucket, Key="v", Body=b"1")["VersionId"]
    s3.put_bucket_versioning(Bucket=bucket, VersioningConfiguration={"Status": "Suspended"})
    assert "VersionId" not in s3.put_object(Bucket=bucket, Key="v", Body=b"2")  # shown by reads only
    assert s3.get_object(Bucket=bucket, Key="v")["VersionId"] == "null"
    assert s3.get_object(Bucket=bucket, Key="v", VersionId=version)["Body"].read() == b"1"
    found = s3.list_object_versions(Bucket=bucket, Prefix="v")["Versions"]
    assert [(v["VersionId"], v["IsLatest"]) for v in found] == [("null", True), (version, False)], found


def attributes(s3, bucket):
    upload = s3.create_multipart_upload(Bucket=bucket, Key="a")["UploadId"]
    sizes = [5 << 20, 5 << 20, 7]
    parts = [{"PartNumber": n, "ETag": s3.upload_part(Bucket=bucket, Key="a", UploadId=upload, PartNumber=n,
                                                      Body=b"x" * size)["ETag"]}
             for n, size in enumerate(sizes, 1)]
    s3.complete_multipart_upload(Bucket=bucket, Key="a", UploadId=upload, MultipartUpload={"Parts": parts})
    first = s3.get_object_attributes(Bucket=bucket, Key="a", ObjectAttributes=["ObjectParts"], MaxParts=2)["ObjectParts"]
    assert first["TotalPartsCount"] == 3 and first["IsTruncated"], first
    rest = s3.get_object_attributes(Bucket=bucket, Key="a", ObjectAttributes=["ObjectParts"], MaxParts=2,
                                    PartNumberMarker=first["NextPartNumberMarker"])["ObjectParts"]
    assert not rest["IsTruncated"]
    assert [p["Size"] for p in first["Parts"] + rest["Parts"]] == sizes


def configurations(s3, bucket):
    block = {"BlockPublicAcls": True, "IgnorePublicAcls": False, "BlockPublicPolicy": True, "RestrictPublicBuckets": False}
    s3.put_public_access_block(Bucket=bucket, PublicAccessBlockConfiguration=block)
    assert s3.get_public_access_block(Bucket=bucket)["PublicAccessBlockConfiguration"] == block
    s3.delete_public_access_block(Bucket=bucket)
    assert code_of(s3.get_public_access_block, Bucket=bucket) == ("NoSuchPublicAccessBlockConfiguration", 404)
    s3.delete_bucket_lifecycle(Bucket=bucket)
    s3.delete_bucket_policy(Bucket=bucket)
    rule = {"ID": "r", "Prefix": "p/", "Status": "Enabled"}
    for days, answer in ((0, ("InvalidArgument", 400)), (1, ("NotImplemented", 501))):
        rules = {"Rules": [{**rule, "Expiration": {"Days": days}}]}
        assert code_of(s3.put_bucket_lifecycle_configuration, Bucket=bucket, LifecycleConfiguration=rules) == answer
    s3.put_object(Bucket=bucket, Key="t", Body=b"", Tagging="b=2&a=1")
    assert s3.get_object_tagging(Bucket=bucket, Key="t")["TagSet"] == [{"Key": "a", "Value": "1"}, {"Key": "b", "Value": "2"}]
    s3.put_object(Bucket=bucket, Key="e", Body=b"", ContentEncoding="deflate, gzip")
    assert s3.head_object(Bucket=bucket, Key="e")["ContentEncoding"] == "deflate, gzip"


with Server() as server:
    s3 = client(server)
    for check in (conditions, version_ids, attributes, configurations):
        name = check.__name__.replace("_", "-")
        s3.create_bucket(Bucket=name)
        check(s3, name)
