"""The best fence: a pid namespace of bubblewrap, which nothing leaves and which dies with us.

Without the sandbox the file system stays as it is; with it only the system (read-only) and what the caller
names are there. The thread that starts it must outlive it: its die-with-parent fires when that thread ends.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from pathlib import Path

from bisector.caps.confinement import Confinement
from bisector.process.guard import mark

STUB = """
(exec "$@" 2>&1)
status=$?
exec 1>&2
echo "status $status"
times
exit $status
"""
"""Bubblewrap cannot tell exit 137 from signal 9; a shell does, in words, which go to its own stderr."""

DROPPED = (
    "CAP_SYS_ADMIN",
    "CAP_SYS_BOOT",
    "CAP_SYS_MODULE",
    "CAP_SYS_RAWIO",
    "CAP_SYS_TIME",
    "CAP_SYS_RESOURCE",
    "CAP_MKNOD",
)
"""What root would keep otherwise: with these it could undo its own limits."""

SYSTEM = ("/usr", "/bin", "/sbin", "/lib", "/lib32", "/lib64", "/libx32", "/nix/store")
SETTINGS = (
    *(
        "alternatives",
        "ca-certificates",
        "crypto-policies",
        "fonts",
        "gai.conf",
        "group",
        "host.conf",
        "hosts",
    ),
    *("ld.so.cache", "ld.so.conf", "ld.so.conf.d", "locale.alias", "localtime", "magic", "mime.types"),
    *("nsswitch.conf", "os-release", "passwd", "pki/tls/certs", "pki/ca-trust", "protocols", "resolv.conf"),
    *("services", "shells", "ssl/certs", "ssl/openssl.cnf", "terminfo", "timezone"),
)
"""Of /etc, what programs need to run: names and certificates, no keys and no passwords."""
SHARED_MEMORY = Path("/dev/shm").resolve()
"""A run has one of its own: of what lies here it sees what it is given, no more."""
ACCELERATORS = ("dri", "kfd", "nvidia*")


class Bubblewrap:
    name = "bubblewrap"
    overhead = 3
    on_leash = False
    guards = True

    def __init__(self, program: Path) -> None:
        self._program = program

    def command(self, confinement: Confinement, words: int, leash: int) -> list[str]:
        view = _sandboxed(confinement) if confinement.sandbox else _as_it_is(confinement)
        return [
            str(self._program),
            *view,
            *_namespaces(confinement),
            *("--die-with-parent", "--json-status-fd", str(words), "--chdir", str(confinement.cwd)),
            # Takes nothing away: a name that the guard finds in the command line.
            *("--unsetenv", mark(), "--"),
            *("/bin/sh", "-c", STUB, "sh", *confinement.argv),
        ]


def _namespaces(confinement: Confinement) -> Iterator[str]:
    # A session of its own: killpg(0) inside reaches every member of the group, also those outside.
    yield from ("--unshare-pid", "--unshare-ipc", "--new-session")
    if not confinement.limits.network:
        yield "--unshare-net"
    if confinement.sandbox:
        yield from ("--unshare-user-try", "--unshare-uts", "--unshare-cgroup-try", "--cap-drop", "ALL")
    else:
        for name in DROPPED:
            yield from ("--cap-drop", name)


def _as_it_is(confinement: Confinement) -> Iterator[str]:
    """Everything; what trials share read-only like the kernel's switches, shared memory that vanishes."""
    yield from ("--dev-bind", "/", "/", "--ro-bind", "/sys", "/sys", "--proc", "/proc")
    yield from ("--tmpfs", str(SHARED_MEMORY))
    readable = confinement.readable
    covered = (*readable, SHARED_MEMORY)
    below = [path for path in confinement.writable if any(path.is_relative_to(each) for each in covered)]
    yield from _binds(readable, below)


def _sandboxed(confinement: Confinement) -> Iterator[str]:
    for place in SYSTEM:
        yield from _mirror(Path(place))
    for name in SETTINGS:
        path = Path("/etc") / name
        yield from ("--ro-bind-try", str(path.resolve()), str(path))
    yield from ("--proc", "/proc", "--dev", "/dev")
    for pattern in ACCELERATORS:
        for device in sorted(Path("/dev").glob(pattern)):
            yield from ("--dev-bind-try", str(device), str(device))
    if confinement.limits.disk is not None:
        yield from ("--size", str(confinement.limits.disk))
    yield from ("--tmpfs", "/tmp", "--symlink", "/tmp", "/var/tmp")
    yield from _binds(confinement.readable, confinement.writable)
    # The root itself is a small file system in memory, and writable until now.
    yield from ("--remount-ro", "/")


def _mirror(place: Path) -> Iterator[str]:
    """A link stays a link: /lib and /bin are such on merged systems."""
    if place.is_symlink():
        yield from ("--symlink", str(place.readlink()), str(place))
    elif place.is_dir():
        yield from ("--ro-bind", str(place), str(place))


def _binds(readable: Iterable[Path], writable: Iterable[Path]) -> Iterator[str]:
    """Outer directories before inner ones, whichever kind: a later mount covers what lies below it."""
    options = dict.fromkeys(readable, "--ro-bind") | dict.fromkeys(writable, "--bind")
    for path in sorted(options, key=lambda each: len(each.parts)):
        yield from (options[path], str(path), str(path))
