"""The program that compiles packages makes what compileall makes, in each Python that can be hunted with."""

from __future__ import annotations

import os
import resource
import shutil
import subprocess
from pathlib import Path

import pytest

from bisector.environments import Interpreter, Interpreters
from bisector.environments.interpreters import GUEST

HERE = Interpreters(os.environ).list_all()
ODD = {
    "empty.py": b"",
    "syntax.py": b"print 'not for this Python'\n",
    "nothing.py": b"value = 1\0\n",
    "latin.py": b"# coding: latin-1\nname = '\xe9'\n",
    "unknown.py": b"# coding: nonsense\n",
    "bytes.py": b"name = '\xe9'\n",
    "deep.py": b"(" * 5000 + b")" * 5000,
    "warns.py": b"value = '\\d' is 'd'\n",
    "mark.py": b"\xef\xbb\xbfvalue = 1\r\n",
    "a\rname.py": b"value = 1\n",
    "h\xe9.py": b"value = __debug__\nassert value, 'said'\n",
    "top.py": b"def f(x: 'y') -> None:\n    'doc'\n    return lambda: (x, {1, 2}, 1.5, b'', ..., -1j)\n",
}


def tree(folder: Path, interpreter: Interpreter) -> Path:
    major, minor = interpreter.minor
    library = interpreter.prefix / "lib" / f"python{major}.{minor}"
    for name in ("json", "email"):
        shutil.copytree(library / name, folder / name, ignore=shutil.ignore_patterns("__pycache__"))
    for name, content in ODD.items():
        (folder / "odd" / name).parent.mkdir(exist_ok=True)
        (folder / "odd" / name).write_bytes(content)
    return folder


def compiled(folder: Path) -> list[str]:
    return sorted(str(path.relative_to(folder)) for path in folder.rglob("__pycache__/*"))


SAME = """\
import marshal, pathlib, sys
for name in sys.argv[3:]:
    one, other = ((pathlib.Path(top) / name).read_bytes() for top in sys.argv[1:3])
    size = 16 if sys.version_info >= (3, 7) else 12
    codes = [marshal.loads(made[size:]) for made in (one, other)]
    assert one[:size] == other[:size], name
    assert codes[0] == codes[1] and codes[0].co_filename == codes[1].co_filename, name
"""
"""Of equal bytes there are more than one kind: which objects are marked as shared is chance before 3.11."""


def modules(folder: Path) -> list[str]:
    return [f"./{path.relative_to(folder)}" for path in folder.rglob("*.py")]


def work(
    interpreter: Interpreter,
    folder: Path,
    names: list[str],
    listed: Path,
    *words: str,
    program: Path = GUEST / "compile.py",
) -> str:
    listed.write_text("".join(f"{name}\n" for name in names), encoding="utf-8", errors="surrogateescape")
    argv: list[str | Path] = [interpreter.path, "-I", "-S", "-W", "ignore", program, listed, *words]
    env = {"LANG": "C.UTF-8"}
    ran = subprocess.run(
        argv, cwd=folder, env=env, check=True, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True
    )
    return ran.stdout


@pytest.mark.parametrize("interpreter", HERE, ids=lambda one: one.version)
@pytest.mark.parametrize("shares", [1, 3])
def test_the_bytecode_is_that_of_compileall(tmp_path: Path, interpreter: Interpreter, shares: int) -> None:
    (tmp_path / "one").mkdir()
    one = tree(tmp_path / "one", interpreter)
    other = shutil.copytree(one, tmp_path / "other")
    work(interpreter, one, modules(one), tmp_path / "listed", str(shares))
    argv: list[str | Path] = [interpreter.path, "-I", "-S", "-W", "ignore", "-m", "compileall", "-q", "."]
    subprocess.run(argv, cwd=other, env={"LANG": "C.UTF-8"}, stdout=subprocess.DEVNULL)
    made = compiled(one)
    assert made == compiled(other)
    assert len(made) > 20
    subprocess.run([interpreter.path, "-I", "-c", SAME, one, other, *made], check=True)
    missing = {
        f"{Path(name).stem}." for name in ("syntax.py", "nothing.py", "unknown.py", "bytes.py", "deep.py")
    }
    assert not [name for name in made if name.rpartition("/")[2].startswith(tuple(missing))]


CHECKED = """\
import py_compile, sys, warnings
warnings.simplefilter("error")
for line in open(sys.argv[1], encoding="utf-8", errors="surrogateescape", newline="\\n"):
    source, target = line.rstrip("\\n").split("\\t")
    kind = py_compile.PycInvalidationMode.CHECKED_HASH
    try:
        cfile = sys.argv[2] + "/" + target.rpartition("/")[2]
        py_compile.compile(source, cfile=cfile, doraise=True, invalidation_mode=kind)
    except py_compile.PyCompileError:
        pass
"""


@pytest.mark.parametrize(
    "interpreter", [one for one in HERE if one.minor >= (3, 7)], ids=lambda one: one.version
)
@pytest.mark.parametrize("shares", [1, 3])
def test_apart_it_is_that_of_py_compile_and_nothing_of_what_warns(
    tmp_path: Path, interpreter: Interpreter, shares: int
) -> None:
    folder, made, other = tree(tmp_path / "tree", interpreter), tmp_path / "made", tmp_path / "other"
    made.mkdir()
    other.mkdir()
    names = modules(folder)
    listed = tmp_path / "listed"
    lines = (f"{name}\t{made / str(number)}\n" for number, name in enumerate([*names, names[0]]))
    listed.write_text("".join(lines), encoding="utf-8", errors="surrogateescape")
    for argv in ([GUEST / "compile.py", listed, str(shares), "apart"], ["-c", CHECKED, listed, other]):
        whole: list[str | Path] = [interpreter.path, "-I", "-S", *map(str, argv)]
        subprocess.run(whole, cwd=folder, env={"LANG": "C.UTF-8"}, check=True)
    ours = sorted(path.name for path in made.iterdir())
    assert ours == sorted(path.name for path in other.iterdir())
    assert len(ours) > 20
    assert str(names.index("./odd/warns.py")) not in ours
    subprocess.run([interpreter.path, "-I", "-c", SAME, made, other, *ours], check=True)


def test_what_lies_in_the_way_is_not_written_through(tmp_path: Path) -> None:
    """A package may have brought links where bytecode goes."""
    folder, mine = tmp_path / "site", tmp_path / "mine"
    (folder / "__pycache__").mkdir(parents=True)
    mine.write_text("mine")
    for name in ("one", "two"):
        (folder / f"{name}.py").write_text("value = 1\n")
    suffix = HERE[0].bytecode_suffix
    (folder / "__pycache__" / f"one{suffix}").symlink_to(mine)
    (folder / "__pycache__" / f"two{suffix}.half").symlink_to(mine)
    work(HERE[0], folder, modules(folder), tmp_path / "listed", "1")
    assert mine.read_text() == "mine"
    assert not (folder / "__pycache__" / f"one{suffix}").is_symlink()
    assert not (folder / "__pycache__" / f"two{suffix}").exists()


def test_a_module_that_is_gone_or_cannot_be_written_keeps_no_other(tmp_path: Path) -> None:
    folder, most = tmp_path / "site", 20_000
    folder.mkdir()
    (folder / "large.py").write_text("".join(f"name{number} = '{number}'\n" for number in range(most // 10)))
    (folder / "little.py").write_text("value = 1\n")
    listed, names = tmp_path / "listed", ["./gone.py", "./large.py", "./little.py"]
    listed.write_text("".join(f"{name}\n" for name in names))
    subprocess.run(
        [HERE[0].path, "-I", "-S", GUEST / "compile.py", listed, "2"],
        cwd=folder,
        check=True,
        preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (most, most)),
    )
    assert compiled(folder) == [f"__pycache__/little{HERE[0].bytecode_suffix}"]


SAYING = """
def pause(seconds):
    print(os.path.isdir("__pycache__"))
    if {is_idle_in_the_end} and not os.path.exists("room"):
        os.mkdir("room")
    elif {is_idle_in_the_end}:
        with open(RUNNING, "w") as file:
            file.write("0.00 0.00 0.00 1/99999 1")

time.sleep = pause
main()
"""


@pytest.mark.parametrize("is_idle_in_the_end", [True, False])
@pytest.mark.parametrize("interpreter", HERE, ids=lambda one: one.version)
def test_idle_it_lets_all_others_go_before_but_not_for_ever(
    tmp_path: Path, interpreter: Interpreter, is_idle_in_the_end: bool
) -> None:
    folder, running = tmp_path / "site", tmp_path / "loadavg"
    folder.mkdir()
    for name in ("one", "two"):
        (folder / f"{name}.py").write_text("value = 1\n")
    running.write_text("9.00 9.00 9.00 9999/99999 1\n")
    program = tmp_path / "compile.py"
    text = (GUEST / "compile.py").read_text().replace("/proc/loadavg", str(running))
    saying = SAYING.format(is_idle_in_the_end=is_idle_in_the_end)
    program.write_text(f"{text.removesuffix('main()' + chr(10))}{saying}")
    said = work(
        interpreter, folder, ["./one.py", "./two.py"], tmp_path / "listed", "1", "idle", program=program
    )
    assert said.split()[:2] == ["False", "False"]
    assert ("True" in said) is not is_idle_in_the_end
    assert len(compiled(folder)) == 2
