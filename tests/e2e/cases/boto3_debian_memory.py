"""boto3 1.26 (Content-MD5, no default checksums) against the memory store."""
from harness import Server
import s3_clients

with Server() as server:
    s3_clients.everything(server)
