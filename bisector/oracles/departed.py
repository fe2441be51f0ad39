"""What has left Python's own library, or setuptools, and when: old code that asks for it wants an older one. Pure."""

from __future__ import annotations

import re
from typing import NamedTuple


class Departed(NamedTuple):
    what: str
    version: int
    """The minor version that came without it."""

    @property
    def hint(self) -> str:
        return (
            f'{self.what} left Python with 3.{self.version}: `python: "3.{self.version - 1}"`, or a pin\'s, '
            "is the key to change"
        )


class Dropped(NamedTuple):
    """By setuptools, which every environment once had."""

    what: str
    version: int

    @property
    def hint(self) -> str:
        return (
            f"{self.what} left setuptools with {self.version}: `setuptools<{self.version}` among "
            "`dependencies.requirements` brings it back; where the build asks for it, among "
            "`install.build_requirements`"
        )


_DROPPED = {"pkg_resources": 82}
_MODULES = {
    10: "formatter parser symbol",
    11: "binhex",
    12: "asynchat asyncore imp smtpd distutils",
    13: "aifc audioop cgi cgitb chunk crypt imghdr lib2to3 mailcap msilib nis nntplib ossaudiodev pipes sndhdr spwd "
    "sunau telnetlib uu xdrlib",
}
_NAMES = {
    8: "cgi.escape platform.dist platform.linux_distribution time.clock",
    9: "base64.decodestring base64.encodestring fractions.gcd sys.getcheckinterval sys.setcheckinterval",
    10: "collections.Callable collections.Hashable collections.Iterable collections.Iterator collections.Mapping "
    "collections.MutableMapping collections.MutableSequence collections.MutableSet collections.Sequence "
    "collections.Set collections.Sized",
    11: "asyncio.coroutine inspect.formatargspec inspect.getargspec",
    12: "configparser.SafeConfigParser pkgutil.ImpImporter ssl.wrap_socket",
    13: "locale.resetlocale unittest.findTestCases unittest.makeSuite",
    14: "ast.Bytes ast.NameConstant ast.Num ast.Str pkgutil.find_loader pkgutil.get_loader",
}
_SINCE = {
    what: version for table in (_MODULES, _NAMES) for version, said in table.items() for what in said.split()
}
_MISSING = (
    re.compile(r"No module named '(?P<module>\w+)'"),
    re.compile(r"cannot import name '(?P<name>\w+)' from '(?P<module>\w+)'"),
    re.compile(r"module '(?P<module>\w+)' has no attribute '(?P<name>\w+)'"),
)


def departed(said: str) -> Departed | Dropped | None:
    """What Python's words say is missing, where an older Python or setuptools had it."""
    for pattern in _MISSING:
        for found in pattern.finditer(said):
            what = ".".join(part for part in (found["module"], found.groupdict().get("name")) if part)
            if what in _SINCE:
                return Departed(what, _SINCE[what])
            if what in _DROPPED:
                return Dropped(what, _DROPPED[what])
    return None
