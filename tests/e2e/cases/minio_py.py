# interpreter: venv-fs
"""minio-py: its own signer and XML reader, multipart, batch delete, presigned and policy forms."""
import io
import os
import urllib.request

from minio import Minio
from minio.commonconfig import CopySource
from minio.deleteobjects import DeleteObject
from minio.error import S3Error

from harness import ACCESS, SECRET, Server

with Server() as server:
    c = Minio(endpoint=server.endpoint.split("//")[1], access_key=ACCESS, secret_key=SECRET, secure=False)
    assert not c.bucket_exists(bucket_name="minio-py")
    c.make_bucket(bucket_name="minio-py")
    assert [b.name for b in c.list_buckets()] == ["minio-py"]
    for size in (0, 1, 70_000, 20 << 20):
        body = os.urandom(size)
        c.put_object(bucket_name="minio-py", object_name=f"d/{size}", data=io.BytesIO(body), length=size,
                     part_size=5 << 20 if size > 5 << 20 else 0, metadata={"colour": "blue"})
        reply = c.get_object(bucket_name="minio-py", object_name=f"d/{size}")
        assert reply.read() == body
        reply.close()
        stat = c.stat_object(bucket_name="minio-py", object_name=f"d/{size}")
        assert stat.size == size and stat.metadata["x-amz-meta-colour"] == "blue"
    c.copy_object(bucket_name="minio-py", object_name="copy", source=CopySource(bucket_name="minio-py", object_name="d/70000"))
    part = c.get_object(bucket_name="minio-py", object_name="copy", offset=10, length=5)
    assert len(part.read()) == 5
    url = c.presigned_get_object(bucket_name="minio-py", object_name="copy")
    assert len(urllib.request.urlopen(url, timeout=20).read()) == 70_000
    try:
        c.stat_object(bucket_name="minio-py", object_name="none")
        raise AssertionError("found what is not there")
    except S3Error as error:
        assert error.code == "NoSuchKey", error
    for i in range(1001):
        c.put_object(bucket_name="minio-py", object_name=f"many/{i:04}", data=io.BytesIO(b""), length=0)
    assert sum(1 for _ in c.list_objects(bucket_name="minio-py", prefix="many/")) == 1001
    assert [o.object_name for o in c.list_objects(bucket_name="minio-py")] == ["copy", "d/", "many/"]
    everything = [DeleteObject(o.object_name) for o in c.list_objects(bucket_name="minio-py", recursive=True)]
    assert not list(c.remove_objects(bucket_name="minio-py", delete_object_list=everything))
    c.remove_bucket(bucket_name="minio-py")
