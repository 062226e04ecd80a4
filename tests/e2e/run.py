#!/usr/bin/env python3
"""Runs the end-to-end cases: every file in cases/ against the real binary. A case is a program; exit 0 passes,
77 skips (its last line says why), everything else fails. Its first lines may say
    # interpreter: venv        current clients from PyPI, requirements.txt in build/e2e-venv
    # interpreter: venv-fs     file system libraries, which hold boto3 back: requirements-fs.txt in build/e2e-venv-fs
    # timeout: 300             seconds, default 180
Last line: "e2e: N passed, N failed, N skipped"."""
import argparse
import os
import re
import subprocess
import sys
import time

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.abspath(os.path.join(HERE, "..", ".."))
VENV = os.path.join(ROOT, "build", "e2e-venv")
NAMES = ("venv", "venv-fs")


def header(path, key, default):
    with open(path, encoding="utf-8") as case:
        found = re.search(rf"^# {key}: (.+)$", case.read(2000), re.M)
    return found.group(1).strip() if found else default


def prepare_venv(name):
    """Installs the clients of its requirements file; None if the package index cannot be reached."""
    folder = os.path.join(ROOT, "build", "e2e-" + name)
    requirements = os.path.join(HERE, name.replace("venv", "requirements") + ".txt")
    stamp = os.path.join(folder, "installed.txt")
    wanted = open(requirements, encoding="utf-8").read()
    if os.path.exists(stamp) and open(stamp, encoding="utf-8").read() == wanted:
        return os.path.join(folder, "bin", "python")
    try:
        subprocess.run(["/usr/bin/python3", "-m", "venv", folder], check=True, timeout=120)
        subprocess.run([os.path.join(folder, "bin", "pip"), "install", "-q", "--upgrade", "-r", requirements],
                       check=True, timeout=600)
    except (subprocess.SubprocessError, OSError) as error:
        print(f"clients from PyPI could not be installed: {error}")
        return None
    with open(stamp, "w", encoding="utf-8") as out:
        out.write(wanted)
    return os.path.join(folder, "bin", "python")


def run_case(path, python):
    env = dict(os.environ, PYTHONPATH=HERE, AWS_EC2_METADATA_DISABLED="true", E2E_VENV=VENV)
    for name in ("AWS_PROFILE", "AWS_CA_BUNDLE", "AWS_ENDPOINT_URL", "http_proxy", "HTTP_PROXY"):
        env.pop(name, None)
    limit = int(header(path, "timeout", "180"))
    started = time.monotonic()
    try:
        done = subprocess.run([python, path], env=env, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
                              errors="replace", timeout=limit)
        code, output = done.returncode, done.stdout
    except subprocess.TimeoutExpired as late:
        code, output = f"no end within {limit} s", (late.stdout or b"").decode("utf-8", "replace")
    return code, output, time.monotonic() - started


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--filter", default="")
    options = parser.parse_args()
    cases = sorted(f for f in os.listdir(os.path.join(HERE, "cases")) if f.endswith(".py") and options.filter in f)
    passed, failed, skipped = 0, 0, 0
    pythons = {}
    for case in cases:
        path = os.path.join(HERE, "cases", case)
        python = "/usr/bin/python3"
        name = header(path, "interpreter", "system")
        if name in NAMES:
            if name not in pythons:
                pythons[name] = prepare_venv(name)
            if pythons[name] is None:
                print(f"skip {case}: clients from PyPI are not there")
                skipped += 1
                continue
            python = pythons[name]
        code, output, seconds = run_case(path, python)
        if code == 0:
            passed += 1
            print(f"ok   {case} ({seconds:.1f} s)", flush=True)
        elif code == 77:
            skipped += 1
            print(f"skip {case}: {output.strip().splitlines()[-1] if output.strip() else ''}", flush=True)
        else:
            failed += 1
            print(output[-12000:])
            print(f"FAIL {case}: {code} ({seconds:.1f} s)", flush=True)
    print(f"e2e: {passed} passed, {failed} failed, {skipped} skipped")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
