# timeout: 900
"""Drives taken away under the running server, without a cache: with up to m gone every read is right, with up to
N-W gone every write; beyond that 503, never 404. What comes back or is replaced is healed, and then carries its
share: others may go. MOTE_E2E_OBJECTS=300 MOTE_E2E_LOSSES=20 is the long run (tests/e2e/README.md)."""
import itertools
import os
import random
import shutil
import subprocess
import time

from harness import BINARY, Server, wait_until
from s3_raw import Raw

rng = random.Random(int(os.environ.get("MOTE_TEST_SEED", "1")))
KIB, MIB = 1024, 1024 * 1024


OBJECTS = int(os.environ.get("MOTE_E2E_OBJECTS", "40"))
LOSSES = int(os.environ.get("MOTE_E2E_LOSSES", "2"))


def sizes(k):
    borders = [0, 1, 4 * KIB * k, 64 * KIB * k, 128 * KIB, MIB, 2 * MIB]
    around = sorted({max(0, b + d) for b in borders for d in (-1, 0, 1)}) + [5 * MIB + 17]
    if OBJECTS >= 100:
        around.append(20 * MIB)
    return around + [rng.randrange(0, 300 * KIB) for _ in range(OBJECTS - len(around))]


def check_all(raw, bodies, when):
    for key, body in bodies.items():
        status, _, data = raw.request("GET", f"/bkt/{key}")
        assert status == 200 and data == body, (when, key, status, len(data), len(body), data[:100])


def take_away(drive, how):
    if how == "rename":
        os.rename(drive, drive + ".away")
    elif how == "delete":
        shutil.rmtree(drive)
    else:
        os.rename(drive, drive + ".away")
        open(drive, "w").close()


def states(server):
    return [d["state"] for d in sorted(server.drive_states()["drives"], key=lambda d: d["path"])]


def bring_back(server, drive, how):
    if how == "file":
        os.unlink(drive)
    if how in ("rename", "file"):
        os.rename(drive + ".away", drive)
    else:
        os.makedirs(drive)
        done = subprocess.run([BINARY, "drives", "--admin", server.admin, "replace", drive], capture_output=True, text=True, timeout=30)
        assert done.returncode == 0, done.stderr


def lose(server, raw, bodies, lost, m):
    """Up to m drives go and come back."""
    drives = len(server.drives)
    writable = drives - len(lost) >= max(drives - m, m + 1)
    how = {i: rng.choice(["rename", "delete", "file"]) for i in lost}
    for i in lost:
        take_away(server.drives[i], how[i])
    wait_until(lambda: all(states(server)[i] == "offline" for i in lost), 10, f"{lost} noticed: {states(server)}")
    check_all(raw, bodies, f"without {lost}")
    for j, size in enumerate((10, 40_000, 400_000, 3 * MIB)):
        key, body = f"n{len(bodies) + j}", rng.randbytes(size)
        status, _, answer = raw.request("PUT", f"/bkt/{key}", body)
        assert status == (200 if writable else 503), (lost, status, answer)
        if writable:
            bodies[key] = body
    victim = next(iter(bodies))
    if writable:
        assert raw.request("DELETE", f"/bkt/{victim}")[0] == 204
        del bodies[victim]
    for i in lost:
        bring_back(server, server.drives[i], how[i])
    wait_until(lambda: states(server) == ["current"] * drives, 90, f"healed after {how}: {server.drive_states()}")
    wait_until(lambda: raw.request("PUT", "/bkt/again", b"x")[0] == 200, 10, "written again")
    bodies["again"] = b"x"
    check_all(raw, bodies, f"healed after {lost}")
    if writable:
        assert raw.request("GET", f"/bkt/{victim}")[0] == 404


def lose_too_many(server, raw, bodies, m):
    """m + 1 go: nothing that needs k drives is answered, nothing is said to be absent; they come back."""
    drives = len(server.drives)
    lost = rng.sample(range(drives), m + 1)
    for i in lost:
        take_away(server.drives[i], "rename")
    wait_until(lambda: all(states(server)[i] == "offline" for i in lost), 10, f"{lost} noticed: {states(server)}")
    for key, body in bodies.items():
        status, _, data = raw.request("GET", f"/bkt/{key}")
        assert status == 503 or (status == 200 and data == body == b""), (lost, key, status, len(body))
    assert raw.request("PUT", "/bkt/not-now", b"x")[0] == 503
    for i in lost:
        bring_back(server, server.drives[i], "rename")
    wait_until(lambda: states(server) == ["current"] * drives, 90, f"back after {lost}: {server.drive_states()}")
    wait_until(lambda: raw.request("PUT", "/bkt/again", b"y")[0] == 200, 10, "written again")
    bodies["again"] = b"y"
    check_all(raw, bodies, f"back after {lost}")


def layout(k, m):
    drives = k + m
    begun = time.monotonic()
    with Server(drives=drives, parity=m, flags=["--cache-bytes", "0"]) as server:
        raw = Raw(server.endpoint)
        assert raw.request("PUT", "/bkt")[0] == 200
        bodies = {}
        for i, size in enumerate(sizes(k)):
            bodies[f"k{i}"] = rng.randbytes(size)
            assert raw.request("PUT", f"/bkt/k{i}", bodies[f"k{i}"])[0] == 200
        check_all(raw, bodies, "healthy")
        losses = [set(c) for n in range(1, m + 1) for c in itertools.combinations(range(drives), n)]
        rng.shuffle(losses)
        losses = sorted(losses[:LOSSES], key=len)
        for lost in losses:
            lose(server, raw, bodies, lost, m)
        lose_too_many(server, raw, bodies, m)
        print(f"{k}+{m}: {len(bodies)} objects, lost {losses} and {m + 1}, {time.monotonic() - begun:.0f} s", flush=True)


for shape in ((1, 0), (1, 1), (2, 1), (2, 2), (3, 3), (4, 2)):
    layout(*shape)
