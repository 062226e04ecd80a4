# timeout: 300
"""@aws-sdk/client-s3 with lib-storage and the presigner: clients/aws-sdk-js/main.mjs."""
import os
import shutil
import subprocess

from harness import ACCESS, ROOT, SECRET, Server, skip

if shutil.which("node") is None or shutil.which("npm") is None:
    skip("no Node.js")
source = os.path.join(ROOT, "tests", "e2e", "clients", "aws-sdk-js")
folder = os.path.join(ROOT, "build", "e2e-aws-sdk-js")
os.makedirs(folder, exist_ok=True)
for name in ("package.json", "main.mjs"):
    shutil.copyfile(os.path.join(source, name), os.path.join(folder, name))
if not os.path.isdir(os.path.join(folder, "node_modules", "@aws-sdk", "s3-request-presigner")):
    installed = subprocess.run(["npm", "install", "--no-audit", "--no-fund", "--silent"], cwd=folder, capture_output=True, text=True,
                               timeout=200)
    if installed.returncode != 0:
        skip("@aws-sdk/client-s3 could not be installed: " + (installed.stderr.strip() or "npm failed").splitlines()[-1])
with Server() as server:
    done = subprocess.run(["node", "main.mjs", server.endpoint, ACCESS, SECRET], cwd=folder, capture_output=True, text=True, timeout=170)
    assert done.returncode == 0, done.stdout + done.stderr
