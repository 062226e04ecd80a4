# interpreter: venv-fs
"""s3fs (fsspec over aiobotocore): files, append, exclusive create, walk, copy, move, missing keys."""
import os

import s3fs

from harness import ACCESS, SECRET, Server

with Server() as server:
    fs = s3fs.S3FileSystem(key=ACCESS, secret=SECRET, endpoint_url=server.endpoint, client_kwargs={"region_name": "us-east-1"},
                           default_block_size=5 << 20, skip_instance_cache=True)
    fs.mkdir("fsspec")
    for size in (0, 1, 100_000, 12 << 20):
        body = os.urandom(size)
        with fs.open(f"fsspec/dir/{size}", "wb") as out:
            out.write(body)
        assert fs.cat_file(f"fsspec/dir/{size}") == body
        assert fs.info(f"fsspec/dir/{size}")["size"] == size
        if size > 10:  # an empty range is no range
            assert fs.cat_file(f"fsspec/dir/{size}", start=size // 3, end=size // 2) == body[size // 3:size // 2]
    with fs.open("fsspec/dir/100000", "ab") as out:
        out.write(b"more")
    assert fs.info("fsspec/dir/100000")["size"] == 100_004
    assert fs.exists("fsspec/dir/1") and not fs.exists("fsspec/none")
    assert fs.isdir("fsspec/dir") and fs.isfile("fsspec/dir/1")
    try:
        fs.cat_file("fsspec/none")
        raise AssertionError("read what is not there")
    except FileNotFoundError:
        pass
    try:
        fs.pipe_file("fsspec/dir/1", b"again", mode="create")
        raise AssertionError("created what is there")
    except FileExistsError:
        pass
    fs.copy("fsspec/dir/1", "fsspec/copied")
    fs.mv("fsspec/copied", "fsspec/tree/sub/moved")
    assert not fs.exists("fsspec/copied")
    assert sorted(fs.find("fsspec")) == sorted([f"fsspec/dir/{n}" for n in ("0", "1", "100000", str(12 << 20))] +
                                               ["fsspec/tree/sub/moved"])
    assert [(path, dirs, files) for path, dirs, files in fs.walk("fsspec/tree")] == \
        [("fsspec/tree", ["sub"], []), ("fsspec/tree/sub", [], ["moved"])]
    fs.pipe({f"fsspec/many/{i:04}": b"x" for i in range(1001)})
    assert len(fs.ls("fsspec/many")) == 1001
    fs.setxattr("fsspec/dir/1", colour="blue")
    assert fs.getxattr("fsspec/dir/1", "colour") == "blue"
    fs.rm("fsspec", recursive=True)
    assert not fs.exists("fsspec")
