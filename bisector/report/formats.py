"""Every format a report can be had in, by the name that `bisector report --format` takes."""

from __future__ import annotations

from collections.abc import Callable
from enum import Enum

from bisector.model import Account
from bisector.report.html import as_html
from bisector.report.junit import as_junit
from bisector.report.machine import as_json, as_recipe
from bisector.report.markdown import as_markdown
from bisector.report.text import as_text


class Format(Enum):
    TEXT = "text"
    MARKDOWN = "md"
    HTML = "html"
    JSON = "json"
    JUNIT = "junit"
    RECIPE = "recipe"


RENDERERS: dict[Format, Callable[[Account], str]] = {
    Format.TEXT: as_text,
    Format.MARKDOWN: as_markdown,
    Format.HTML: as_html,
    Format.JSON: as_json,
    Format.JUNIT: as_junit,
    Format.RECIPE: as_recipe,
}
