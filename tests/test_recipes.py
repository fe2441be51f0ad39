"""Every recipe that we show, in recipes/ and in the pages: sound to us and to a stock validator."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from collections.abc import Iterator, Mapping
from itertools import pairwise
from pathlib import Path

import jsonschema
import pytest
import yaml
from markdown_it import MarkdownIt

from bisector.recipe.load import load
from bisector.recipe.support import NOT_YET

ROOT = Path(__file__).parents[1]
RECIPES = sorted((ROOT / "recipes").glob("*.yaml"))
PAGES = [*sorted(ROOT.glob("*.md")), *sorted((ROOT / "docs").glob("*.md"))]
REFERENCE = ROOT / "docs" / "recipe.md"
TOP = "repo: x\ngood: a\nbad: b\nrepro: x\n"


def _page(path: Path) -> str:
    return path.relative_to(ROOT).as_posix()


def _blocks() -> Iterator[tuple[str, str]]:
    """Every YAML block of every page; one that is only a part of a recipe is given the rest."""
    for path in PAGES:
        for token in MarkdownIt().parse(path.read_text()):
            if token.type == "fence" and token.info == "yaml":
                assert token.map
                text = token.content
                if not re.search(r"^repo:", text, re.MULTILINE):
                    text = _completed(text)
                yield f"{_page(path)}:{token.map[0] + 1}", text


def _completed(part: str) -> str:
    """A part that names the repro itself must not get another."""
    own = set(yaml.safe_load(part))
    return "".join(line + "\n" for line in TOP.splitlines() if line.split(":")[0] not in own) + part


@pytest.fixture(scope="module")
def validator() -> jsonschema.Draft7Validator:
    printed = subprocess.run(
        [sys.executable, "-m", "bisector", "schema"], capture_output=True, check=True, cwd=ROOT
    )
    return jsonschema.Draft7Validator(json.loads(printed.stdout))


def _sound(
    text: str,
    name: str,
    validator: jsonschema.Draft7Validator,
    not_yet: Mapping[str, frozenset[str]] = NOT_YET,
) -> None:
    load(text, name, base=ROOT / "recipes", not_yet=not_yet)
    validator.validate(json.loads(json.dumps(yaml.safe_load(text), default=str)))


@pytest.mark.parametrize("path", RECIPES, ids=_page)
def test_a_recipe_of_ours_is_sound(path: Path, validator: jsonschema.Draft7Validator) -> None:
    _sound(path.read_text(), path.name, validator)


@pytest.mark.parametrize(("place", "text"), [pytest.param(*block, id=block[0]) for block in _blocks()])
def test_a_recipe_in_a_page_is_sound(place: str, text: str, validator: jsonschema.Draft7Validator) -> None:
    _sound(text, place, validator, {} if place.startswith(_page(REFERENCE)) else NOT_YET)


def test_the_reference_names_every_key(validator: jsonschema.Draft7Validator) -> None:
    """Each in code: `key` or `section.key`, or in a block."""
    words = set(re.findall(r"[\w-]+", " ".join(_code(REFERENCE.read_text()))))
    missing = sorted(set(_keys(validator.schema)) - words)
    assert missing == []


def test_the_reference_tells_what_is_not_supported_yet() -> None:
    tail = REFERENCE.read_text().partition("## Not yet\n")[2]
    listed = re.findall(r"^- `([\w.]+)`$", tail, re.MULTILINE)
    assert listed == list(NOT_YET), "docs/recipe.md lists under `Not yet` what recipe/support.py refuses"


def _code(text: str) -> Iterator[str]:
    for token in MarkdownIt("gfm-like", {"linkify": False}).parse(text):
        if token.type == "fence":
            yield token.content
        yield from (child.content for child in token.children or () if child.type == "code_inline")


def _keys(schema: object) -> Iterator[str]:
    """The names of properties at any depth, one spelling each."""
    if isinstance(schema, Mapping):
        yield from (str(name) for name in schema.get("properties", {}) if "-" not in name)
        schema = list(schema.values())
    if isinstance(schema, list):
        for part in schema:
            yield from _keys(part)


@pytest.mark.parametrize("path", PAGES, ids=_page)
def test_links_between_pages_lead_somewhere(path: Path) -> None:
    for token in MarkdownIt().parse(path.read_text()):
        for child in token.children or ():
            target = child.attrs.get("href")
            if isinstance(target, str) and not re.match(r"[a-z]+:|#", target):
                file, _, anchor = target.partition("#")
                assert (path.parent / file).exists(), f"{_page(path)}: {target}"
                assert not anchor or anchor in _anchors(path.parent / file), f"{_page(path)}: {target}"


def _anchors(page: Path) -> set[str]:
    """As GitHub makes them of headings."""
    tokens = MarkdownIt().parse(page.read_text())
    titles = [after.content for before, after in pairwise(tokens) if before.type == "heading_open"]
    return {re.sub(r"[^\w\- ]", "", title.lower()).replace(" ", "-") for title in titles}
