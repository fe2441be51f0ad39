"""What one hunt amounts to, for people and programs: text, Markdown, HTML, JSON, JUnit XML, the recipe.

Everything is derived from an Account, purely: no clock, no files but the templates of this package.
"""

from bisector.report.build import build
from bisector.report.formats import RENDERERS, Format
from bisector.report.shape import Report
from bisector.report.text import as_text

__all__ = ["RENDERERS", "Format", "Report", "as_text", "build"]
