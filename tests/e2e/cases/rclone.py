"""rclone of Debian: copy, check, sync, move, purge, a 20 MiB file in parts."""
import os
import shutil
import subprocess
import tempfile

from harness import ACCESS, SECRET, Server, skip

if shutil.which("rclone") is None:
    skip("no rclone (Debian package rclone)")
with Server() as server, tempfile.TemporaryDirectory() as folder:
    env = {**os.environ, "RCLONE_CONFIG": os.path.join(folder, "none.conf"), "RCLONE_CONFIG_M_TYPE": "s3",
           "RCLONE_CONFIG_M_PROVIDER": "Other", "RCLONE_CONFIG_M_ENDPOINT": server.endpoint,
           "RCLONE_CONFIG_M_ACCESS_KEY_ID": ACCESS, "RCLONE_CONFIG_M_SECRET_ACCESS_KEY": SECRET,
           "RCLONE_CONFIG_M_UPLOAD_CUTOFF": "10Mi", "RCLONE_CONFIG_M_CHUNK_SIZE": "5Mi"}

    def rclone(*arguments):
        done = subprocess.run(["rclone", "--retries", "1", "--low-level-retries", "1", *arguments], env=env, capture_output=True,
                              text=True, timeout=60)
        assert done.returncode == 0, (arguments, done.stdout, done.stderr)
        return done.stdout

    tree = os.path.join(folder, "tree")
    os.makedirs(os.path.join(tree, "sub dir"))
    for name, size in (("empty", 0), ("small", 100), ("sub dir/ä+b%", 200_000), ("big", 20 << 20)):
        with open(os.path.join(tree, name), "wb") as out:
            out.write(os.urandom(size))
    rclone("mkdir", "m:rclone")
    rclone("copy", tree, "m:rclone/tree")
    rclone("check", "--download", tree, "m:rclone/tree")
    rclone("check", tree, "m:rclone/tree")
    assert sorted(rclone("lsf", "-R", "--files-only", "m:rclone").splitlines()) == \
        sorted("tree/" + name for name in ("empty", "small", "sub dir/ä+b%", "big"))
    os.remove(os.path.join(tree, "small"))
    rclone("sync", tree, "m:rclone/tree")
    rclone("check", tree, "m:rclone/tree")
    rclone("moveto", "m:rclone/tree/big", "m:rclone/moved")
    assert rclone("size", "--json", "m:rclone/moved").find(f'"bytes":{20 << 20}') > 0
    rclone("copy", "m:rclone", os.path.join(folder, "back"))
    assert os.path.getsize(os.path.join(folder, "back", "moved")) == 20 << 20
    rclone("purge", "m:rclone")
    assert rclone("lsd", "m:").strip() == ""
