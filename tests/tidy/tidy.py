#!/usr/bin/env python3
"""Rules of the tree that no compiler checks: the include matrix, sizes, banned tokens, cited invariants,
links in documents. Each finding says what to do instead. Exit 1 if there is any."""
import os
import re
import subprocess
import sys

# Layer -> layers it may include from (itself always). ARCHITECTURE.md draws the same picture.
LAYERS = {
    "erasure/base": [],
    "erasure/io": ["erasure/base"],
    "erasure/codec": ["erasure/base"],
    "erasure/meta": ["erasure/base", "erasure/codec"],
    "erasure/log": ["erasure/base", "erasure/io", "erasure/meta"],
    "erasure/drive": ["erasure/base", "erasure/io", "erasure/meta", "erasure/codec", "erasure/log"],
    "erasure/set": ["erasure/base", "erasure/io", "erasure/meta", "erasure/codec", "erasure/log", "erasure/drive",
                    "erasure/store.h"],
    "erasure/heal": ["erasure/base", "erasure/io", "erasure/meta", "erasure/codec", "erasure/log", "erasure/drive",
                     "erasure/set", "erasure/store.h"],
    "erasure/memory": ["erasure/base", "erasure/meta", "erasure/store.h"],
    "erasure": ["erasure/base", "erasure/io", "erasure/meta", "erasure/codec", "erasure/log", "erasure/drive",
                "erasure/set", "erasure/heal"],
    "metacache": ["erasure/base", "erasure/meta", "erasure/store.h"],
    "server/http": ["erasure/base"],
    "server/digest": ["erasure/base"],
    "server/async": ["erasure/base", "server/http"],
    "server/auth": ["erasure/base", "server/http", "server/digest"],
    "server/s3/xml": ["erasure/base", "server/http"],
    "server/s3": ["erasure/base", "erasure/meta", "erasure/store.h", "metacache", "server/http", "server/digest",
                  "server/auth", "server/async", "server/s3/xml"],
    "server/s3/handlers": ["erasure/base", "erasure/meta", "erasure/store.h", "metacache", "server/http",
                           "server/digest", "server/auth", "server/async", "server/s3/xml", "server/s3"],
    "server/admin": ["erasure/base", "server/http", "server/async"],
    "server/net": ["erasure/base", "server/http", "server/async"],
    "server/embed": ["*"],
    "server/cli": ["erasure/base", "server/http", "server/embed"],
    "server/include": [],
}
# Third-party headers that only these files may see.
ONLY_IN = {
    r"<boost/beast": r"^server/net/(request_parser|boost_src)\.cc$",
    r"<boost/asio": r"^(server/(async|net)/|tests/|bench/)",
    r"<isa-l": r"^(erasure/codec/rs_codec|server/digest/crc\w*)\.cc$",
    r"<rocksdb/": r"^(erasure/drive/(index_rocksdb\w*|rocks_\w+)\.(cc|h)|tests/)",
    r"<openssl/": r"^(server/(digest|auth)/\w+\.(cc|h)|server/net/tls_\w+\.(cc|h)|server/cli/http_get\.cc|tests/|bench/)",
    r"<pugixml": r"^server/s3/xml/\w+\.cc$",
}
BANNED = [
    (r"\bstd::cout\b", "use the log or std::printf in server/cli"),
    (r"\brand\(\)", "use Rng"),
    (r"\busing namespace std\b", "name what you use"),
    (r"\bstd::this_thread::sleep_for\b", "use a timer of the Scheduler; SimClock in tests"),
    (r"\](\s*\([^)]*\))?\s*(mutable\s*)?->\s*Async<", "coroutines are named functions (GCC 12 frees captures twice)"),
    (r"\bsystem_clock::now\b", "use Clock"),
    (r"\bTODO\b(?!\(#\d+\))", "a TODO carries an issue number"),
]
ALLOWED = {
    (r"\bstd::this_thread::sleep_for\b", "server/net/front_end.cc"),
    (r"\bsystem_clock::now\b", "erasure/base/clock.cc"),
    (r"\bsystem_clock::now\b", "erasure/drive/rocks_filesystem.cc"),
}
FILE_LINES_MAX = 600
TEST_LINES_MAX = 700
PRODUCT = ("erasure/", "metacache/", "server/")


def layer_of(path):
    folder = os.path.dirname(path)
    while folder and folder not in LAYERS:
        folder = os.path.dirname(folder)
    return folder


def check_includes(path, text, out):
    if path.startswith(PRODUCT) and path != "server/main.cc":
        mine = layer_of(path)
        allowed = LAYERS.get(mine, [])
        for included in re.findall(r'^#include "([^"]+)"', text, re.M):
            if included.startswith("mote/"):
                continue
            theirs = "erasure/store.h" if included == "erasure/store.h" and mine != "erasure" else layer_of(included)
            if theirs != mine and theirs not in allowed and "*" not in allowed:
                out.append(f"{path}: includes {included}: {mine} may not see {theirs}")
    for pattern, where in ONLY_IN.items():
        if re.search(r"^#include " + pattern, text, re.M) and not re.search(where, path):
            out.append(f"{path}: includes {pattern}: belongs in {where}")


def check_text(path, text, out):
    lines = text.count("\n")
    limit = TEST_LINES_MAX if path.startswith("tests/") else FILE_LINES_MAX
    if lines > limit:
        out.append(f"{path}: {lines} lines: cut it ({limit} at most)")
    if path.endswith(".h") and "#pragma once" not in text:
        out.append(f"{path}: no #pragma once")
    if not path.startswith(PRODUCT):
        return
    for pattern, instead in BANNED:
        if (pattern, path) not in ALLOWED and re.search(pattern, text):
            out.append(f"{path}: {re.search(pattern, text).group(0)!r}: {instead}")


def check_links(path, text, out):
    for target in re.findall(r"\]\(([^)#:\s]+)(?:#[^)]*)?\)", text):
        if not os.path.exists(os.path.join(os.path.dirname(path), target)):
            out.append(f"{path}: broken link to {target}")


def check_invariants(files, texts, out):
    if "erasure/INVARIANTS.md" not in texts:
        return
    cited = set()
    for path in files:
        if path.startswith("tests/"):
            cited.update(re.findall(r"\bINV-(\d+)\b", texts[path]))
    for number in re.findall(r"^## INV-(\d+)", texts["erasure/INVARIANTS.md"], re.M):
        if number not in cited:
            out.append(f"erasure/INVARIANTS.md: INV-{number} is cited by no test")


def check(files, read):
    out = []
    texts = {}
    for path in files:
        if not path.endswith((".cc", ".h", ".md", ".py", ".sh")):
            continue
        text = texts[path] = read(path)
        if path.endswith((".cc", ".h")):
            check_includes(path, text, out)
            check_text(path, text, out)
        if path.endswith(".md"):
            check_links(path, text, out)
    check_invariants([f for f in files if f in texts], texts, out)
    return out


def main():
    os.chdir(os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", ".."))
    files = subprocess.run(["git", "ls-files"], check=True, capture_output=True, text=True).stdout.split("\n")
    files = [f for f in files if f and os.path.exists(f)]
    findings = check(files, lambda p: open(p, encoding="utf-8").read())
    print("\n".join(findings) if findings else f"tidy: {len(files)} files, nothing to do")
    return 1 if findings else 0


if __name__ == "__main__":
    sys.exit(main())
