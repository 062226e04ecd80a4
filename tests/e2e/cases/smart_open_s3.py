# interpreter: venv-fs
"""smart_open: reads with open ranges, seeks, writes as multipart uploads even when small, empty objects."""
import os

import boto3
from smart_open import open as smart_open

from harness import ACCESS, SECRET, Server

with Server() as server:
    s3 = boto3.client("s3", endpoint_url=server.endpoint, aws_access_key_id=ACCESS, aws_secret_access_key=SECRET,
                      region_name="us-east-1")
    s3.create_bucket(Bucket="smart")
    extra = {"transport_params": {"client": s3, "min_part_size": 5 << 20}}
    for size in (0, 1, 300_000, 12 << 20):
        body = os.urandom(size)
        with smart_open(f"s3://smart/k{size}", "wb", **extra) as out:
            out.write(body)
        with smart_open(f"s3://smart/k{size}", "rb", **extra) as back:
            assert back.read() == body
            if size:
                back.seek(size // 2)
                assert back.read(10) == body[size // 2:size // 2 + 10]
                back.seek(-1, 2)
                assert back.read() == body[-1:]
    with smart_open("s3://smart/lines.gz", "w", **extra) as out:
        out.writelines(f"line {i}\n" for i in range(1000))
    with smart_open("s3://smart/lines.gz", **extra) as back:
        assert sum(1 for _ in back) == 1000
    try:
        smart_open("s3://smart/none", "rb", **extra).read()
        raise AssertionError("read what is not there")
    except OSError:
        pass
    assert "Uploads" not in s3.list_multipart_uploads(Bucket="smart")
