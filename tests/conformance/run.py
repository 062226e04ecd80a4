#!/usr/bin/env python3
"""Runs ceph/s3-tests against a mote binary and compares the outcome with what is recorded here.

    run.py --suite CHECKOUT --mote build/release/mote [--drives N] [--names FILE] [--runs K] [--jobs J]

The suite is never part of this repository: CHECKOUT is a clone of github.com/ceph/s3-tests whose
requirements are installed for --python (default: CHECKOUT/venv/bin/python, with pytest-timeout).
Without --names, the names of passes.txt and failures.txt are run. Each of the J jobs has a server,
a store and a slice of the names of its own.

Exit 0: every name of passes.txt passed in every run. 1: a regression, or a name that passed in one
run only. 2: it could not be run. New passes are reported and do not fail the run; --record writes
the names that passed in all runs to passes.txt.
"""

import argparse
import json
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import xml.etree.ElementTree

HERE = pathlib.Path(__file__).resolve().parent
SECONDS_PER_TEST = 120
SECONDS_PER_RUN = 3000

# Section of the suite's configuration: access key, secret key, id, display name, email.
USERS = {
    "s3 main": ("CONFORMANCEMAIN00000", "main-secret-of-the-conformance-run-00000", "c0" * 32, "Main Tester", "main@example.com"),
    "s3 alt": ("CONFORMANCEALT000000", "alt-secret-of-the-conformance-run-000000", "a1" * 32, "Alt Tester", "alt@example.com"),
    "s3 tenant": ("CONFORMANCETENANT000", "tenant-secret-of-the-conformance-run-000", "7e" * 32, "Tenant Tester", "tenant@example.com"),
    "iam": ("CONFORMANCEIAM000000", "iam-secret-of-the-conformance-run-000000", "1a" * 32, "Iam Tester", "iam@example.com"),
    "iam root": ("CONFORMANCEROOT00000", "root-secret-of-the-conformance-run-00000", "00" * 31 + "01", "Root Tester", "root@example.com"),
    "iam alt root": ("CONFORMANCEALTROOT00", "altroot-secret-of-the-conformance-run-00", "00" * 31 + "02", "Alt Root Tester", "altroot@example.com"),
}


def users_file(path):
    users = [
        {"access_key": key, "secret_key": secret, "id": user, "display_name": name, "email": email}
        for key, secret, user, name, email in USERS.values()
    ]
    path.write_text(json.dumps({"users": users}))


def suite_configuration(path, port):
    lines = [
        "[DEFAULT]", "host = 127.0.0.1", f"port = {port}", "is_secure = False", "ssl_verify = False",
        "[fixtures]", "bucket prefix = conformance-{random}-",
        "iam name prefix = conformance-", "iam path prefix = /conformance/",
    ]
    for section, (key, secret, user, name, email) in USERS.items():
        lines += [f"[{section}]", f"access_key = {key}", f"secret_key = {secret}", f"user_id = {user}",
                  f"display_name = {name}", f"email = {email}", "api_name = eu-west-1", "tenant ="]
    path.write_text("\n".join(lines) + "\n")


class Server:
    """A mote of its own in `directory`; `port` is known once it listens."""

    def __init__(self, mote, directory, drives):
        users_file(directory / "users.json")
        command = [mote, "server", "--address", "127.0.0.1:0", "--admin-address", "",
                   "--users", str(directory / "users.json")]
        if drives == 0:
            command.append("--memory")
        for number in range(1, drives + 1):
            (directory / f"d{number}").mkdir()
            command.append(str(directory / f"d{number}"))
        self.log = open(directory / "server.log", "w")
        self.process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=self.log, text=True)
        line = self.process.stdout.readline()
        found = re.search(r"http://127\.0\.0\.1:(\d+)", line)
        if not found:
            self.process.wait(10)
            raise SystemExit(f"mote did not start: {line}{(directory / 'server.log').read_text()}")
        self.port = int(found.group(1))

    def stop(self):
        """Exit status; 0 after an orderly stop."""
        self.process.terminate()
        try:
            return self.process.wait(60)
        except subprocess.TimeoutExpired:
            self.process.kill()
            return "did not stop"


class Job:
    """One server and one pytest over `names`."""

    def __init__(self, options, names, directory):
        directory.mkdir()
        self.directory = directory
        self.server = Server(options.mote, directory, options.drives)
        suite_configuration(directory / "s3tests.conf", self.server.port)
        command = [options.python, "-m", "pytest", "-q", "-p", "no:cacheprovider", "--tb=short",
                   f"--timeout={SECONDS_PER_TEST}", f"--junitxml={directory / 'result.xml'}", *names]
        environment = {"PATH": "/usr/bin:/bin", "S3TEST_CONF": str(directory / "s3tests.conf"),
                       "PYTHONDONTWRITEBYTECODE": "1"}
        self.output = open(directory / "pytest.log", "w")
        self.process = subprocess.Popen(command, cwd=options.suite, env=environment,
                                        stdout=self.output, stderr=subprocess.STDOUT)

    def outcome(self):
        """Name of each test -> "" if it passed, else the first line of why not."""
        try:
            self.process.wait(SECONDS_PER_RUN)
        except subprocess.TimeoutExpired:
            self.process.kill()
        status = self.server.stop()
        if status != 0:
            print(f"server of {self.directory}: {status}")
        report = self.directory / "result.xml"
        if not report.exists():
            raise SystemExit(f"no report: {(self.directory / 'pytest.log').read_text()[-2000:]}")
        results = {}
        for case in xml.etree.ElementTree.parse(report).iter("testcase"):
            name = case.get("classname").replace(".", "/") + ".py::" + case.get("name")
            results[name] = results.get(name, "") or reason(case)
        return results


def reason(case):
    for kind in ("failure", "error", "skipped"):
        found = case.find(kind)
        if found is not None:
            message = (found.get("message") or kind).splitlines()
            return f"{kind}: {message[0] if message else ''}"
    return ""


def read_names(path):
    """Names of a file: one a line, what follows a blank is a remark."""
    lines = path.read_text().splitlines() if path.exists() else []
    return [line.split()[0] for line in lines if line.strip() and not line.startswith("#")]


def run_once(options, names, directory):
    directory.mkdir()
    slices = [names[at :: options.jobs] for at in range(options.jobs)]
    jobs = [Job(options, part, directory / f"job{at}") for at, part in enumerate(slices) if part]
    results = {}
    for job in jobs:
        results.update(job.outcome())
    return results


def report(results, names, recorded):
    """Prints what differs from `recorded`; returns the names that passed in every run and the exit status."""
    passed = [{name for name in names if run.get(name) == ""} for run in results]
    always = set.intersection(*passed)
    flaky = sorted(set.union(*passed) - always)
    regressions = sorted(name for name in recorded if name in names and name not in always)
    for run in passed:
        print(f"{len(run)} of {len(names)} passed")
    for name in flaky:
        print(f"FLAKY {name}")
    for name in regressions:
        print(f"REGRESSION {name}: {next(run.get(name, 'not run') for run in results if run.get(name) != '')}")
    for name in sorted(always - set(recorded)):
        print(f"NEW PASS {name}")
    return always, 1 if regressions or flaky else 0


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--suite", type=pathlib.Path, required=True)
    parser.add_argument("--mote", type=pathlib.Path, required=True)
    parser.add_argument("--python", help="interpreter that has the suite's requirements")
    parser.add_argument("--drives", type=int, default=0, help="0: --memory")
    parser.add_argument("--names", type=pathlib.Path)
    parser.add_argument("--runs", type=int, default=1)
    parser.add_argument("--jobs", type=int, default=1)
    parser.add_argument("--record", action="store_true")
    parser.add_argument("--keep", type=pathlib.Path, help="directory for logs; it must not exist")
    options = parser.parse_args()
    options.python = options.python or str(options.suite.resolve() / "venv/bin/python")
    options.mote = str(options.mote.resolve())
    recorded = read_names(HERE / "passes.txt")
    names = read_names(options.names) if options.names else recorded + read_names(HERE / "failures.txt")
    if not names:
        raise SystemExit("no names to run")
    directory = options.keep or pathlib.Path(tempfile.mkdtemp(prefix="mote-conformance-")) / "run"
    directory.mkdir()
    results = [run_once(options, names, directory / f"run{at}") for at in range(options.runs)]
    always, status = report(results, names, recorded)
    (directory / "results.json").write_text(json.dumps(results, indent=1))
    if options.record:
        (HERE / "passes.txt").write_text("".join(name + "\n" for name in names if name in always))
    if not options.keep:
        shutil.rmtree(directory.parent)
    return status


if __name__ == "__main__":
    sys.exit(main())
