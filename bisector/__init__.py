"""bisector: one recipe in; the commit that broke it, proven and linked to its pull request, out."""

__version__ = "0.1.0"
