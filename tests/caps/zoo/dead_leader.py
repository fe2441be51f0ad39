"""The first thread ends, another goes on: /proc shows a zombie that is alive."""

import ctypes
import os
import threading
import time

if os.fork() == 0:
    threading.Thread(target=time.sleep, args=(300,)).start()
    ctypes.CDLL(None).pthread_exit(None)
time.sleep(0.2)
