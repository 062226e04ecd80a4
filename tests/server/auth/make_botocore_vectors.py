#!/usr/bin/python3
"""Writes botocore_vectors.inc: requests signed by botocore, for botocore_test.cc.

Debian 12: apt install python3-botocore; run `./make_botocore_vectors.py > botocore_vectors.inc`.
Every request is signed as of 2013-05-24T00:00:00Z with the example credentials of AWS's documentation.
"""
import datetime
import itertools
import json
import random
import time

import botocore
import botocore.auth
from botocore.awsrequest import AWSRequest
from botocore.compat import quote
from botocore.credentials import Credentials
from botocore.utils import percent_encode_sequence

WHEN = datetime.datetime(2013, 5, 24)
EPOCH = 1369353600
CREDENTIALS = Credentials("AKIAIOSFODNN7EXAMPLE", "wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY")
KEYS = ["k", "a b+c/é", "x(1)'*!~$&,;=:@", "//double//", "./../dots", "%2F%", "日本/ключ", "q?a#b", "tab\tnl\n", "\\back|<>^`{}\"", "end/"]
QUERIES = [
    {},
    {"uploads": ""},
    {"list-type": "2", "prefix": "a b+c/é", "delimiter": "/", "encoding-type": "url"},
    {"uploadId": "AbC-_~.", "partNumber": "10"},
    {"versionId": "null", "response-content-disposition": 'attachment; filename="a b.txt"'},
    {"x-id": "GetObject", "X": "1", "x": "2", "a-b": "", "a": "="},
]
HEADERS = [
    {},
    {"Content-Type": "text/plain; charset=utf-8", "x-amz-meta-Mixed": "  two   blanks  ", "x-amz-acl": "private"},
    {"Range": "bytes=0-9", "Content-MD5": "1B2M2Y8AsgTpgAmY7PhCfg==", "x-amz-meta-empty": "", "amz-sdk-request": "attempt=1"},
]


class StoppedTime(datetime.datetime):
    @classmethod
    def utcnow(cls):
        return WHEN


botocore.auth.datetime.datetime = StoppedTime
time.time = lambda: EPOCH
botocore.auth.formatdate = lambda usegmt: "Fri, 24 May 2013 00:00:00 GMT"


def sign(kind, method, path, query, headers, body, region):
    url = "http://localhost:9000" + quote(path, safe="/~") + ("?" + percent_encode_sequence(query) if query else "")
    request = AWSRequest(method=method, url=url, headers=dict(headers), data=body)
    signer = {
        "v4": lambda: botocore.auth.S3SigV4Auth(CREDENTIALS, "s3", region),
        "v4-query": lambda: botocore.auth.S3SigV4QueryAuth(CREDENTIALS, "s3", region, expires=3600),
        "v2": lambda: botocore.auth.HmacV1Auth(CREDENTIALS),
        "v2-query": lambda: botocore.auth.HmacV1QueryAuth(CREDENTIALS, expires=3600),
    }[kind]()
    if kind == "v4":
        request.context["client_config"] = None
    signer.add_auth(request)
    prepared = request.prepare()
    target = prepared.url[len("http://localhost:9000"):]
    lines = [f"{method} {target} HTTP/1.1", "Host: localhost:9000"]
    lines += [f"{k}: {v.decode() if isinstance(v, bytes) else v}" for k, v in request.headers.items() if k.lower() != "host"]
    return "\r\n".join(lines) + "\r\n\r\n"


def literal(text):
    """A C string literal in ASCII; a hex escape ends where the next string begins."""
    out = []
    for byte in text.encode():
        char = chr(byte)
        if char in '"\\':
            out.append("\\" + char)
        elif 32 <= byte < 127:
            out.append(char)
        else:
            out.append({10: "\\n", 13: "\\r"}.get(byte, f"\\{byte:03o}"))
    return '"' + "".join(out) + '"'


def main():
    print(f"// Made by make_botocore_vectors.py with botocore {botocore.__version__}; do not edit.")
    rng = random.Random(1)
    for kind in ("v4", "v4-query", "v2", "v2-query"):
        rows = list(itertools.product(KEYS, QUERIES, HEADERS))
        # All keys with nothing else, then a fixed sample of the rest.
        chosen = [row for row in rows if row[1] == {} and row[2] == {}] + rng.sample(rows, 40)
        for key, query, headers in chosen:
            method = "GET" if headers.get("Range") else rng.choice(["GET", "PUT", "HEAD", "DELETE", "POST"])
            body = b"hello" if method in ("PUT", "POST") and not kind.endswith("query") else None
            region = rng.choice(["us-east-1", "eu-central-1"])
            raw = sign(kind, method, "/bucket/" + key, query, headers, body, region)
            print("{" + f'"{kind}", {literal("/bucket/" + key)},\n    {literal(raw)}' + "},")


main()
