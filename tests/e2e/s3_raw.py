"""A small signing S3 client over http.client: exact requests, no retries, thread-safe by one instance per thread."""
import hashlib
import hmac
import http.client
import time
import urllib.parse

from harness import ACCESS, SECRET


def _mac(key, text):
    return hmac.new(key, text.encode(), hashlib.sha256).digest()


class Raw:
    def __init__(self, endpoint, timeout=30, access=ACCESS, secret=SECRET):
        self.netloc = endpoint.split("//")[1]
        self.timeout = timeout
        self.access, self.secret = access, secret
        self.connection = None
        self._day, self._key = None, None

    def _signing_key(self, day):
        if self._day != day:
            key = ("AWS4" + self.secret).encode()
            for part in (day, "us-east-1", "s3", "aws4_request"):
                key = _mac(key, part)
            self._day, self._key = day, key
        return self._key

    def signed_headers(self, method, path, query, headers):
        stamp = time.strftime("%Y%m%dT%H%M%SZ", time.gmtime())
        headers = {**{k.lower(): v for k, v in (headers or {}).items()}, "host": self.netloc, "x-amz-date": stamp}
        headers.setdefault("x-amz-content-sha256", "UNSIGNED-PAYLOAD")
        names = ";".join(sorted(headers))
        canonical = "\n".join([method, path, query, "".join(f"{k}:{headers[k].strip()}\n" for k in sorted(headers)), names,
                               headers["x-amz-content-sha256"]])
        scope = f"{stamp[:8]}/us-east-1/s3/aws4_request"
        to_sign = "\n".join(["AWS4-HMAC-SHA256", stamp, scope, hashlib.sha256(canonical.encode()).hexdigest()])
        signature = _mac(self._signing_key(stamp[:8]), to_sign).hex()
        headers["authorization"] = f"AWS4-HMAC-SHA256 Credential={self.access}/{scope}, SignedHeaders={names}, Signature={signature}"
        return headers

    def request(self, method, path, body=b"", query=None, headers=None):
        """(status, headers, body). Raises OSError or HTTPException when the server goes away."""
        path = urllib.parse.quote(path, safe="/-_.~")
        text = "&".join(f"{urllib.parse.quote(k, safe='-_.~')}={urllib.parse.quote(v, safe='-_.~')}" for k, v in sorted((query or {}).items()))
        signed = self.signed_headers(method, path, text, headers)
        if self.connection is None:
            self.connection = http.client.HTTPConnection(self.netloc, timeout=self.timeout)
        try:
            self.connection.request(method, path + ("?" + text if text else ""), body=body, headers=signed)
            reply = self.connection.getresponse()
            data = reply.read()
        except BaseException:
            self.close()
            raise
        if reply.getheader("Connection", "").lower() == "close":
            self.close()
        return reply.status, reply.headers, data

    def close(self):
        if self.connection is not None:
            self.connection.close()
            self.connection = None
