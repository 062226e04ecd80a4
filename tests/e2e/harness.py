"""Starts mote as a user would and keeps the books of a test: the real binary, loopback, free ports, bounded
waits, nothing left running."""
import os
import shutil
import signal
import subprocess
import sys
import tempfile
import threading
import time
import urllib.request

import certificates

ROOT = os.path.abspath(os.path.join(os.path.dirname(__file__), "..", ".."))
BINARY = os.environ.get("MOTE_BIN", os.path.join(ROOT, "build", "release", "mote"))
ACCESS, SECRET = "e2e-access", "e2e-secret-key"
SKIP = 77


class Server:
    """One mote process. `drives` is a number of directories made for it, or 0 for --memory. With E2E_TLS in the
    environment it serves https and every client started afterwards trusts its CA."""

    def __init__(self, drives=0, parity=None, flags=(), env=None, root=None):
        self.root = root or tempfile.mkdtemp(prefix="mote-e2e-")
        self.owns_root = root is None
        self.drives = [os.path.join(self.root, f"d{i + 1}") for i in range(drives)]
        self.flags = list(flags)
        if parity is not None:
            self.flags += ["--parity", str(parity)]
        self.authority = None
        if os.environ.get("E2E_TLS"):
            self.authority = certificates.Authority(self.root)
            self.authority.trust()
            self.flags += ["--tls-cert", self.authority.certificate, "--tls-key", self.authority.key]
        self.env = dict(os.environ, MOTE_ACCESS_KEY=ACCESS, MOTE_SECRET_KEY=SECRET, **(env or {}))
        self.process = None
        self.endpoint = None
        self.admin = None
        self.log = os.path.join(self.root, "mote.log")

    def start(self, timeout=30, address="127.0.0.1:0"):
        for drive in self.drives:
            os.makedirs(drive, exist_ok=True)
        store = self.drives if self.drives else ["--memory"]
        command = [BINARY, "server", *store, "--address", address, "--admin-address", "127.0.0.1:0", *self.flags]
        self.stderr = open(self.log, "ab")
        self.process = subprocess.Popen(command, env=self.env, stdout=subprocess.PIPE, stderr=self.stderr, text=True)
        timer = threading.Timer(timeout, self.process.kill)
        timer.start()
        line = self.process.stdout.readline()
        timer.cancel()
        if not line.startswith("mote: listening on "):
            raise RuntimeError(f"server did not start: {line!r}\n{self.log_text()}")
        self.endpoint = line.split()[-1]
        for text in reversed(self.log_text().splitlines()):
            if "metrics and drive state on" in text:
                self.admin = text.split()[-1]
                break
        return self

    def log_text(self):
        with open(self.log, "rb") as log:
            return log.read().decode("utf-8", "replace")

    @property
    def port(self):
        return int(self.endpoint.rsplit(":", 1)[1])

    def kill(self):
        self.process.send_signal(signal.SIGKILL)
        self.process.wait(10)
        self.process.stdout.close()
        self.process = None

    def stop(self, timeout=40):
        if self.process is None:
            return 0
        self.process.send_signal(signal.SIGTERM)
        try:
            code = self.process.wait(timeout)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait(10)
            code = "timeout"
        self.process.stdout.close()
        self.process = None
        return code

    def get(self, url):
        with urllib.request.urlopen(url, timeout=10) as reply:
            return reply.read().decode()

    def metrics(self):
        values = {}
        for line in self.get(self.admin + "/metrics").splitlines():
            if line and not line.startswith("#"):
                name, value = line.rsplit(" ", 1)
                values[name] = float(value)
        return values

    def drive_states(self):
        import json
        return json.loads(self.get(self.admin + "/_mote/drives"))

    def __enter__(self):
        return self.start() if self.process is None else self

    def __exit__(self, kind, value, trace):
        failed = kind is not None and not (kind is SystemExit and value.code in (0, SKIP))
        code = self.stop()
        if failed:
            sys.stderr.write("--- server log\n" + self.log_text()[-8000:] + "\n")
        if self.owns_root:
            shutil.rmtree(self.root, ignore_errors=True)
        if not failed and code != 0:
            raise AssertionError(f"server ended with {code}\n{self.log_text()[-4000:]}" if not self.owns_root else
                                 f"server ended with {code}")


def wait_until(condition, seconds, what):
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        value = condition()
        if value:
            return value
        time.sleep(0.05)
    raise AssertionError(f"not within {seconds} s: {what}")


def skip(reason):
    print(f"skipped: {reason}")
    sys.exit(SKIP)
