"""One run of warp against a server, with the server's CPU beside it, for compare.py."""
import datetime
import json
import os
import subprocess
import tempfile
import time

import peers

TICKS = os.sysconf("SC_CLK_TCK")
OBJECTS = {"delete": 3200, "list": 3200, "mixed": 1000}
DELETE_BATCH = 25
SAMPLE_SECONDS = 0.05


def cpu_seconds(pid):
    fields = open(f"/proc/{pid}/stat").read().rsplit(")", 1)[1].split()
    return (int(fields[11]) + int(fields[12])) / TICKS


def peak_mib(pid):
    return next(int(l.split()[1]) for l in open(f"/proc/{pid}/status") if l.startswith("VmHWM")) // 1024


def moment(text):
    return datetime.datetime.fromisoformat(text[:26].rstrip("Z").split("+")[0] + "+00:00").timestamp()


def check_bodies(bench, port):
    """Writes and reads objects and compares every byte."""
    for size in (1024, 100 << 10):
        ran = subprocess.run([bench, "--port", str(port), "--access-key", peers.ACCESS, "--secret-key", peers.SECRET,
                              "--bucket", f"check-{size}", "--object-bytes", str(size), "--objects", "64",
                              "--connections", "8", "--threads", "1", "--seconds", "1", "--warmup", "0"],
                             capture_output=True, text=True)
        if ran.returncode != 0:
            raise SystemExit(f"bodies are not what was written: {ran.stdout} {ran.stderr}")


def measure(args, pid, op, size):
    with tempfile.TemporaryDirectory() as folder:
        call = [args.warp, op, f"--host=127.0.0.1:{args.port}", f"--access-key={peers.ACCESS}",
                f"--secret-key={peers.SECRET}", f"--concurrent={args.concurrent}", f"--duration={args.seconds}s",
                "--autoterm=false", "--noclear", "--no-color", f"--benchdata={folder}/w", f"--bucket=warp-{op}-{size.lower()}"]
        call.append(f"--part.size={size}" if op.startswith("multipart") else f"--obj.size={size}")
        if op in ("get", "stat", "list", "delete", "mixed"):
            count = OBJECTS.get(op, 1000 if peers.size_of(size) <= 100 << 10 else 200)
            call.append(f"--objects={count}")
        if op == "delete":
            call.append(f"--batch={DELETE_BATCH}")
        run = subprocess.Popen(call, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, cwd=folder)
        samples = []
        while run.poll() is None:
            samples.append((time.time(), cpu_seconds(pid)))
            time.sleep(SAMPLE_SECONDS)
        output = run.stdout.read()
        data = [name for name in os.listdir(folder) if name.endswith(".zst")]
        if not data:
            raise SystemExit(f"warp {op}: {output[-800:]}")
        text = subprocess.run([args.warp, "analyze", "--json", "--no-color", f"{folder}/{data[0]}"], capture_output=True,
                              text=True).stdout
        total = json.loads(text[text.index("{"):])["total"]
    begin, end = moment(total["start_time"]), moment(total["end_time"])
    window = [s for s in samples if begin <= s[0] <= end]
    share = (window[-1][0] - window[0][0]) / (end - begin)
    return {"operations": total["total_requests"], "errors": total["total_errors"],
            "ops_per_second": round(total["total_requests"] / (end - begin), 1),
            "cpu_us_per_op": round((window[-1][1] - window[0][1]) / (total["total_requests"] * share) * 1e6, 1),
            "mib_per_second": round(total["total_bytes"] / (end - begin) / (1 << 20), 1), "peak_mib": peak_mib(pid)}
