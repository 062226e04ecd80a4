"""TLS as an operator meets it: replaced files are taken, bad ones are not, SIGHUP, healthcheck, clients in clear."""
import os
import signal
import socket
import ssl
import subprocess
import sys

from harness import BINARY, Server, wait_until

os.environ["E2E_TLS"] = "1"


def served(server):
    """The certificate that a new connection sees; it must be of the test's CA."""
    context = ssl.create_default_context(cafile=server.authority.bundle)
    with socket.create_connection(("127.0.0.1", server.port), 10) as plain:
        with context.wrap_socket(plain, server_hostname="localhost") as secure:
            assert secure.version() == "TLSv1.3"
            return secure.getpeercert(binary_form=True)


def on_disk(server):
    with open(server.authority.certificate, encoding="ascii") as pem:
        return ssl.PEM_cert_to_DER_cert(pem.read())


def healthcheck(url, **env):
    return subprocess.run([BINARY, "healthcheck", *([url] if url else [])], env={**os.environ, **env}, capture_output=True,
                          text=True, timeout=20)


with Server() as server:
    assert server.endpoint.startswith("https://127.0.0.1:"), server.endpoint
    assert healthcheck(server.endpoint).returncode == 0
    in_clear = healthcheck(server.endpoint.replace("https", "http"))
    assert in_clear.returncode == 1 and "status 400" in in_clear.stderr, in_clear
    first = served(server)
    assert first == on_disk(server)

    server.authority.renew()
    wait_until(lambda: served(server) == on_disk(server), 10, "the new certificate after a change of the files")
    assert on_disk(server) != first and "TLS files changed: reloaded" in server.log_text()

    good = served(server)
    with open(server.authority.certificate, "w", encoding="ascii") as out:
        out.write("nothing\n")
    wait_until(lambda: "TLS files changed, not reloaded: TLS certificate" in server.log_text(), 10, "refusal of a bad file")
    assert served(server) == good
    server.process.send_signal(signal.SIGHUP)
    wait_until(lambda: "mote: not reloaded: TLS certificate" in server.log_text(), 10, "refusal on SIGHUP")
    assert served(server) == good
    server.authority.renew()
    server.process.send_signal(signal.SIGHUP)
    wait_until(lambda: served(server) == on_disk(server), 10, "the new certificate after SIGHUP")

for flags, said in ((["--tls-cert", "/nowhere.pem"], "both a certificate and a key"),
                    (["--tls-cert", "/nowhere.pem", "--tls-key", "/nowhere.key"], "/nowhere.pem")):
    done = subprocess.run([BINARY, "server", "--memory", "--address", "127.0.0.1:0", "--admin-address", "", *flags],
                          capture_output=True, text=True, timeout=20)
    assert done.returncode == 78 and said in done.stderr, done
sys.exit(0)
