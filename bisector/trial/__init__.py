"""One TrialRequest -> one Trial: a clean tree, an environment, the repro in its cage. Facts, no opinion."""

from bisector.trial.perform import Prepared, perform, prepare
from bisector.trial.workbench import Step, Workbench

__all__ = ["Prepared", "Step", "Workbench", "perform", "prepare"]
