"""One process that takes ten gigabytes, about one a second: what a watchdog can be asked to keep up with."""

import time

blocks = []
for _ in range(160):
    blocks.append(b"x" * (64 << 20))
    time.sleep(0.05)
print("sated", flush=True)
