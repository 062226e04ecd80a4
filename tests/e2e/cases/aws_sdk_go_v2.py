# timeout: 400
"""aws-sdk-go-v2 with its transfer manager: clients/aws-sdk-go-v2/main.go."""
import os
import shutil
import subprocess

from harness import ACCESS, ROOT, SECRET, Server, skip

if shutil.which("go") is None:
    skip("no Go toolchain")
source = os.path.join(ROOT, "tests", "e2e", "clients", "aws-sdk-go-v2")
binary = os.path.join(ROOT, "build", "e2e-aws-sdk-go-v2")
built = subprocess.run(["go", "build", "-o", binary, "."], cwd=source, capture_output=True, text=True, timeout=300)
if built.returncode != 0:
    skip("aws-sdk-go-v2 could not be built: " + built.stderr.strip().splitlines()[-1])
with Server() as server:
    done = subprocess.run([binary, server.endpoint, ACCESS, SECRET], capture_output=True, text=True, timeout=170)
    assert done.returncode == 0, done.stdout + done.stderr
