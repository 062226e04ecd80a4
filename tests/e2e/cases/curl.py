"""curl's own SigV4 with UNSIGNED-PAYLOAD."""
import shutil
import subprocess

from harness import ACCESS, SECRET, Server, skip

if shutil.which("curl") is None:
    skip("no curl")
with Server() as server:
    def curl(*arguments):
        command = ["curl", "-sS", "--max-time", "20", "--aws-sigv4", "aws:amz:us-east-1:s3", "-u", f"{ACCESS}:{SECRET}",
                   "-H", "x-amz-content-sha256:UNSIGNED-PAYLOAD", "-w", "\n%{http_code}", *arguments]
        done = subprocess.run(command, capture_output=True, text=True, timeout=60)
        assert done.returncode == 0, done.stderr
        body, status = done.stdout.rsplit("\n", 1)
        return int(status), body

    assert curl("-X", "PUT", server.endpoint + "/curled")[0] == 200
    assert curl("-X", "PUT", "-d", "hello", "-H", "Content-Type: text/plain", server.endpoint + "/curled/k")[0] == 200
    assert curl(server.endpoint + "/curled/k") == (200, "hello")
    status, body = curl(server.endpoint + "/curled/none")
    assert status == 404 and "<Code>NoSuchKey</Code>" in body
    assert curl("-X", "DELETE", server.endpoint + "/curled/k")[0] == 204
    plain = subprocess.run(["curl", "-sS", "-w", "\n%{http_code}", server.endpoint + "/curled/k"], capture_output=True, text=True, timeout=20)
    assert plain.stdout.endswith("403"), plain.stdout
