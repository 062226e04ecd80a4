"""libs3's s3 of Debian: create, put, get, head, list, copy, multipart of 20 MiB, delete."""
import filecmp
import os
import shutil
import subprocess
import tempfile

from harness import ACCESS, SECRET, Server, skip

S3 = "/usr/bin/s3"
if not os.path.exists(S3):
    skip("no s3 (Debian package libs3-2)")
with Server() as server, tempfile.TemporaryDirectory() as folder:
    env = {**os.environ, "S3_ACCESS_KEY_ID": ACCESS, "S3_SECRET_ACCESS_KEY": SECRET, "S3_HOSTNAME": server.endpoint.split("//")[1]}

    def s3(*arguments):
        done = subprocess.run([S3, "-u", "-r", "0", *arguments], env=env, capture_output=True, text=True, timeout=60)
        assert done.returncode == 0, (arguments, done.stdout, done.stderr)
        return done.stdout

    s3("create", "libs")
    s3("test", "libs")
    for size in (0, 1, 70_000, 20 << 20):
        path, back = os.path.join(folder, str(size)), os.path.join(folder, "back")
        with open(path, "wb") as out:
            out.write(os.urandom(size))
        s3("put", f"libs/dir/{size}", f"filename={path}", "x-amz-meta-colour=blue", "contentType=text/a")
        s3("get", f"libs/dir/{size}", f"filename={back}")
        assert filecmp.cmp(path, back, shallow=False), size
        head = s3("head", f"libs/dir/{size}")
        assert f"Content-Length: {size}" in head or size == 0, head
    s3("copy", "libs/dir/1", "libs/copied")
    listing = s3("list", "libs", "prefix=dir/")
    assert "dir/70000" in listing and "copied" not in listing, listing
    for key in ("dir/0", "dir/1", "dir/70000", f"dir/{20 << 20}", "copied"):
        s3("delete", "libs/" + key)
    s3("delete", "libs")
