# timeout: 600
"""Drives taken away under the running server: with up to m gone every read is right, with up to N-W gone every
write; what comes back or is replaced is healed."""
import itertools
import os
import random
import shutil
import subprocess

from harness import BINARY, Server, wait_until
from s3_raw import Raw

rng = random.Random(int(os.environ.get("MOTE_TEST_SEED", "1")))
KIB, MIB = 1024, 1024 * 1024


def sizes(k):
    borders = [0, 1, 4 * KIB * k, 64 * KIB * k, 128 * KIB, MIB, 2 * MIB]
    around = sorted({max(0, b + d) for b in borders for d in (-1, 0, 1)})
    return around + [rng.randrange(0, 300 * KIB) for _ in range(12)] + [5 * MIB + 17]


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


def layout(drives, m):
    k = drives - m
    w = max(k, m + 1)
    print(f"--- {k}+{m}", flush=True)
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
        for lost in losses[:3]:
            how = {i: rng.choice(["rename", "delete", "file"]) for i in lost}
            for i in lost:
                take_away(server.drives[i], how[i])
            wait_until(lambda: all(states(server)[i] == "offline" for i in lost), 5, f"{lost} noticed: {states(server)}")
            check_all(raw, bodies, f"without {lost}")
            new = {f"n{len(bodies) + j}": rng.randbytes(size) for j, size in enumerate((10, 40_000, 400_000, 3 * MIB))}
            for key, body in new.items():
                status, _, answer = raw.request("PUT", f"/bkt/{key}", body)
                if drives - len(lost) >= w:
                    assert status == 200, (lost, status, answer)
                    bodies[key] = body
                else:
                    assert status == 503, (lost, status, answer)
            victim = next(iter(bodies))
            if drives - len(lost) >= w:
                assert raw.request("DELETE", f"/bkt/{victim}")[0] == 204
                del bodies[victim]
                assert raw.request("GET", f"/bkt/{victim}")[0] == 404
            for i in lost:
                bring_back(server, server.drives[i], how[i])
            wait_until(lambda: states(server) == ["current"] * drives, 60, f"healed after {how}: {server.drive_states()}")
            check_all(raw, bodies, f"healed after {lost}")
            assert raw.request("GET", f"/bkt/{victim}")[0] in (200, 404) if victim in bodies else raw.request("GET", f"/bkt/{victim}")[0] == 404


for shape in ((3, 1), (4, 1)):
    layout(*shape)
