"""One TrialRequest -> one Trial: a clean tree, an environment, the repro in its cage. Facts, no opinion."""

from bisector.trial.perform import perform
from bisector.trial.workbench import Step, Workbench

__all__ = ["Step", "Workbench", "perform"]
