"""Stops itself, and a child of its before."""

import os
import signal
import subprocess

child = subprocess.Popen(["sleep", "300"])
os.kill(child.pid, signal.SIGSTOP)
os.kill(os.getpid(), signal.SIGSTOP)
