"""Forks itself anew without pause, each child in a session of its own, its parent gone."""

import os
import time

end = time.monotonic() + 60
if os.fork() == 0:
    while time.monotonic() < end:
        if os.fork():
            os._exit(0)
        os.setsid()
time.sleep(0.2)
