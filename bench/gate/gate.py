#!/usr/bin/env python3
"""Performance gate without a clock: what one cached, signed GET of 1 KiB costs the I/O thread.

Counts, of the program bench/gate/cached_get.cc and per request:
  instructions  by callgrind, in user space, without SHA extensions (valgrind has none), so that the
                figure is the same on a busy machine and on another processor with AVX2
  allocations   of all threads but the client's
  syscalls      by strace, of the I/O thread

and compares with bench/gate/recorded.json: instructions may differ by a tenth either way (a gain is
to be recorded too), allocations and system calls may not rise. Exit 0, or 1 with what moved.

  gate.py PATH-TO-mote-gate [--record]
"""
import json
import pathlib
import re
import subprocess
import sys
import tempfile

RECORDED = pathlib.Path(__file__).with_name("recorded.json")
FEW, MANY = 200, 1200
WARM_UP = 65  # requests that cached_get.cc makes before it counts
TOLERANCE = 0.10
# Asio looks whether the next request is there already before it waits in epoll: one receive brings the
# request, and up to one more finds nothing, depending on how fast the client is.
RECEIVES_MAX = 2.0


def instructions(program: str, requests: int) -> int:
    """Instructions of the thread that executed most of them beside the main one: the I/O thread."""
    with tempfile.TemporaryDirectory() as folder:
        out = f"{folder}/out"
        subprocess.run(["valgrind", "--tool=callgrind", "--separate-threads=yes", f"--callgrind-out-file={out}",
                        program, str(requests)], check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        totals = []
        for path in sorted(pathlib.Path(folder).glob("out-*")):
            if path.name != "out-01":
                found = re.search(r"^(?:totals|summary): (\d+)", path.read_text(), re.M)
                totals.append(int(found.group(1)) if found else 0)
        return max(totals)


def system_calls(program: str) -> dict:
    """Calls of the I/O thread per request, by name."""
    with tempfile.TemporaryDirectory() as folder:
        subprocess.run(["strace", "-ff", "-o", f"{folder}/calls", program, str(MANY)], check=True,
                       stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        for path in pathlib.Path(folder).iterdir():
            text = path.read_text()
            if "epoll_wait" in text and text.count("sendmsg(") > MANY:
                counts = {}
                for name in re.findall(r"^(\w+)\(", text, re.M):
                    counts[name] = counts.get(name, 0) + 1
                return {name: round(count / (MANY + WARM_UP), 1) for name, count in sorted(counts.items()) if count > MANY / 2}
    raise SystemExit("gate: no thread answered the requests")


def measure(program: str) -> dict:
    ran = subprocess.run([program, str(MANY)], check=True, capture_output=True, text=True)
    return {"instructions": (instructions(program, MANY) - instructions(program, FEW)) // (MANY - FEW),
            "allocations": round(json.loads(ran.stdout)["allocations"] / MANY, 2),
            "syscalls": system_calls(program)}


def judge(now: dict, recorded: dict) -> list:
    wrong = []
    low, high = (recorded["instructions"] * f for f in (1 - TOLERANCE, 1 + TOLERANCE))
    if not low <= now["instructions"] <= high:
        wrong.append(f"instructions {now['instructions']}, recorded {recorded['instructions']}")
    if now["allocations"] > recorded["allocations"]:
        wrong.append(f"allocations {now['allocations']}, recorded {recorded['allocations']}")
    most = {**recorded["syscalls"], "recvfrom": RECEIVES_MAX}
    if any(count > most.get(name, 0) + 0.1 for name, count in now["syscalls"].items()):
        wrong.append(f"system calls {now['syscalls']}, recorded {recorded['syscalls']}")
    return wrong


def main() -> int:
    now = measure(sys.argv[1])
    print(json.dumps(now))
    if "--record" in sys.argv:
        RECORDED.write_text(json.dumps(now, indent=2) + "\n")
        return 0
    wrong = judge(now, json.loads(RECORDED.read_text()))
    for line in wrong:
        print(f"gate: a cached GET costs: {line}")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
