"""The releases between two versions, as each installer would choose them: index, folder, cut-off, password."""

from __future__ import annotations

import importlib.util
import os
from collections.abc import Iterator
from dataclasses import replace
from datetime import datetime, timezone
from pathlib import Path

import pytest

from bisector.environments import Between
from bisector.installers.pip import Pip
from bisector.model import EnvironmentRequest, Trouble, Untestable

from ..environments.conftest import PROJECT, Lab, Repo, make_wheel
from ..environments.registry import serve
from ..environments.test_resolution import make_sdist

VERSIONS = ("1.0", "1.1", "1.2", "1.10", "2.0rc1", "2.0")
BETWEEN = Between("dep", "1.0", "2.0")


@pytest.fixture
def lab(tmp_path: Path) -> Iterator[Lab]:
    """A folder of wheels, and no index."""
    wheels = tmp_path / "wheels"
    for version in VERSIONS:
        make_wheel(wheels, "dep", version, requires=["missing"])
    environ = {
        "PATH": os.environ["PATH"],
        "HOME": str(tmp_path),
        "PIP_CONFIG_FILE": os.devnull,
        "PIP_NO_INDEX": "1",
        "PIP_FIND_LINKS": str(wheels),
    }
    made = Lab(tmp_path, Repo(tmp_path / "tree"), environ, wheels)
    made.repo.commit(PROJECT)
    yield made
    for opened in made.environments:
        opened.close()


def offered(lab: Lab, between: Between = BETWEEN, **more: object) -> tuple[str, ...] | Untestable | Trouble:
    request: EnvironmentRequest = lab.request("HEAD", **more)  # type: ignore[arg-type]
    return lab.current.releases(between, request, lab.place())


def test_those_between_newest_first(lab: Lab) -> None:
    """What a release requires need not be there; prereleases are not chosen."""
    assert offered(lab) == ("1.10", "1.2", "1.1")
    assert offered(lab, Between("dep", "1.10", "1.0")) == ("1.2", "1.1")
    assert offered(lab, Between("dep", "1.1", "1.2")) == ()
    assert offered(lab, Between("nobody", "1", "2")) == ()


def test_pip_offers_the_same(lab: Lab) -> None:
    """Once only: each release costs a start of pip."""
    lab.open(installers=(Pip(),))
    assert offered(lab, Between("dep", "1.2", "2.0")) == ("1.10",)


def test_none_that_was_uploaded_later(lab: Lab, tmp_path: Path) -> None:
    with serve(lab.wheels) as registry:
        for number, version in enumerate(VERSIONS):
            registry.uploaded[f"dep-{version}-py3-none-any.whl"] = f"202{number}-01-01T00:00:00Z"
        lab.environ |= {"PIP_NO_INDEX": "0", "PIP_FIND_LINKS": "", "PIP_INDEX_URL": registry.url}
        assert offered(lab, as_of=datetime(2022, 6, 1, tzinfo=timezone.utc)) == ("1.2", "1.1")
        assert offered(lab) == ("1.10", "1.2", "1.1")


def test_an_index_that_asks_for_a_password(lab: Lab) -> None:
    with serve(lab.wheels) as registry:
        registry.password = "sesame-open-wide"
        lab.environ |= {"PIP_NO_INDEX": "0", "PIP_FIND_LINKS": "", "PIP_INDEX_URL": registry.url}
        assert offered(lab) == ("1.10", "1.2", "1.1")
    assert "sesame" not in (lab.root / "log").read_text()


def test_a_source_between_wheels_shows_once_they_are_out_of_the_way(lab: Lab) -> None:
    virtualenv = importlib.util.find_spec("virtualenv")
    assert virtualenv is not None and virtualenv.origin is not None
    embedded = Path(virtualenv.origin).parent / "seed" / "wheels" / "embed"
    lab.environ["PIP_FIND_LINKS"] += f" {embedded}"
    make_sdist(lab.wheels, "dep", "1.1.5")
    assert offered(lab) == ("1.10", "1.2", "1.1")
    assert offered(lab, replace(BETWEEN, one="1.1", other="1.2")) == ("1.1.5",)


def test_an_index_that_is_down_is_trouble(lab: Lab) -> None:
    lab.environ |= {"PIP_NO_INDEX": "0", "PIP_INDEX_URL": "http://127.0.0.1:9/simple", "UV_HTTP_RETRIES": "0"}
    assert isinstance(offered(lab), Trouble)
