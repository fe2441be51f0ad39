"""Forks until it is refused, all children stay; then says how far it came."""

import os
import time

born = 0
try:
    while born < 5000:
        if os.fork() == 0:
            time.sleep(300)
            os._exit(0)
        born += 1
except OSError:
    print("refused after", born, flush=True)
time.sleep(0.5)
