"""One TrialRequest -> one Trial: a clean tree, an environment, the repro in its cage. Facts, no opinion."""

from bisector.trial.perform import perform, prepare
from bisector.trial.prepared import Laid, Leave, Prepared
from bisector.trial.workbench import Step, Workbench

__all__ = ["Laid", "Leave", "Prepared", "Step", "Workbench", "perform", "prepare"]
