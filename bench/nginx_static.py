#!/usr/bin/env python3
"""Signed cached GETs of mote beside nginx serving the same bytes as static files, unsigned.

  bench/nginx_static.py --mote build/release/mote [--rounds 5] [--seconds 4]

1,000 objects of 1 KiB; mote in memory mode with one I/O thread, every request with its own SigV4 signature; nginx with
one worker, sendfile and open_file_cache. wrk with one thread and 32 connections asks both in turns. Needs nginx and wrk
(Debian packages). Writes results/DATE-nginx-static.{json,md}.
"""
import argparse
import datetime
import hashlib
import hmac
import json
import os
import pathlib
import platform
import re
import statistics
import subprocess
import tempfile
import time
import urllib.request

ACCESS, SECRET, REGION = "benchkey", "bench-secret", "us-east-1"
OBJECTS, BYTES = 1000, 1024
EMPTY = hashlib.sha256(b"").hexdigest()
TICKS = os.sysconf("SC_CLK_TCK")


def signed_headers(method, host, path, body=b""):
    now = datetime.datetime.now(datetime.timezone.utc)
    stamp, day = now.strftime("%Y%m%dT%H%M%SZ"), now.strftime("%Y%m%d")
    digest = hashlib.sha256(body).hexdigest()
    canonical = "\n".join((method, path, "", f"host:{host}", f"x-amz-content-sha256:{digest}", f"x-amz-date:{stamp}", "",
                           "host;x-amz-content-sha256;x-amz-date", digest))
    scope = f"{day}/{REGION}/s3/aws4_request"
    text = f"AWS4-HMAC-SHA256\n{stamp}\n{scope}\n{hashlib.sha256(canonical.encode()).hexdigest()}"
    key = ("AWS4" + SECRET).encode()
    for part in (day, REGION, "s3", "aws4_request"):
        key = hmac.new(key, part.encode(), hashlib.sha256).digest()
    signature = hmac.new(key, text.encode(), hashlib.sha256).hexdigest()
    return {"x-amz-date": stamp, "x-amz-content-sha256": digest, "Authorization":
            f"AWS4-HMAC-SHA256 Credential={ACCESS}/{scope}, SignedHeaders=host;x-amz-content-sha256;x-amz-date, Signature={signature}"}


def lua(requests):
    quoted = ",\n".join("{" + f'"{path}", {{' + ", ".join(f'["{k}"]="{v}"' for k, v in headers.items()) + "}}" for path, headers in requests)
    return ("local all = {\n" + quoted + "\n}\nlocal ready, at = {}, 0\n"
            "init = function() for i, r in ipairs(all) do ready[i] = wrk.format('GET', r[1], r[2]) end end\n"
            "request = function() at = at % #ready + 1; return ready[at] end\n"
            "done = function(s) io.write('ERRORS ' .. s.errors.status + s.errors.read + s.errors.connect + s.errors.timeout .. '\\n') end\n")


def cpu_seconds(pid):
    fields = open(f"/proc/{pid}/stat").read().rsplit(")", 1)[1].split()
    return (int(fields[11]) + int(fields[12])) / TICKS


def load(port, script, pid, seconds):
    before = cpu_seconds(pid)
    out = subprocess.run(["wrk", "-t1", "-c32", f"-d{seconds}s", "-s", script, f"http://127.0.0.1:{port}"], check=True,
                         capture_output=True, text=True).stdout
    requests = int(re.search(r"(\d+) requests in", out).group(1))
    if int(re.search(r"ERRORS (\d+)", out).group(1)):
        raise SystemExit(f"errors: {out}")
    return {"per_second": float(re.search(r"Requests/sec:\s+([\d.]+)", out).group(1)),
            "cpu_us": round((cpu_seconds(pid) - before) / requests * 1e6, 2), "load": round(os.getloadavg()[0], 1)}


def start_nginx(folder, port):
    conf = pathlib.Path(folder, "nginx.conf")
    conf.write_text(f"""daemon off; worker_processes 1; pid {folder}/pid; error_log {folder}/error.log;
events {{ worker_connections 1024; }}
http {{ access_log off; sendfile on; tcp_nopush on; tcp_nodelay on; keepalive_requests 100000000; default_type application/octet-stream;
client_body_temp_path {folder}/t1; proxy_temp_path {folder}/t2; fastcgi_temp_path {folder}/t3; uwsgi_temp_path {folder}/t4; scgi_temp_path {folder}/t5;
open_file_cache max=10000 inactive=600s; open_file_cache_valid 600s;
server {{ listen 127.0.0.1:{port}; root {folder}/www; }} }}""")
    master = subprocess.Popen(["nginx", "-c", str(conf), "-p", folder], stderr=subprocess.DEVNULL)
    time.sleep(1)
    worker = int(open(f"/proc/{master.pid}/task/{master.pid}/children").read().split()[0])
    return master, worker


def main():
    p = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    p.add_argument("--mote", required=True)
    p.add_argument("--rounds", type=int, default=5)
    p.add_argument("--seconds", type=int, default=4)
    p.add_argument("--port", type=int, default=23000)
    p.add_argument("--out", default=str(pathlib.Path(__file__).parent / "results"))
    args = p.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        os.chmod(folder, 0o755)
        os.makedirs(f"{folder}/www/bucket", mode=0o755)
        mote = subprocess.Popen([args.mote, "server", "--memory", "--threads", "1", "--buckets", "bucket", "--address", f"127.0.0.1:{args.port}",
                                 "--admin-address", ""], env=dict(os.environ, MOTE_ACCESS_KEY=ACCESS, MOTE_SECRET_KEY=SECRET),
                                stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        nginx, worker = start_nginx(folder, args.port + 1)
        try:
            host, requests = f"127.0.0.1:{args.port}", []
            for i in range(OBJECTS):
                path, body = f"/bucket/object-{i:04}", os.urandom(BYTES)
                pathlib.Path(folder, "www", path[1:]).write_bytes(body)
                urllib.request.urlopen(urllib.request.Request(f"http://{host}{path}", body, signed_headers("PUT", host, path, body), method="PUT")).read()
                got = urllib.request.urlopen(urllib.request.Request(f"http://{host}{path}", headers=signed_headers("GET", host, path))).read()
                if got != body:
                    raise SystemExit("mote: wrong body")
                requests.append((path, signed_headers("GET", host, path)))
            scripts = {"mote": f"{folder}/mote.lua", "nginx": f"{folder}/nginx.lua"}
            pathlib.Path(scripts["mote"]).write_text(lua(requests))
            pathlib.Path(scripts["nginx"]).write_text(lua([(path, {}) for path, _ in requests]))
            runs = {"mote": [], "nginx": []}
            for number in range(args.rounds):
                for name in (("mote", "nginx"), ("nginx", "mote"))[number % 2]:
                    port, pid = (args.port, mote.pid) if name == "mote" else (args.port + 1, worker)
                    runs[name].append(load(port, scripts[name], pid, args.seconds))
        finally:
            nginx.terminate()
            mote.terminate()
            nginx.wait()
            mote.wait()
    median = {n: {k: statistics.median(r[k] for r in rows) for k in ("per_second", "cpu_us")} for n, rows in runs.items()}
    loads = [r["load"] for rows in runs.values() for r in rows]
    version = subprocess.run(["nginx", "-v"], capture_output=True, text=True).stderr.strip()
    spread = {n: {k: (min(r[k] for r in rows), max(r[k] for r in rows)) for k in ("per_second", "cpu_us")} for n, rows in runs.items()}
    base = pathlib.Path(args.out) / f"{datetime.date.today()}-nginx-static"
    base.with_suffix(".json").write_text(json.dumps({"median": median, "runs": runs, "load": [min(loads), max(loads)]}, indent=1) + "\n")
    lines = ["# Signed cached GET of 1 KiB beside nginx", "", "| server | requests/s | CPU, µs/request |", "|---|---|---|"]
    for name in ("mote", "nginx"):
        s = spread[name]
        lines.append(f"| {name} | {median[name]['per_second']:,.0f} ({s['per_second'][0]:,.0f}-{s['per_second'][1]:,.0f}) | "
                     f"{median[name]['cpu_us']:.1f} ({s['cpu_us'][0]:.1f}-{s['cpu_us'][1]:.1f}) |")
    lines += ["", f"mote / nginx: requests per second {median['mote']['per_second'] / median['nginx']['per_second']:.2f}, requests per CPU second "
              f"{median['nginx']['cpu_us'] / median['mote']['cpu_us']:.2f}.", "",
              f"Conditions: {args.rounds} rounds of {args.seconds} s, alternating; {os.cpu_count()} cores, kernel {platform.release()}; {version}, one worker, "
              f"open_file_cache; mote in memory mode, one I/O thread, every request signed and verified; {OBJECTS} objects of {BYTES} random bytes; wrk, one thread, "
              f"32 connections, on the same machine; load average {min(loads)}-{max(loads)}; no errors. `bench/nginx_static.py --mote build/release/mote`", ""]
    base.with_suffix(".md").write_text("\n".join(lines))
    print("\n".join(lines))


if __name__ == "__main__":
    main()
