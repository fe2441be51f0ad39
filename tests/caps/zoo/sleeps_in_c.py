"""Hangs in C code, below a function with a name."""

import time


def waits_for_godot() -> None:
    time.sleep(300)


waits_for_godot()
