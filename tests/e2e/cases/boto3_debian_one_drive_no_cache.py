"""boto3 1.26 against one drive with the object cache off: the same answers."""
from harness import Server
import s3_clients

with Server(drives=1, flags=["--cache-bytes", "0"]) as server:
    s3_clients.everything(server)
