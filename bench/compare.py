#!/usr/bin/env python3
"""Measures S3 servers side by side under warp: the same load, alternating order, several rounds.

  bench/compare.py --warp WARP --peer mote=build/release/mote --peer minio=MINIO [--peer floor=build/release/mote-floor]
                   --topic small-objects [--cases get:1KiB,get:4KiB,put:1KiB] [--rounds 3]

A peer is KIND=BINARY; the kinds and how each is started are in peers.py. Every round starts every server
anew on empty directories, and the order turns from round to round. Before a server is measured, mote-bench reads
objects back and compares every byte; a server that fails this, or any request of a run, fails the comparison.

Reported per case: medians over the rounds with the spread (lowest to highest) of operations per second, of the
server's own CPU per operation (user and system time of the process, from /proc/PID/stat) and of the peak resident
memory, and the ratio to the first peer. CPU per operation is the figure that holds on a shared machine; the load average
beside each run says how far to trust the others. Writes results/DATE-TOPIC.{json,md,svg}.
"""
import argparse
import datetime
import json
import os
import pathlib
import platform
import statistics
import sys

import peers
import report
import warp_run

HERE = pathlib.Path(__file__).parent
DEFAULT_CASES = ("get:1KiB,get:4KiB,get:10KiB,get:100KiB,get:1MiB,stat:1KiB,put:1KiB,put:100KiB,"
                 "delete:1KiB,list:1KiB,mixed:4KiB,multipart-put:8MiB")


def arguments():
    p = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    p.add_argument("--warp", required=True)
    p.add_argument("--bench", default=str(HERE.parent / "build/release/mote-bench"), help="mote-bench, for checking bodies")
    p.add_argument("--peer", action="append", required=True, metavar="KIND=BINARY")
    p.add_argument("--topic", required=True)
    p.add_argument("--cases", default=DEFAULT_CASES, help="OP:SIZE,...")
    p.add_argument("--rounds", type=int, default=3)
    p.add_argument("--seconds", type=int, default=5)
    p.add_argument("--concurrent", type=int, default=32)
    p.add_argument("--drives", type=int, default=4)
    p.add_argument("--port", type=int, default=22000)
    p.add_argument("--folder", default="/tmp", help="where the drives are made")
    p.add_argument("--out", default=str(HERE / "results"))
    return p.parse_args()


def conditions(args):
    memory = next(int(l.split()[1]) for l in open("/proc/meminfo") if l.startswith("MemTotal"))
    model = next((l.split(":")[1].strip() for l in open("/proc/cpuinfo") if l.startswith("model name")), "?")
    mounts = [l.split()[:3] for l in open("/proc/mounts")]
    mount = max((m for m in mounts if os.path.realpath(args.folder).startswith(m[1])), key=lambda m: len(m[1]))
    return {"date": datetime.datetime.now(datetime.timezone.utc).isoformat(timespec="seconds"), "cpu": model,
            "cores": os.cpu_count(), "memory_mib": memory // 1024, "kernel": platform.release(),
            "file_system": mount[2], "drives": f"{args.drives} directories on one device", "concurrent": args.concurrent,
            "seconds": args.seconds, "rounds": args.rounds, "data": "incompressible (warp's default)",
            "client": "warp, on the same machine"}


def one_round(args, names, number, rows):
    for kind, binary in names:
        cases = [case.split(":") for case in args.cases.split(",") if peers.can(kind, case.split(":")[0])]
        for group in peers.groups(kind, cases):
            with peers.Server(kind, binary, args.port, args.folder, args.drives, group) as server:
                if kind != "floor":
                    warp_run.check_bodies(args.bench, args.port)
                for op, size in group:
                    row = warp_run.measure(args, server.pid, op, size)
                    row.update(peer=kind, round=number, op=op, size=size, load=round(os.getloadavg()[0], 1))
                    if row["errors"]:
                        raise SystemExit(f"{kind}: {row['errors']} errors in {op} {size}")
                    print(json.dumps(row), flush=True)
                    rows.append(row)


def summarise(rows):
    table = {}
    for row in rows:
        table.setdefault((row["op"], row["size"]), {}).setdefault(row["peer"], []).append(row)
    out = []
    for (op, size), by_peer in table.items():
        entry = {"op": op, "size": size, "peers": {}}
        for peer, runs in by_peer.items():
            entry["peers"][peer] = {
                key: {"median": statistics.median(r[key] for r in runs), "low": min(r[key] for r in runs),
                      "high": max(r[key] for r in runs)} for key in ("ops_per_second", "cpu_us_per_op", "peak_mib")}
        out.append(entry)
    return out


def main():
    args = arguments()
    names = [tuple(p.split("=", 1)) for p in args.peer]
    rows = []
    for number in range(args.rounds):
        turned = names[number % len(names):] + names[:number % len(names)]
        one_round(args, turned, number + 1, rows)
    result = {"topic": args.topic, "conditions": conditions(args), "command": " ".join(
        ["bench/compare.py"] + [pathlib.Path(a).name if a.startswith("/") else a for a in sys.argv[1:]]),
        "peers": {kind: peers.describe(kind, binary) for kind, binary in names}, "summary": summarise(rows), "runs": rows}
    base = pathlib.Path(args.out) / f"{datetime.date.today()}-{args.topic}"
    base.parent.mkdir(parents=True, exist_ok=True)
    base.with_suffix(".json").write_text(json.dumps(result, indent=1) + "\n")
    base.with_suffix(".md").write_text(report.markdown(result, base.name))
    report.plot(result, str(base.with_suffix(".svg")))
    print(base.with_suffix(".md"))


if __name__ == "__main__":
    main()
