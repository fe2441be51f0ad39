"""What an environment must hold for one commit's project, what must be built, whether its Python may. Pure."""

from __future__ import annotations

from bisector.environments.backend import Kind
from bisector.environments.interpreters import Interpreter
from bisector.environments.project import Project
from bisector.environments.requirements import Metadata, declared, merge, name_of
from bisector.model import EnvironmentRequest, InstallMode, Stage, Untestable

INSTALLED = {InstallMode.EDITABLE: Kind.EDITABLE, InstallMode.WHEEL: Kind.WHEEL}
"""How an installer would put the project itself there, and the build that this takes."""


def installs(request: EnvironmentRequest) -> bool:
    """Whether the project itself is put there as an installer would."""
    return request.mode in INSTALLED


def refusal(
    request: EnvironmentRequest, metadata: Metadata | None, interpreter: Interpreter
) -> Untestable | None:
    """An installer would refuse a project for another Python; on PYTHONPATH nobody asks."""
    allowed = metadata.requires_python if metadata is not None else None
    if not installs(request) or allowed is None or interpreter.version in allowed:
        return None
    return Untestable(
        Stage.INTERPRETER,
        f"this commit requires Python {allowed}, not {interpreter.version} (python, or a pin)",
    )


def build(request: EnvironmentRequest, found: Project) -> Kind | None:
    """Which build a request needs; None: none at all."""
    if installs(request):
        return INSTALLED[request.mode]
    if request.build:
        return Kind.STEPS
    if request.declared and found.metadata is None and found.can_build:
        return Kind.METADATA
    return None


def requirements(
    request: EnvironmentRequest, metadata: Metadata | None, interpreter: Interpreter
) -> tuple[str, ...]:
    if not request.declared or metadata is None:
        return request.requirements
    return merge(declared(metadata, request.extras, interpreter.version), request.requirements)


def without_itself(
    lines: tuple[str, ...], request: EnvironmentRequest, metadata: Metadata | None
) -> tuple[str, ...]:
    """A plug-in among the requirements may bring a released copy of the very project that is hunted."""
    if not installs(request) or metadata is None or metadata.name is None:
        return lines
    own = name_of(metadata.name)
    asked = {name_of(line) for line in request.requirements}
    return tuple(line for line in lines if name_of(line) != own or own in asked)
