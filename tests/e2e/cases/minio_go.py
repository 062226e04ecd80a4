# timeout: 400
"""minio-go v7, the library under warp: clients/minio-go/main.go against four drives."""
import os
import shutil
import subprocess

from harness import ACCESS, ROOT, SECRET, Server, skip

if shutil.which("go") is None:
    skip("no Go toolchain")
source = os.path.join(ROOT, "tests", "e2e", "clients", "minio-go")
binary = os.path.join(ROOT, "build", "e2e-minio-go")
built = subprocess.run(["go", "build", "-o", binary, "."], cwd=source, capture_output=True, text=True, timeout=300)
if built.returncode != 0:
    skip("minio-go could not be built: " + built.stderr.strip().splitlines()[-1])
with Server(drives=4) as server:
    done = subprocess.run([binary, server.endpoint, ACCESS, SECRET], capture_output=True, text=True, timeout=200)
    assert done.returncode == 0, done.stdout + done.stderr
