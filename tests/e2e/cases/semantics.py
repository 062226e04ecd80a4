"""S3's finer rules through boto3: versions, conditions, parts and their attributes, settings of a bucket."""
# interpreter: venv
# timeout: 120
from harness import Server
from s3_clients import client, code_of

PART = 5 << 20


def versions(s3, bucket):
    s3.put_bucket_versioning(Bucket=bucket, VersioningConfiguration={"Status": "Enabled"})
    ids = [s3.put_object(Bucket=bucket, Key="v", Body=b"%d" % n)["VersionId"] for n in range(5)]
    assert len(set(ids)) == 5
    for n, version in enumerate(ids):
        assert s3.get_object(Bucket=bucket, Key="v", VersionId=version)["Body"].read() == b"%d" % n
    page = s3.list_object_versions(Bucket=bucket, MaxKeys=3)
    assert [v["VersionId"] for v in page["Versions"]] == ids[:1:-1] and page["IsTruncated"]
    rest = s3.list_object_versions(Bucket=bucket, KeyMarker=page["NextKeyMarker"],
                                   VersionIdMarker=page["NextVersionIdMarker"])
    assert [v["VersionId"] for v in rest["Versions"]] == ids[1::-1] and not rest["IsTruncated"]
    marker = s3.delete_object(Bucket=bucket, Key="v")
    assert marker["DeleteMarker"] and code_of(s3.get_object, Bucket=bucket, Key="v") == ("NoSuchKey", 404)
    assert code_of(s3.get_object, Bucket=bucket, Key="v", VersionId=marker["VersionId"])[0] == "MethodNotAllowed"
    s3.delete_object(Bucket=bucket, Key="v", VersionId=marker["VersionId"])
    assert s3.get_object(Bucket=bucket, Key="v")["Body"].read() == b"4"

    s3.put_bucket_versioning(Bucket=bucket, VersioningConfiguration={"Status": "Suspended"})
    for body in (b"null-1", b"null-2"):
        s3.put_object(Bucket=bucket, Key="v", Body=body)
    listed = s3.list_object_versions(Bucket=bucket)["Versions"]
    assert [v["VersionId"] for v in listed] == ["null"] + ids[::-1], listed
    assert s3.get_object(Bucket=bucket, Key="v", VersionId="null")["Body"].read() == b"null-2"
    s3.copy_object(Bucket=bucket, Key="copy", CopySource={"Bucket": bucket, "Key": "v", "VersionId": ids[1]})
    assert s3.get_object(Bucket=bucket, Key="copy")["Body"].read() == b"1"


def conditions(s3, bucket):
    etag = s3.put_object(Bucket=bucket, Key="c", Body=b"1", IfNoneMatch="*")["ETag"]
    failed = ("PreconditionFailed", 412)
    assert code_of(s3.put_object, Bucket=bucket, Key="c", IfNoneMatch="*") == failed
    assert code_of(s3.put_object, Bucket=bucket, Key="c", IfMatch='"0"') == failed
    assert code_of(s3.put_object, Bucket=bucket, Key="none", IfMatch=etag) == ("NoSuchKey", 404)
    assert code_of(s3.delete_object, Bucket=bucket, Key="c", IfMatch='"0"') == failed
    upload = s3.create_multipart_upload(Bucket=bucket, Key="c")["UploadId"]
    part = s3.upload_part(Bucket=bucket, Key="c", UploadId=upload, PartNumber=1, Body=b"2")["ETag"]
    done = {"Parts": [{"PartNumber": 1, "ETag": part}]}
    assert code_of(s3.complete_multipart_upload, Bucket=bucket, Key="c", UploadId=upload, IfNoneMatch="*",
                   MultipartUpload=done) == failed
    assert s3.get_object(Bucket=bucket, Key="c")["Body"].read() == b"1"
    s3.complete_multipart_upload(Bucket=bucket, Key="c", UploadId=upload, IfMatch=etag, MultipartUpload=done)
    assert s3.get_object(Bucket=bucket, Key="c")["Body"].read() == b"2"


def parts(s3, bucket):
    upload = s3.create_multipart_upload(Bucket=bucket, Key="m", ChecksumAlgorithm="SHA256")["UploadId"]
    sent = []
    for number, body in ((2, b"a" * PART), (7, b"b" * 10)):
        got = s3.upload_part(Bucket=bucket, Key="m", UploadId=upload, PartNumber=number, Body=body,
                             ChecksumAlgorithm="SHA256")
        sent.append({"PartNumber": number, "ETag": got["ETag"], "ChecksumSHA256": got["ChecksumSHA256"]})
    swapped = {"Parts": sent[::-1]}
    assert code_of(s3.complete_multipart_upload, Bucket=bucket, Key="m", UploadId=upload,
                   MultipartUpload=swapped) == ("InvalidPartOrder", 400)
    whole = {"Parts": sent}
    first = s3.complete_multipart_upload(Bucket=bucket, Key="m", UploadId=upload, MultipartUpload=whole)
    again = s3.complete_multipart_upload(Bucket=bucket, Key="m", UploadId=upload, MultipartUpload=whole)
    assert first["ETag"] == again["ETag"] and first["ETag"].endswith('-2"')
    wanted = ["ETag", "Checksum", "ObjectParts", "StorageClass", "ObjectSize"]
    found = s3.get_object_attributes(Bucket=bucket, Key="m", ObjectAttributes=wanted, MaxParts=1)
    listed = found["ObjectParts"]
    assert listed["IsTruncated"] and listed["NextPartNumberMarker"] == 2
    assert listed["Parts"][0]["ChecksumSHA256"] == sent[0]["ChecksumSHA256"]
    assert found["ObjectSize"] == PART + 10 and found["ETag"] == first["ETag"].strip('"')
    second = s3.get_object(Bucket=bucket, Key="m", PartNumber=7)
    assert second["Body"].read() == b"b" * 10 and second["PartsCount"] == 2
    small = s3.create_multipart_upload(Bucket=bucket, Key="s")["UploadId"]
    tags = [s3.upload_part(Bucket=bucket, Key="s", UploadId=small, PartNumber=n, Body=b"x")["ETag"] for n in (1, 2)]
    assert code_of(s3.complete_multipart_upload, Bucket=bucket, Key="s", UploadId=small, MultipartUpload={
        "Parts": [{"PartNumber": n + 1, "ETag": tag} for n, tag in enumerate(tags)]}) == ("EntityTooSmall", 400)
    s3.abort_multipart_upload(Bucket=bucket, Key="s", UploadId=small)


def settings(s3, bucket):
    block = {"BlockPublicAcls": True, "IgnorePublicAcls": False, "BlockPublicPolicy": True,
             "RestrictPublicBuckets": False}
    s3.put_public_access_block(Bucket=bucket, PublicAccessBlockConfiguration=block)
    assert s3.get_public_access_block(Bucket=bucket)["PublicAccessBlockConfiguration"] == block
    s3.delete_public_access_block(Bucket=bucket)
    assert code_of(s3.get_public_access_block, Bucket=bucket) == ("NoSuchPublicAccessBlockConfiguration", 404)
    s3.delete_bucket_cors(Bucket=bucket)
    assert code_of(s3.get_bucket_cors, Bucket=bucket) == ("NoSuchCORSConfiguration", 404)


for drives in (0, 4):
    with Server(drives=drives) as server:
        s3 = client(server)
        for check in (versions, conditions, parts, settings):
            s3.create_bucket(Bucket=check.__name__)
            check(s3, check.__name__)
