# timeout: 600
"""kill -9 in mid-load. A ledger outside the server holds what was acknowledged; after each restart every key has
its last acknowledged value or one that was in flight, whole, and stays so. MOTE_KILLS sets the number."""
import hashlib
import http.client
import os
import random
import threading
import time

from harness import Server
from s3_raw import Raw

KILLS = int(os.environ.get("MOTE_KILLS", "50"))
SEED = int(os.environ.get("MOTE_TEST_SEED", "1"))
WRITERS, KEYS = 8, 6
SIZES = [0, 10, 3000, 17_000, 70_000, 200_000, 1_500_000]


def body_of(writer, number, size):
    """Self-describing: any mixture of two bodies shows."""
    block = f"{writer}:{number}:{size};".encode()
    return (block * (size // len(block) + 1))[:size]


class Writer(threading.Thread):
    """Owns its keys. acked[key] = (number, size) or None; doubt[key] = values sent but not answered."""

    def __init__(self, index, rng):
        super().__init__()
        self.index, self.rng = index, rng
        self.acked = {f"w{index}/k{i}": None for i in range(KEYS)}
        self.doubt = {key: [] for key in self.acked}
        self.number = 0
        self.endpoint = None
        self.stopping = False
        self.writes = 0

    def once(self, raw):
        key = self.rng.choice(list(self.acked))
        if self.rng.random() < 0.2:
            value, act = None, lambda: raw.request("DELETE", f"/bkt/{key}")
        else:
            self.number += 1
            value = (self.number, self.rng.choice(SIZES))
            act = lambda: raw.request("PUT", f"/bkt/{key}", body_of(self.index, *value))
        self.doubt[key].append(value)
        status, _, answer = act()
        if status in (200, 204):
            self.acked[key], self.doubt[key] = value, []
            self.writes += 1
        else:
            assert status == 503, (status, answer)

    def run(self):
        raw = Raw(self.endpoint)
        while not self.stopping:
            try:
                self.once(raw)
            except (OSError, http.client.HTTPException):
                return  # killed under us: the last value stays in doubt
        raw.close()


def verify(endpoint, writers):
    raw = Raw(endpoint)
    for writer in writers:
        for key, acked in writer.acked.items():
            possible = [acked] + writer.doubt[key]
            status, headers, data = raw.request("GET", f"/bkt/{key}")
            again, _, data_again = raw.request("GET", f"/bkt/{key}")
            assert status == again and (status != 200 or data == data_again), f"{key} is not stable"
            if status == 404:
                assert None in possible, f"{key} is lost: acknowledged {acked}"
                found = None
            else:
                assert status == 200, (key, status, data)
                found = next((v for v in possible if v is not None and body_of(writer.index, *v) == data), "nothing")
                assert found != "nothing", f"{key}: {len(data)} bytes are none of {possible}: {data[:60]}"
                assert headers["ETag"] == f'"{hashlib.md5(data).hexdigest()}"'
            writer.acked[key], writer.doubt[key] = found, []


def storm(drives, parity, kills, seed):
    rng = random.Random(seed)
    with Server(drives=drives, parity=parity) as server:
        assert Raw(server.endpoint).request("PUT", "/bkt")[0] == 200
        writers = [Writer(i, random.Random(rng.random())) for i in range(WRITERS)]
        slowest = 0.0
        total = 0
        for kill in range(kills):
            fresh = [Writer(i, random.Random(rng.random())) for i in range(WRITERS)]
            for old, new in zip(writers, fresh):
                new.acked, new.doubt, new.number, new.endpoint = old.acked, old.doubt, old.number, server.endpoint
                new.start()
            writers = fresh
            time.sleep(rng.uniform(0.02, 0.7))
            server.kill()
            for writer in writers:
                writer.stopping = True
                writer.join(60)
            total += sum(w.writes for w in writers)
            began = time.monotonic()
            server.start()
            slowest = max(slowest, time.monotonic() - began)
            verify(server.endpoint, writers)
        assert slowest <= 2.0, f"ready only after {slowest:.2f} s"
        print(f"{drives} drives: {kills} kills, {total} acknowledged writes, slowest start {slowest:.2f} s", flush=True)


storm(1, None, KILLS // 5, SEED)
storm(2, 1, KILLS // 5, SEED + 1)
storm(4, 2, KILLS - 2 * (KILLS // 5), SEED + 2)
