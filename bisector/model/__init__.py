"""The words everything else is said in: frozen values without behaviour of their own.

Facts (what was observed) and opinions (what was concluded) stay apart: a Trial is a fact, a Verdict is not.
"""

from bisector.model.account import Account, Confirmation, Culprit, JudgedTrial
from bisector.model.environment import (
    AsOf,
    DependencyChange,
    EnvironmentFacts,
    EnvironmentRequest,
    Index,
    InstallMode,
    Lock,
    package_of,
)
from bisector.model.history import Change, Commit, End, FoundBy, PullRequest
from bisector.model.limits import Cap, CapHit, Limits, Stopped
from bisector.model.trials import (
    ALTERED,
    Outcome,
    Places,
    Purpose,
    Ran,
    Run,
    Stage,
    Trial,
    Trouble,
    Untestable,
)
from bisector.model.words import Ending, Find, Judgement, Terms, Verdict

__all__ = [
    "ALTERED",
    "Account",
    "AsOf",
    "Cap",
    "CapHit",
    "Change",
    "Commit",
    "Confirmation",
    "Culprit",
    "DependencyChange",
    "End",
    "Ending",
    "EnvironmentFacts",
    "EnvironmentRequest",
    "Find",
    "FoundBy",
    "Index",
    "InstallMode",
    "JudgedTrial",
    "Judgement",
    "Limits",
    "Lock",
    "Outcome",
    "Places",
    "PullRequest",
    "Purpose",
    "Ran",
    "Run",
    "Stage",
    "Stopped",
    "Terms",
    "Trial",
    "Trouble",
    "Untestable",
    "Verdict",
    "package_of",
]
