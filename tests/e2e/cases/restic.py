"""restic of Debian: init, backup, check --read-data, restore, forget --prune."""
import filecmp
import os
import shutil
import subprocess
import tempfile

from harness import ACCESS, SECRET, Server, skip

if shutil.which("restic") is None:
    skip("no restic (Debian package restic)")
with Server() as server, tempfile.TemporaryDirectory() as folder:
    env = {**os.environ, "AWS_ACCESS_KEY_ID": ACCESS, "AWS_SECRET_ACCESS_KEY": SECRET, "RESTIC_PASSWORD": "x",
           "RESTIC_REPOSITORY": f"s3:{server.endpoint}/restic", "RESTIC_CACHE_DIR": os.path.join(folder, "cache")}

    def restic(*arguments):
        done = subprocess.run(["restic", *arguments], env=env, capture_output=True, text=True, timeout=90)
        assert done.returncode == 0, (arguments, done.stdout, done.stderr)
        return done.stdout

    tree = os.path.join(folder, "tree")
    os.makedirs(tree)
    for name, size in (("empty", 0), ("small", 100), ("medium", 300_000), ("big", 12 << 20)):
        with open(os.path.join(tree, name), "wb") as out:
            out.write(os.urandom(size))
    restic("init")
    restic("backup", tree)
    os.remove(os.path.join(tree, "small"))
    restic("backup", tree)
    restic("check", "--read-data")
    restic("restore", "latest", "--target", os.path.join(folder, "back"))
    for name in ("empty", "medium", "big"):
        assert filecmp.cmp(os.path.join(tree, name), os.path.join(folder, "back") + os.path.join(tree, name), shallow=False)
    restic("forget", "--keep-last", "1", "--prune")
    restic("check")
    assert len(restic("snapshots", "--json").split('"id"')) == 2
