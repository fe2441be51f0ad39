"""bisector itself reads and writes where a build could: nothing that the build laid there leads it elsewhere."""

from __future__ import annotations

from pathlib import Path

import pytest

from bisector.environments import Ready, artefacts
from bisector.model import InstallMode, Trouble, Untestable

from .conftest import PROJECT, Lab
from .test_hostile_builds import backend

PRECIOUS = "the user's own"


@pytest.fixture
def victim(tmp_path: Path) -> Path:
    """A file outside of everything that a trial may touch."""
    folder = tmp_path / "outside"
    folder.mkdir()
    (folder / "victim").write_text(PRECIOUS)
    return folder / "victim"


@pytest.mark.parametrize("name", ["job.json", "answer.json", "record", "out", "home", "moment"])
def test_nothing_is_written_to_what_a_step_linked(lab: Lab, victim: Path, name: str) -> None:
    step = f"rm -rf $TMPDIR/{name}; ln -s {victim} $TMPDIR/{name}"
    made = lab.prepare(lab.repo.commit(PROJECT), build=(step,))
    assert isinstance(made, Ready | Untestable | Trouble)
    if name != "record" and name != "answer.json":
        # These two the build's own code writes; in its cage it could not.
        assert victim.read_text() == PRECIOUS


LINKED_WHEEL = """
with zipfile.ZipFile(folder + "/../real.zip", "w") as archive:
    archive.writestr("proj-1.dist-info/METADATA", "Name: proj")
os.symlink(os.path.abspath({target!r}), folder + "/a.whl")
return "a.whl"
"""


def test_a_wheel_that_is_a_link_out_is_not_read(lab: Lab, tmp_path: Path) -> None:
    """What bisector can read and the build could not would be handed to the trial."""
    body = LINKED_WHEEL.format(target=str(tmp_path / "private.whl"))
    made = lab.prepare(lab.repo.commit(backend(body)))
    assert isinstance(made, Untestable)
    assert "no wheel that can be read" in made.reason


PIPE = """
import atexit
def pipe():
    answer = os.path.join(os.path.dirname(sys.argv[1]), "answer.json")
    if os.path.exists(answer):
        os.unlink(answer)
    os.mkfifo(answer)
atexit.register(pipe)
with zipfile.ZipFile(folder + "/a.whl", "w") as archive:
    archive.writestr("proj-1.dist-info/METADATA", "Name: proj")
return "a.whl"
"""


def test_an_answer_that_never_ends_is_none(lab: Lab) -> None:
    made = lab.prepare(lab.repo.commit(backend(PIPE)))
    assert isinstance(made, Untestable)
    assert "without an answer" in made.reason


BOMB = """
with zipfile.ZipFile(folder + "/a.whl", "w", zipfile.ZIP_DEFLATED) as archive:
    archive.writestr("proj-1.dist-info/METADATA", "Name: proj")
    with archive.open("proj/huge", "w", force_zip64=True) as file:
        for _ in range(300):
            file.write(bytes(1 << 20))
return "a.whl"
"""


def test_a_wheel_that_explodes_is_not_unpacked(lab: Lab) -> None:
    made = lab.prepare(lab.repo.commit(backend(BOMB)))
    assert isinstance(made, Untestable)
    assert "would unpack to" in made.reason


def test_what_is_put_back_replaces_a_link_and_writes_to_none(tmp_path: Path, victim: Path) -> None:
    kept, tree = tmp_path / "kept", tmp_path / "tree"
    for folder in (kept, tree):
        folder.mkdir()
    (kept / "made.py").write_text("made")
    (kept / "alias").symlink_to("made.py")
    (tree / "made.py").symlink_to(victim)
    (tree / "alias").symlink_to(victim)
    artefacts.put_back(kept, tree)
    assert victim.read_text() == PRECIOUS
    assert (tree / "made.py").read_text() == (tree / "alias").read_text() == "made"


@pytest.mark.parametrize("mode", [InstallMode.EDITABLE, InstallMode.PYTHONPATH])
def test_an_install_path_that_leads_out_of_the_tree_is_none(
    lab: Lab, tmp_path: Path, mode: InstallMode
) -> None:
    lab.repo.commit(PROJECT)
    (tmp_path / "elsewhere").mkdir()
    (lab.repo.tree / "src").symlink_to(tmp_path / "elsewhere")
    lab.repo.git("add", "--all")
    lab.repo.git("commit", "--quiet", "--message", "a way out")
    made = lab.prepare(lab.repo.git("rev-parse", "HEAD"), mode, paths=("src",))
    assert isinstance(made, Untestable)
    assert "has none of src" in made.reason
