# interpreter: venv-fs
"""obstore, Python's face of Rust's object_store: conditional puts, ranges, lists, multipart, copies, batch delete."""
import os

import obstore
from obstore.exceptions import AlreadyExistsError, PreconditionError
from obstore.store import S3Store

from harness import ACCESS, SECRET, Server
import boto3

with Server() as server:
    boto3.client("s3", endpoint_url=server.endpoint, aws_access_key_id=ACCESS, aws_secret_access_key=SECRET,
                 region_name="us-east-1").create_bucket(Bucket="rust")
    store = S3Store("rust", endpoint=server.endpoint, access_key_id=ACCESS, secret_access_key=SECRET, region="us-east-1",
                    client_options={"allow_http": True}, retry_config={"max_retries": 1})
    for size in (0, 1, 100_000, 12 << 20):
        body = os.urandom(size)
        obstore.put(store, f"d/{size}", body, chunk_size=5 << 20)
        assert bytes(obstore.get(store, f"d/{size}").bytes()) == body
        assert obstore.head(store, f"d/{size}")["size"] == size
        if size:
            assert bytes(obstore.get_range(store, f"d/{size}", start=size // 3, end=size // 2 + 1)) == body[size // 3:size // 2 + 1]
    etag = obstore.put(store, "cond", b"1", mode="create")["e_tag"]
    try:
        obstore.put(store, "cond", b"2", mode="create")
        raise AssertionError("created what is there")
    except AlreadyExistsError:
        pass
    obstore.put(store, "cond", b"2", mode={"e_tag": etag})
    try:
        obstore.put(store, "cond", b"3", mode={"e_tag": etag})
        raise AssertionError("overwrote with an old ETag")
    except PreconditionError:
        pass
    try:
        obstore.get(store, "none")
        raise AssertionError("read what is not there")
    except FileNotFoundError:
        pass
    obstore.copy(store, "cond", "copied")
    obstore.rename(store, "copied", "moved")
    assert bytes(obstore.get(store, "moved").bytes()) == b"2"
    for i in range(1001):
        obstore.put(store, f"many/{i:04}", b"x")
    found = [meta["path"] for chunk in obstore.list(store, prefix="many") for meta in chunk]
    assert len(found) == 1001
    top = obstore.list_with_delimiter(store)
    assert sorted(top["common_prefixes"]) == ["d", "many"] and [o["path"] for o in top["objects"]] == ["cond", "moved"]
    obstore.delete(store, found)
    assert not [meta for chunk in obstore.list(store, prefix="many") for meta in chunk]
