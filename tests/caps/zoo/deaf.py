"""Ignores all it can and stays."""

import signal
import time

for number in set(signal.Signals) - {signal.SIGKILL, signal.SIGSTOP, signal.SIGCHLD}:
    signal.signal(number, signal.SIG_IGN)
print("cannot hear you", flush=True)
while True:
    time.sleep(300)
