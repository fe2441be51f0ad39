"""Kills whoever started it, and leaves a daemon."""

import os
import signal
import subprocess
import time

subprocess.Popen(["sleep", "300"], start_new_session=True)
os.kill(os.getppid(), signal.SIGKILL)
time.sleep(300)
