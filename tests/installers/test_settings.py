"""The machine's package configuration, as each installer is told it."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from bisector.installers.settings import (
    Sources,
    for_strangers,
    local_folders,
    pip_environment,
    redact,
    sources,
    uv_environment,
)
from bisector.model import Index

NONE = Index()


def home(tmp_path: Path, text: str) -> dict[str, str]:
    """A user whose pip.conf holds `text`, on a machine without any other."""
    config = tmp_path / ".config" / "pip" / "pip.conf"
    config.parent.mkdir(parents=True)
    config.write_text(text)
    return {"HOME": str(tmp_path), "XDG_CONFIG_DIRS": str(tmp_path / "none"), "PATH": "/usr/bin"}


def test_pip_conf_is_handed_to_uv(tmp_path: Path) -> None:
    environ = home(
        tmp_path,
        "[global]\nindex-url = https://one.example/simple\nextra-index-url =\n    https://two.example/simple\n"
        "    https://three.example/simple\nfind-links = /wheels\ncert = /ca.pem\nproxy = http://proxy.example:3128\n"
        "[install]\ntrusted-host = two.example\n",
    )
    told = uv_environment(environ, sources(environ, NONE), NONE)
    assert told["UV_DEFAULT_INDEX"] == "https://one.example/simple"
    assert told["UV_EXTRA_INDEX_URL"] == "https://two.example/simple https://three.example/simple"
    assert told["UV_INDEX_STRATEGY"] == "unsafe-best-match"
    assert told["UV_FIND_LINKS"] == "/wheels"
    assert told["UV_INSECURE_HOST"] == "two.example"
    assert told["HTTPS_PROXY"] == told["HTTP_PROXY"] == "http://proxy.example:3128"
    assert told["SSL_CERT_FILE"] == "/ca.pem" or "cert" in environ


def test_who_asks_for_torch_without_an_accelerator_gets_it_so(tmp_path: Path) -> None:
    environ = home(tmp_path, "") | {"UV_TORCH_BACKEND": "cpu"}
    assert uv_environment(environ, sources(environ, NONE), NONE)["UV_TORCH_BACKEND"] == "cpu"


def test_variables_go_before_files_and_the_recipe_before_both(tmp_path: Path) -> None:
    environ = home(tmp_path, "[global]\nindex-url = https://file.example/\nfind-links = /file\n")
    assert sources(environ, NONE).index_url == "https://file.example/"
    environ |= {"PIP_INDEX_URL": "https://variable.example/", "PIP_FIND_LINKS": "/a /b"}
    found = sources(environ, Index(find_links=("/own",), index_url="https://recipe.example/"))
    assert found.index_url == "https://recipe.example/"
    assert found.find_links == ("/own", "/a", "/b")


def test_what_uv_was_told_itself_goes_before_pips(tmp_path: Path) -> None:
    environ = home(tmp_path, "[global]\nindex-url = https://pip.example/\nfind-links = /pip\n")
    environ |= {"UV_INDEX_URL": "https://uv.example/", "UV_FIND_LINKS": "/uv"}
    told = uv_environment(environ, sources(environ, NONE), NONE)
    assert "UV_DEFAULT_INDEX" not in told
    assert told["UV_INDEX_URL"] == "https://uv.example/"
    assert told["UV_FIND_LINKS"] == "/pip,/uv"
    recipe = Index(index_url="https://recipe.example/")
    told = uv_environment(environ, sources(environ, recipe), recipe)
    assert told["UV_DEFAULT_INDEX"] == "https://recipe.example/"
    assert "UV_INDEX_URL" not in told


def test_no_file_is_read_when_the_user_says_so(tmp_path: Path) -> None:
    environ = home(tmp_path, "[global]\nindex-url = https://file.example/\n")
    assert sources({**environ, "PIP_CONFIG_FILE": os.devnull}, NONE) == Sources()


def test_a_file_of_its_own_and_an_interpreters(tmp_path: Path) -> None:
    environ = home(tmp_path, "[global]\nindex-url = https://user.example/\n")
    (tmp_path / "pip.conf").write_text("[global]\nindex_url = https://prefix.example/\n")
    assert sources(environ, NONE, tmp_path).index_url == "https://prefix.example/"
    (tmp_path / "own.conf").write_text("[global]\nindex-url = https://own.example/\n")
    environ["PIP_CONFIG_FILE"] = str(tmp_path / "own.conf")
    assert sources(environ, NONE, tmp_path).index_url == "https://own.example/"


@pytest.mark.parametrize("text", ["no section\n", "[global\n", "\x00"], ids=["headless", "open", "binary"])
def test_a_broken_file_counts_as_none(tmp_path: Path, text: str) -> None:
    assert sources(home(tmp_path, text), NONE).index_url is None


def test_nothing_else_of_the_user_reaches_an_installer(tmp_path: Path) -> None:
    environ = {
        "HOME": str(tmp_path),
        "PATH": "/usr/bin",
        "GITHUB_TOKEN": "secret",
        "PYTHONPATH": "/somewhere",
        "UV_SYSTEM_PYTHON": "1",
        "PIP_TARGET": "/elsewhere",
        "PIP_REQUIRE_VIRTUALENV": "1",
        "https_proxy": "http://proxy.example",
    }
    for told in (
        uv_environment(environ, sources(environ, NONE), NONE),
        pip_environment(environ, sources(environ, NONE)),
    ):
        assert told["https_proxy"] == "http://proxy.example"
        refused = {"GITHUB_TOKEN", "PYTHONPATH", "UV_SYSTEM_PYTHON", "PIP_TARGET", "PIP_REQUIRE_VIRTUALENV"}
        assert not refused & told.keys()


def test_pip_reads_no_file_again(tmp_path: Path) -> None:
    environ = home(
        tmp_path, "[global]\nextra-index-url = https://a.example/ https://b.example/\nno-index = yes\n"
    )
    told = pip_environment(environ, sources(environ, NONE))
    assert told["PIP_CONFIG_FILE"] == os.devnull
    assert told["PIP_EXTRA_INDEX_URL"] == "https://a.example/ https://b.example/"
    assert told["PIP_NO_INDEX"] == "1"


def test_folders_with_spaces_and_commas_survive_both_lists() -> None:
    found = sources({"PIP_CONFIG_FILE": os.devnull}, Index(find_links=("/my wheels,old",)))
    assert found.find_links == ("file:///my%20wheels%2Cold",)
    assert local_folders(found) == (Path("/my wheels,old"),)


def test_credentials_are_shown_nowhere() -> None:
    index = Index(index_url="https://me:hidden@one.example/simple", find_links=("https://tok@two.example/",))
    found = sources({"PIP_CONFIG_FILE": os.devnull, "PIP_PROXY": "http://u:hidden@proxy"}, index)
    assert "hidden" not in repr(found)
    assert redact("see https://me:hidden@one.example/simple and ssh://git@host/x") == (
        "see https://***@one.example/simple and ssh://***@host/x"
    )
    assert redact("value 'https://me:hid/den@one.example/simple', https://me:hid@den@one.example/") == (
        "value 'https://***@one.example/simple', https://***@one.example/"
    )
    for plain in ("git+https://one.example/a/b@v1", "http://one.example:8080/a@v1", "file:///a@b"):
        assert redact(plain) == plain


def test_code_of_strangers_is_told_no_secret() -> None:
    told = for_strangers(
        {
            "PIP_INDEX_URL": "https://me:hunter2@example.org/simple",
            "UV_EXTRA_INDEX_URL": "https://tok@a.example/x https://b.example/y",
            "HTTPS_PROXY": "http://me:hunter2@proxy.example:3128",
            "UV_PUBLISH_TOKEN": "hunter2",
            "UV_INDEX_INTERNAL_PASSWORD": "hunter2",
            "NETRC": "/home/me/.netrc",
            "PATH": "/usr/bin",
        }
    )
    assert told == {
        "PIP_INDEX_URL": "https://example.org/simple",
        "UV_EXTRA_INDEX_URL": "https://a.example/x https://b.example/y",
        "HTTPS_PROXY": "http://proxy.example:3128",
        "PATH": "/usr/bin",
    }
