"""Compiles modules without executing them: a file of their paths, and how many processes share them.

What compileall does, without its price: a third of its time goes by beside the compiler. What cannot be compiled is
left out. A third word, `apart`: the lines are `source<TAB>target`, what is made knows its source by its content, and
what warns is left out as well, for a run that turns warnings into errors must see them. `idle`: nobody waits, so all
that anybody waits for goes before, what stands back behind a run included.
"""

# ruff: noqa: PTH103, PTH105, PTH108, PTH120, PTH202

import importlib.util
import marshal
import os
import struct
import sys
import time
import warnings

NUMBER = struct.Struct("<I")
TIMED = importlib.util.MAGIC_NUMBER + (NUMBER.pack(0) if sys.version_info >= (3, 7) else b"")
"""That the source is known by its time and size (PEP 552)."""
CHECKED = importlib.util.MAGIC_NUMBER + NUMBER.pack(3)
"""That it is known by its content, and always looked at."""
MASK = 0xFFFFFFFF
RUNNING = "/proc/loadavg"
"""Its fourth word: how many of how many threads of this machine run or would if they could."""
PAUSE = 0.02
PAUSES = 10
"""For one module, on a machine that is never idle."""


def make(source: str, target: str) -> None:
    with open(source, "rb") as file:
        status = os.fstat(file.fileno())
        text = file.read()
    code = marshal.dumps(compile(text, source, "exec", dont_inherit=True))
    if target:
        header = CHECKED + importlib.util.source_hash(text)
    else:
        header = TIMED + NUMBER.pack(int(status.st_mtime) & MASK) + NUMBER.pack(status.st_size & MASK)
        target = importlib.util.cache_from_source(source)
        os.makedirs(os.path.dirname(target), exist_ok=True)
    half = target + ".half"
    with open(half, "xb") as file:
        try:
            file.write(header)
            file.write(code)
            file.flush()
        except OSError:
            os.unlink(half)
            raise
    os.replace(half, target)


def size_of(source: str) -> int:
    try:
        return os.path.getsize(source)
    except (OSError, ValueError):
        return 0


def work(modules: "list[tuple[str, str]]", queue: int, is_idle: bool) -> None:
    """Until nothing is left. Who shares the descriptor shares where it stands: each reads another number."""
    while True:
        if is_idle:
            wait_for_room()
        number = os.read(queue, NUMBER.size)
        if not number:
            return
        try:
            make(*modules[NUMBER.unpack(number)[0]])
        except (SyntaxError, Warning, ValueError, OSError, RecursionError, MemoryError, OverflowError):
            continue


def stand_back() -> None:
    """Where the kernel knows an idle class, niceness is not all there is."""
    os.nice(19)
    try:
        os.sched_setscheduler(0, os.SCHED_IDLE, os.sched_param(0))
    except (AttributeError, OSError):
        return


def wait_for_room() -> None:
    """Until no more threads want a processor than there are of these, this one counted."""
    processors = os.cpu_count() or 1
    for _ in range(PAUSES):
        if running() <= processors:
            return
        time.sleep(PAUSE)


def running() -> int:
    try:
        with open(RUNNING) as file:
            return int(file.read().split()[3].split("/")[0])
    except (OSError, ValueError, IndexError):
        return 0


def main() -> None:
    listed, shares = sys.argv[1], int(sys.argv[2])
    is_apart, is_idle = sys.argv[3:] == ["apart"], sys.argv[3:] == ["idle"]
    if is_idle:
        stand_back()
    with open(listed, "rb") as file:
        lines = [os.fsdecode(line) for line in file.read().split(b"\n")[:-1]]
    modules = [line.partition("\t")[::2] if is_apart else (line, "") for line in lines]
    if is_apart:
        warnings.simplefilter("error")
    if shares > 1:
        # What takes longest is not begun last.
        modules.sort(key=lambda module: size_of(module[0]), reverse=True)
    with open(listed + ".queue", "wb") as file:
        file.write(b"".join(map(NUMBER.pack, range(len(modules)))))
    queue = os.open(listed + ".queue", os.O_RDONLY)
    others = []
    for _ in range(shares - 1):
        try:
            other = os.fork()
        except OSError:
            # A cap on processes: fewer share the work.
            break
        if not other:
            work(modules, queue, is_idle)
            os._exit(0)
        others.append(other)
    work(modules, queue, is_idle)
    for other in others:
        os.waitpid(other, 0)


main()
