# interpreter: venv
"""boto3 of today against four drives."""
from harness import Server
import s3_clients

with Server(drives=4) as server:
    s3_clients.everything(server)
