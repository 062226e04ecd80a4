"""s3cmd: signs region US, V1 lists, ETags compared with MD5, copies with ACL afterwards."""
import filecmp
import os
import shutil
import subprocess
import tempfile

from harness import ACCESS, SECRET, Server, skip

if shutil.which("s3cmd") is None:
    skip("no s3cmd")
with Server(drives=1) as server, tempfile.TemporaryDirectory() as folder:
    host = server.endpoint.split("//")[1]

    def s3cmd(*arguments):
        command = ["s3cmd", "--no-ssl", f"--access_key={ACCESS}", f"--secret_key={SECRET}", f"--host={host}",
                   f"--host-bucket={host}", "-c", "/dev/null", *arguments]
        done = subprocess.run(command, capture_output=True, text=True, timeout=120)
        assert done.returncode == 0, (arguments, done.stdout, done.stderr)
        return done.stdout

    big = os.path.join(folder, "big")
    with open(big, "wb") as out:
        out.write(os.urandom(20 << 20))
    s3cmd("mb", "s3://cmd")
    s3cmd("put", big, "s3://cmd/a/big")
    s3cmd("get", "s3://cmd/a/big", os.path.join(folder, "back"))
    assert filecmp.cmp(big, os.path.join(folder, "back"), shallow=False)
    s3cmd("cp", "s3://cmd/a/big", "s3://cmd/b")
    s3cmd("mv", "s3://cmd/b", "s3://cmd/c")
    assert "s3://cmd/c" in s3cmd("ls", "s3://cmd")
    s3cmd("info", "s3://cmd/c")
    s3cmd("info", "s3://cmd")
    s3cmd("del", "--recursive", "--force", "s3://cmd")
    s3cmd("rb", "s3://cmd")
