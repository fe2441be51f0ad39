"""Leaves daemons of every kind behind and exits 0: double fork, new sessions, deaf to every polite signal."""

import os
import signal
import subprocess
import sys
import time


def become_daemon() -> None:
    if os.fork():
        return
    os.setsid()
    if os.fork():
        os._exit(0)
    for number in (signal.SIGTERM, signal.SIGHUP, signal.SIGINT):
        signal.signal(number, signal.SIG_IGN)
    os.closerange(0, 64)
    time.sleep(300)
    os._exit(0)


for _ in range(3):
    become_daemon()
subprocess.Popen(["sleep", "300"], start_new_session=True)
subprocess.Popen(["sleep", "300"])
print("daemons are out", flush=True)
sys.exit(0)
