"""The one door to our own tools: git, uv, pip, py-spy. List arguments, explicit cwd and environment.

Knows nothing of what it runs. Code of the hunted project is not run here but in a cage (`caps`).
"""

from bisector.process.child import Finished, ProgramMissing
from bisector.process.command import run
from bisector.process.conversation import Conversation, Quiet, start

__all__ = ["Conversation", "Finished", "ProgramMissing", "Quiet", "run", "start"]
