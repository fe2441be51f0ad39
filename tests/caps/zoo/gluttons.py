"""Many processes that take little each and too much together; the parent shrugs and exits 0."""

import os
import time

children = []
for _ in range(8):
    pid = os.fork()
    if pid == 0:
        held = b"x" * (48 << 20)
        time.sleep(3)
        os._exit(0)
    children.append(pid)
for pid in children:
    os.waitpid(pid, 0)
print("all well", flush=True)
