"""Users of a file: each sees their own buckets only; keys are rotated by SIGHUP; a bad file changes nothing."""
# timeout: 60
import json
import os
import signal
import subprocess
import sys
import tempfile

import boto3
from botocore.client import Config

from harness import ACCESS, BINARY, SECRET, Server, wait_until
from s3_clients import code_of


def client(server, access, secret):
    return boto3.client("s3", endpoint_url=server.endpoint, aws_access_key_id=access, aws_secret_access_key=secret,
                        region_name="us-east-1", config=Config(retries={"max_attempts": 0}))


def user(access, secret, ident, name):
    return {"access_key": access, "secret_key": secret, "id": ident, "display_name": name, "email": name + "@x.org"}


server = Server()
path = os.path.join(server.root, "users.json")
server.flags += ["--users", path]


def write(*users, text=None):
    with open(path + ".new", "w", encoding="utf-8") as out:
        out.write(text if text is not None else json.dumps({"users": users}))
    os.replace(path + ".new", path)


def reload_users(expected):
    before = server.log_text().count(expected)
    server.process.send_signal(signal.SIGHUP)
    wait_until(lambda: server.log_text().count(expected) > before, 5, expected)


main_user = user("AKMAIN", "main-secret-1", "main-id", "main")
alt_user = user("AKALT", "alt-secret-1", "alt-id", "alt")
write(main_user, alt_user)
with server:
    main, alt, root = (client(server, *keys) for keys in
                       (("AKMAIN", "main-secret-1"), ("AKALT", "alt-secret-1"), (ACCESS, SECRET)))
    main.create_bucket(Bucket="mine")
    main.create_bucket(Bucket="mine")  # us-east-1 answers the owner 200 again
    main.put_object(Bucket="mine", Key="k", Body=b"main's", ACL="private")
    main.put_object(Bucket="mine", Key="k", Body=b"main's", ACL="bucket-owner-full-control")
    assert code_of(main.put_object, Bucket="mine", Key="p", Body=b"", ACL="public-read") == \
        ("AccessControlListNotSupported", 400)
    upload = main.create_multipart_upload(Bucket="mine", Key="part")["UploadId"]
    for stranger in (alt, root):
        assert code_of(stranger.create_bucket, Bucket="mine") == ("BucketAlreadyExists", 409)
        assert code_of(stranger.head_bucket, Bucket="mine")[1] == 403
        for call, arguments in ((stranger.get_object, {"Key": "k"}), (stranger.put_object, {"Key": "k", "Body": b"x"}),
                                (stranger.delete_object, {"Key": "k"}), (stranger.list_objects_v2, {}),
                                (stranger.list_object_versions, {}), (stranger.get_bucket_acl, {}),
                                (stranger.delete_bucket, {}), (stranger.list_multipart_uploads, {}),
                                (stranger.abort_multipart_upload, {"Key": "part", "UploadId": upload})):
            assert code_of(call, Bucket="mine", **arguments) == ("AccessDenied", 403), call
        stranger.create_bucket(Bucket="theirs")
        assert code_of(stranger.copy_object, Bucket="theirs", Key="stolen", CopySource="mine/k") == \
            ("AccessDenied", 403)
        assert [b["Name"] for b in stranger.list_buckets()["Buckets"]] == ["theirs"]
        assert "Contents" not in stranger.list_objects_v2(Bucket="theirs")
        stranger.delete_bucket(Bucket="theirs")
    assert main.get_object(Bucket="mine", Key="k")["Body"].read() == b"main's"
    mine = {"ID": "main-id", "DisplayName": "main"}
    listed = main.list_buckets()
    assert listed["Owner"] == mine and [b["Name"] for b in listed["Buckets"]] == ["mine"]
    assert main.list_objects_v2(Bucket="mine", FetchOwner=True)["Contents"][0]["Owner"] == mine
    assert main.list_object_versions(Bucket="mine")["Versions"][0]["Owner"] == mine
    uploads = main.list_multipart_uploads(Bucket="mine")["Uploads"]
    assert uploads[0]["Owner"] == mine and uploads[0]["Initiator"]["ID"] == "main-id"
    for acl in (main.get_bucket_acl(Bucket="mine"), main.get_object_acl(Bucket="mine", Key="k")):
        assert acl["Owner"] == mine, acl
        assert [(g["Grantee"]["ID"], g["Permission"]) for g in acl["Grants"]] == [("main-id", "FULL_CONTROL")]
    assert main.get_bucket_ownership_controls(Bucket="mine")["OwnershipControls"]["Rules"] == \
        [{"ObjectOwnership": "BucketOwnerEnforced"}]
    assert all(main.get_public_access_block(Bucket="mine")["PublicAccessBlockConfiguration"].values())
    assert code_of(main.get_bucket_policy_status, Bucket="mine") == ("NoSuchBucketPolicy", 404)
    assert main.get_bucket_request_payment(Bucket="mine")["Payer"] == "BucketOwner"

    # A second key of the same user works beside the first, then the first is withdrawn.
    write(main_user, alt_user, user("AKMAIN2", "main-secret-2", "main-id", "main"))
    reload_users("mote: reloaded")
    second = client(server, "AKMAIN2", "main-secret-2")
    for each in (main, second):
        assert each.get_object(Bucket="mine", Key="k")["Body"].read() == b"main's"
    write(alt_user, user("AKMAIN2", "main-secret-2", "main-id", "main"))
    reload_users("mote: reloaded")
    assert code_of(main.list_buckets) == ("InvalidAccessKeyId", 403)
    assert second.get_object(Bucket="mine", Key="k")["Body"].read() == b"main's"
    write(text='{"users": [{"access_key": "AKBAD", "secret_key": "planted-secret", "role": "x"}]}')
    reload_users("not reloaded: ")
    assert second.list_buckets()["Buckets"] and alt.list_buckets()["Owner"]["ID"] == "alt-id"
    assert 'entry 1: unknown member "role"' in server.log_text()
    for secret in ("planted-secret", "main-secret", "alt-secret", SECRET):
        assert secret not in server.log_text()

# A bad file at the start is a configuration error.
with tempfile.NamedTemporaryFile("w", suffix=".json") as bad:
    bad.write("{}")
    bad.flush()
    done = subprocess.run([BINARY, "server", "--memory", "--address", "127.0.0.1:0", "--admin-address", "", "--users",
                           bad.name], capture_output=True, text=True, timeout=20)
    assert done.returncode == 78 and bad.name in done.stderr, done
sys.exit(0)
