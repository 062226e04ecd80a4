# timeout: 400
"""aws-cli over https, where it sends other payload modes, with a CA of the test."""
import os
import runpy

os.environ["E2E_TLS"] = "1"
runpy.run_path(os.path.join(os.path.dirname(os.path.abspath(__file__)), "awscli.py"), run_name="__main__")
