"""Form uploads signed by boto3's generate_presigned_post (V4 and V2) and sent by curl -F, as in AWS's documentation."""
import os
import subprocess
import tempfile

import boto3
from botocore.client import Config

from harness import ACCESS, SECRET, Server

with Server() as server, tempfile.TemporaryDirectory() as folder:
    path = os.path.join(folder, "photo.jpg")
    for size in (0, 1000, 200_000, 9 << 20):
        body = os.urandom(size)
        with open(path, "wb") as out:
            out.write(body)
        for version in ("s3v4", "s3"):
            s3 = boto3.client("s3", endpoint_url=server.endpoint, aws_access_key_id=ACCESS, aws_secret_access_key=SECRET,
                              region_name="us-east-1", config=Config(signature_version=version, s3={"addressing_style": "path"}))
            s3.create_bucket(Bucket="forms")
            post = s3.generate_presigned_post("forms", "in/${filename}", Fields={"success_action_status": "201", "x-amz-meta-a": "b"},
                                              Conditions=[["content-length-range", 0, 10 << 20], {"success_action_status": "201"},
                                                          {"x-amz-meta-a": "b"}], ExpiresIn=60)

            def upload(fields, *after):
                form = [part for name, value in fields.items() for part in ("-F", f"{name}={value}")]
                done = subprocess.run(["curl", "-sS", "-w", "\n%{http_code}", *form, "-F", f"file=@{path};type=image/jpeg", *after,
                                       post["url"]], capture_output=True, text=True, timeout=30)
                assert done.returncode == 0, done.stderr
                text, status = done.stdout.rsplit("\n", 1)
                return int(status), text

            status, text = upload(post["fields"], *(("-F", "submit=Upload") if size < 8 << 20 else ()))
            assert status == 201 and "<Key>in/photo.jpg</Key>" in text, (status, text)
            got = s3.get_object(Bucket="forms", Key="in/photo.jpg")
            assert got["Body"].read() == body and got["Metadata"] == {"a": "b"}
            status, text = upload(dict(post["fields"], key="out/photo.jpg"))
            assert status == 403 and "<Code>AccessDenied</Code>" in text, (status, text)
            status, text = upload({"key": "in/anonymous"})
            assert status == 403 and "<Code>AccessDenied</Code>" in text, (status, text)
    assert [each["Key"] for each in s3.list_objects(Bucket="forms")["Contents"]] == ["in/photo.jpg"]
