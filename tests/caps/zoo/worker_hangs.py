"""The parent waits for a forked worker that hangs."""

import multiprocessing
import time


def worker_that_hangs() -> None:
    time.sleep(300)


worker = multiprocessing.get_context("fork").Process(target=worker_that_hangs)
worker.start()
worker.join()
