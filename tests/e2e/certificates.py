"""A certificate authority of a test: one server certificate for 127.0.0.1 and localhost, made with openssl."""
import os
import subprocess

# Every variable by which one of the clients takes a CA bundle.
BUNDLE_VARIABLES = ("SSL_CERT_FILE", "AWS_CA_BUNDLE", "CURL_CA_BUNDLE", "REQUESTS_CA_BUNDLE", "NODE_EXTRA_CA_CERTS")


def _openssl(*arguments):
    subprocess.run(["openssl", *arguments], check=True, capture_output=True, timeout=30)


class Authority:
    def __init__(self, folder):
        self.bundle = os.path.join(folder, "ca.pem")
        self._key = os.path.join(folder, "ca-key.pem")
        self.certificate = os.path.join(folder, "server.pem")
        self.key = os.path.join(folder, "server-key.pem")
        _openssl("req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes", "-days", "2", "-subj",
                 "/CN=mote test CA", "-addext", "keyUsage=critical,keyCertSign", "-keyout", self._key, "-out", self.bundle)
        self.renew()

    def renew(self):
        """A new certificate and key, each put in place in one step."""
        request, extensions = self.certificate + ".csr", self.certificate + ".ext"
        with open(extensions, "w", encoding="utf-8") as out:
            out.write("subjectAltName=IP:127.0.0.1,DNS:localhost,DNS:*.localhost\nextendedKeyUsage=serverAuth\n")
        _openssl("req", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes", "-subj", "/CN=localhost",
                 "-keyout", self.key + ".new", "-out", request)
        _openssl("x509", "-req", "-in", request, "-CA", self.bundle, "-CAkey", self._key, "-CAcreateserial", "-days", "2",
                 "-extfile", extensions, "-out", self.certificate + ".new")
        os.replace(self.certificate + ".new", self.certificate)
        os.replace(self.key + ".new", self.key)

    def trust(self):
        """Makes every client started from here on trust it."""
        for name in BUNDLE_VARIABLES:
            os.environ[name] = self.bundle
