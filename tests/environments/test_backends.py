"""Editable installs by the backends that projects use, with a registry at hand."""

from __future__ import annotations

import os

import pytest

from bisector.model import InstallMode

from .conftest import Lab

PROJECT = '[project]\nname = "proj"\nversion = "3"\ndescription = "x"\n[project.scripts]\nhi = "proj:hi"\n'
BACKENDS = {
    "setuptools": ("setuptools", "setuptools.build_meta", ""),
    "hatchling": ("hatchling", "hatchling.build", ""),
    "flit": ("flit_core", "flit_core.buildapi", ""),
    "poetry-core": ("poetry-core", "poetry.core.masonry.api", ""),
    "pdm": ("pdm-backend", "pdm.backend", ""),
}

pytestmark = pytest.mark.network


@pytest.fixture
def online(lab: Lab) -> Lab:
    """With the machine's own configuration of packages."""
    settings = {name: value for name, value in os.environ.items() if name.startswith(("PIP_", "UV_", "SSL_"))}
    lab.environ = {"PATH": os.environ["PATH"], "HOME": os.path.expanduser("~"), **settings}  # noqa: PTH111
    return lab


@pytest.mark.parametrize(("name", "layout"), [("setuptools", ""), *((name, "src/") for name in BACKENDS)])
def test_editable_by_each_backend(online: Lab, name: str, layout: str) -> None:
    requires, backend, more = BACKENDS[name]
    system = f'[build-system]\nrequires = ["{requires}"]\nbuild-backend = "{backend}"\n'
    module = f"{layout}proj/__init__.py"
    body = "import importlib.metadata\ndef hi(): print({}, importlib.metadata.version('proj'))\n"
    first = online.repo.commit(
        {"pyproject.toml": system + PROJECT + more, module: body.format(1), "README.md": ""}
    )
    second = online.repo.commit({module: body.format(2)})
    assert online.run(online.ready(first), "hi") == "1 3"
    before = (online.root / "log").read_text()
    ready = online.ready(second)
    assert online.run(ready, "hi") == "2 3"
    assert online.prove(ready) is None
    assert "hook.py" not in (online.root / "log").read_text().removeprefix(before)
    assert online.run(online.ready(second, InstallMode.WHEEL), "hi") == "2 3"


def test_a_version_from_tags_is_right_for_each_commit(online: Lab) -> None:
    files = {
        "pyproject.toml": '[build-system]\nrequires = ["setuptools", "setuptools-scm"]\n'
        'build-backend = "setuptools.build_meta"\n[project]\nname = "proj"\ndynamic = ["version"]\n'
        '[tool.setuptools_scm]\nwrite_to = "proj/_version.py"\n',
        "proj/__init__.py": "from proj._version import version\n",
        ".gitignore": "_version.py\n*.egg-info\n",
    }
    first = online.repo.commit(files)
    online.repo.git("tag", "v1.0", first)
    second = online.repo.commit({"proj/more.py": ""})
    say = (
        "import proj, importlib.metadata as m; assert m.version('proj') == proj.version; print(proj.version)"
    )
    assert online.say(online.ready(first), say) == "1.0"
    assert online.say(online.ready(second), say).startswith("1.1.dev1+g")
    assert online.say(online.ready(first), say) == "1.0"
