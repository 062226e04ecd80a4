# timeout: 400
"""aws-cli of Debian and, where PyPI's is installed, of today: cp, sync, mv, rm --recursive, 20 MiB."""
import filecmp
import os
import shutil
import subprocess
import tempfile

from harness import ACCESS, SECRET, Server, skip


def run(aws, server, *arguments):
    env = dict(os.environ, AWS_ACCESS_KEY_ID=ACCESS, AWS_SECRET_ACCESS_KEY=SECRET, AWS_DEFAULT_REGION="us-east-1")
    done = subprocess.run([*aws, "--endpoint-url", server.endpoint, *arguments], env=env, capture_output=True, text=True, timeout=120)
    assert done.returncode == 0, (arguments, done.stdout, done.stderr)
    return done.stdout


def exercise(aws):
    with Server(drives=2) as server, tempfile.TemporaryDirectory() as folder:
        tree = os.path.join(folder, "tree")
        os.makedirs(os.path.join(tree, "sub"))
        for name, size in (("empty", 0), ("small", 100), ("sub/medium", 200_000), ("big", 20 << 20)):
            with open(os.path.join(tree, name), "wb") as out:
                out.write(os.urandom(size))
        run(aws, server, "s3", "mb", "s3://cli")
        run(aws, server, "s3", "cp", os.path.join(tree, "big"), "s3://cli/one/big")
        run(aws, server, "s3", "cp", "s3://cli/one/big", os.path.join(folder, "back"))
        assert filecmp.cmp(os.path.join(tree, "big"), os.path.join(folder, "back"), shallow=False)
        run(aws, server, "s3", "sync", tree, "s3://cli/tree")
        assert run(aws, server, "s3", "sync", tree, "s3://cli/tree").strip() == ""
        run(aws, server, "s3", "mv", "s3://cli/tree/small", "s3://cli/moved")
        listing = run(aws, server, "s3", "ls", "--recursive", "s3://cli")
        assert "moved" in listing and "tree/small" not in listing, listing
        run(aws, server, "s3", "sync", "s3://cli/tree", os.path.join(folder, "copy"))
        assert filecmp.cmp(os.path.join(tree, "sub/medium"), os.path.join(folder, "copy/sub/medium"), shallow=False)
        run(aws, server, "s3", "rm", "--recursive", "s3://cli")
        run(aws, server, "s3", "rb", "s3://cli")


clients = [path for path in ("/usr/bin/aws", os.path.join(os.environ.get("E2E_VENV", ""), "bin", "aws")) if os.path.exists(path)]
if not clients:
    skip("no aws-cli")
for path in clients:
    exercise([path])
    print("done:", path)
