"""How each kind of server is started, and stopped, for compare.py."""
import os
import pathlib
import shutil
import signal
import socket
import subprocess
import tempfile
import time

ACCESS, SECRET = "minioadmin", "minioadmin"
BYTES = {"KiB": 1024, "MiB": 1 << 20}
START_SECONDS_MAX = 60

DURABILITY = {
    "mote": "strict: acknowledged after fdatasync of the commit log on every drive",
    "minio": "default: O_DSYNC or O_DIRECT writes per drive, no directory sync",
    "versitygw": "default: no fsync",
    "floor": "stores nothing: ready-made replies, one thread; the kernel's share of a request",
}


def size_of(text):
    number = text.rstrip("KMiB")
    return int(number) * BYTES.get(text[len(number):], 1)


def can(kind, op):
    return kind != "floor" or op in ("get", "stat", "put")


def groups(kind, cases):
    """Cases that one start of the server can serve: the floor is told its object size."""
    if kind != "floor":
        return [cases]
    return [[case] for case in cases]


def describe(kind, binary):
    flag = {"floor": None, "mote": "version"}.get(kind, "--version")
    text = ""
    if flag:
        ran = subprocess.run([binary, flag], capture_output=True, text=True)
        text = (ran.stdout or ran.stderr).splitlines()[0]
    return {"version": text, "durability": DURABILITY.get(kind, "default")}


def command(kind, binary, port, drives, cases):
    address = f"127.0.0.1:{port}"
    if kind == "mote":
        return [binary, "server", *drives, "--address", address, "--admin-address", ""]
    if kind == "minio":
        return [binary, "server", *drives, "--address", address, "--console-address", f"127.0.0.1:{port + 1}", "--quiet"]
    if kind == "versitygw":
        return [binary, "--port", address, "--access", ACCESS, "--secret", SECRET, "posix", drives[0]]
    if kind == "floor":
        return [binary, str(port), str(size_of(cases[0][1]))]
    raise SystemExit(f"unknown kind of peer: {kind}")


class Server:
    """A started server on empty drives; stopped and its drives removed at the end of the block."""

    def __init__(self, kind, binary, port, folder, drives, cases):
        self.folder = tempfile.mkdtemp(prefix="compare-", dir=folder)
        paths = [f"{self.folder}/d{i + 1}" for i in range(drives)]
        for path in paths:
            os.mkdir(path)
        environment = dict(os.environ, MOTE_ACCESS_KEY=ACCESS, MOTE_SECRET_KEY=SECRET, MINIO_ROOT_USER=ACCESS,
                           MINIO_ROOT_PASSWORD=SECRET, MINIO_CI_CD="1")
        self.port = port
        self.log = pathlib.Path(self.folder, "log").open("wb")
        self.process = subprocess.Popen(command(kind, binary, port, paths, cases), env=environment, stdout=self.log,
                                        stderr=self.log)
        self.pid = self.process.pid

    def __enter__(self):
        until = time.time() + START_SECONDS_MAX
        while True:
            try:
                socket.create_connection(("127.0.0.1", self.port), 0.2).close()
                break
            except OSError:
                if self.process.poll() is not None or time.time() > until:
                    raise SystemExit("server did not start: " + pathlib.Path(self.folder, "log").read_text()[-2000:])
                time.sleep(0.01)
        time.sleep(1)
        return self

    def __exit__(self, *_):
        self.process.send_signal(signal.SIGTERM)
        try:
            self.process.wait(15)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()
        self.log.close()
        shutil.rmtree(self.folder, ignore_errors=True)
