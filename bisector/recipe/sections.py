"""The sections of a recipe but `verdict`: what each key takes, what it becomes and what it is for."""

from __future__ import annotations

from bisector.model import Index, InstallMode, Limits
from bisector.recipe import texts
from bisector.recipe.alterations import Before, CherryPick, Fixup, Overlay, Patch, Pin, Range, Since
from bisector.recipe.faults import Unfit
from bisector.recipe.leaves import (
    ANYTHING,
    AS_OF,
    COMMAND,
    COUNT,
    DURATION,
    INSIDE,
    LINE,
    POSITIVE,
    PYTHON,
    REQUIREMENTS,
    REV,
    SIZE,
    TRUTH,
    WORDS,
    choice,
)
from bisector.recipe.records import Key, Record
from bisector.recipe.schema import Axis, Cwd, Dependencies, Install, PythonScript, Repro, ShellCommand
from bisector.recipe.shapes import ByKind, Leaf, Listed, Named, Shape, Then
from bisector.recipe.spellings import Spellings


def _one_project(install: Install) -> None:
    if install.mode in (InstallMode.EDITABLE, InstallMode.WHEEL) and len(install.path) > 1:
        raise Unfit(f"`mode: {install.mode.value}` installs one project: give one path", "path")


INSTALL: Record[Install] = Record(
    Install,
    {
        "mode": Key(choice(InstallMode), "how a commit gets into its environment; default: editable"),
        "path": Key(Listed(INSIDE), "pythonpath: the directories put first; else the project's own"),
        "extras": Key(Listed(Leaf(texts.extra, "an extra")), "of the project"),
        "module": Key(Leaf(texts.module, "a module"), "must be imported from the commit's own tree"),
        "build": Key(Listed(COMMAND), "commands run in the tree before the install"),
        "build_requirements": Key(REQUIREMENTS, "hold for what the build gets"),
        "build_isolation": Key(TRUTH, "false: the build sees the environment"),
    },
    check=_one_project,
)

_INDEX_KEYS = {
    "find_links": Key(Listed(LINE), "folders or pages with files"),
    "find-links": Key(Listed(LINE), field="find_links"),
    "index_url": Key(LINE, "in place of the usual index"),
    "index-url": Key(LINE, field="index_url"),
    "extra_index_url": Key(Listed(LINE), "besides it"),
    "extra-index-url": Key(Listed(LINE), field="extra_index_url"),
}
_ONE_INDEX: Record[Index] = Record(Index, _INDEX_KEYS)


def _together(parts: tuple[Index, ...]) -> Index:
    urls = [part.index_url for part in parts if part.index_url]
    if len(urls) > 1:
        raise Unfit("several `index_url`: give one and the rest as `extra_index_url`")
    links = tuple(link for part in parts for link in part.find_links)
    extra = tuple(url for part in parts for url in part.extra_index_url)
    return Index(links, urls[0] if urls else None, extra)


INDEX: Shape[Index] = ByKind(mapping=_ONE_INDEX, items=Then(Listed(_ONE_INDEX, single=False), _together))

DEPENDENCIES: Record[Dependencies] = Record(
    Dependencies,
    {
        "requirements": Key(REQUIREMENTS, "installed beside the project"),
        "declared": Key(TRUTH, "whether the commit's own metadata asks for more"),
        "as_of": Key(AS_OF, "latest, commit (newest on the commit's date) or a date"),
        "index": Key(INDEX, "where packages come from, when not from where the machine says"),
    },
)

_WHERE = {
    "since": Key(Then(REV, Since), "commits that contain this one, or from this date on", "where"),
    "before": Key(Then(REV, Before), "commits that do not contain this one, or before this date", "where"),
    "range": Key(Then(REV, Range), "any git revision range", "where"),
}


def _pins_something(pin: Pin) -> None:
    if pin == Pin(pin.where):
        raise Unfit("pins nothing: give requirements, python, build_requirements or build_isolation")


PINS: Listed[Pin] = Listed(
    Record(
        Pin,
        {
            **_WHERE,
            "requirements": Key(REQUIREMENTS, "in place of others for the same package"),
            "python": Key(PYTHON, "a version, or a path to an interpreter"),
            "build_requirements": Key(REQUIREMENTS, "hold for what the build gets"),
            "build_isolation": Key(TRUTH, "false: the build sees the environment"),
        },
        required=("where",),
        check=_pins_something,
    ),
    single=False,
)

FIXUPS: Listed[Fixup] = Listed(
    Record(
        Fixup,
        {
            **_WHERE,
            "patch": Key(Then(WORDS, Patch), "a diff, undone after each trial", "change"),
            "cherry_pick": Key(Then(REV, CherryPick), "a commit whose change is applied likewise", "change"),
        },
        required=("where", "change"),
    ),
    single=False,
)


def overlay(spellings: Spellings) -> Listed[Overlay]:
    ends = spellings.judgements

    def made(source: str, paths: tuple[str, ...]) -> Overlay:
        return Overlay(ends.get(source, source), paths)

    keys = {
        "from": Key(REV, "one of the ends by its name, or any revision", "source"),
        "paths": Key(Listed(INSIDE), "laid over every commit; a directory is replaced whole"),
    }
    return Listed(Record(made, keys, required=("source", "paths")), single=False)


REPRO_KEYS: Record[Repro] = Record(
    Repro,
    {
        "run": Key(Then(COMMAND, ShellCommand), "a shell command", "action"),
        "python": Key(Then(WORDS, PythonScript), "a script for the environment's own python", "action"),
        "reset": Key(COMMAND, "a shell command before every run"),
        "files": Key(Named(texts.file_inside, ANYTHING), "written into the directory that it runs in"),
        "env": Key(Named(texts.variable, ANYTHING), "environment variables"),
        "cwd": Key(choice(Cwd), "default: scratch"),
    },
    required=("action",),
)
REPRO: Shape[Repro] = ByKind(scalar=Then(COMMAND, lambda text: Repro(ShellCommand(text))), mapping=REPRO_KEYS)

LIMITS: Record[Limits] = Record(
    Limits,
    {
        "timeout": Key(DURATION, "of one run of the repro; default: 60s"),
        "install_timeout": Key(DURATION, "default: 15m"),
        "memory": Key(SIZE, "of the whole process tree"),
        "processes": Key(COUNT, "at one time"),
        "cpus": Key(POSITIVE, "processors' worth of time"),
        "disk": Key(SIZE, "what a trial may write"),
        "output": Key(SIZE, "kept of a log; default: 10MiB"),
        "gpu_memory": Key(SIZE, "through torch's own limit"),
        "network": Key(TRUTH, "false: the repro has none"),
    },
)


def _axes(pairs: tuple[tuple[str, tuple[str, ...]], ...]) -> tuple[Axis, ...]:
    return tuple(Axis(key, tuple(dict.fromkeys(values))) for key, values in pairs)


MATRIX: Shape[tuple[Axis, ...]] = Then(Named(texts.axis, Listed(ANYTHING)), _axes)
