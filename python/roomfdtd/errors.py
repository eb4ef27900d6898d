"""The exceptions of roomfdtd: one class for each exit status of the program."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import TypedDict


class Problem(TypedDict):
    """One mistake in a scene.

    ``place`` is the dotted key (``"receiver.R1.position"``, may be empty), ``line`` and ``column`` count from 1 in
    the scene's text (0: the scene as a whole), ``hint`` may be empty.
    """

    place: str
    line: int
    column: int
    message: str
    hint: str


class FdtdError(Exception):
    """Anything that ends a command of the engine.

    Parameters
    ----------
    message : str
        The problem and its place.
    hint : str
        The remedy; may be empty.
    status : int
        The exit status of the program for it.
    """

    status: int = 1

    def __init__(self, message: str, hint: str = "", status: int | None = None) -> None:
        super().__init__(message)
        self.message = message
        self.hint = hint
        if status is not None:
            self.status = status

    def __str__(self) -> str:
        return f"{self.message}\n  hint: {self.hint}" if self.hint else self.message

    def __reduce__(self) -> tuple[object, ...]:  # keeps hint and status on the way between processes
        return (type(self), (self.message, self.hint, self.status), self.__dict__)


class SceneError(FdtdError):
    """A mistake in the scene or the arguments.

    ``problems`` lists every problem of the scene; it is empty where an argument is at fault.
    """

    status = 2

    def __init__(
        self, message: str, hint: str = "", status: int | None = None, problems: Sequence[Problem] = ()
    ) -> None:
        super().__init__(message, hint, status)
        self.problems: list[Problem] = list(problems)


def misplaced(place: str, message: str, hint: str = "") -> SceneError:
    """The error of a value that no text of a scene can hold: its place is a key, without line and column."""
    problem: Problem = {"place": place, "line": 0, "column": 0, "message": message, "hint": hint}
    return SceneError(f"{place}: {message}", hint, problems=[problem])


class ResourceError(FdtdError):
    """A device or memory is missing or too small, or another program failed."""

    status = 3


class NumericalError(FdtdError):
    """A value is not finite, or the energy grows."""

    status = 4


class FileError(FdtdError):
    """A file cannot be read or written, or is damaged."""

    status = 5


class Interrupted(FdtdError):
    """A signal or ``max_time`` ended the run; a checkpoint is written."""

    status = 130


BY_STATUS: Mapping[int, type[FdtdError]] = {
    kind.status: kind for kind in (SceneError, ResourceError, NumericalError, FileError, Interrupted)
}


# Options of the program that messages and hints name, as arguments of Python.
_ARGUMENTS = (
    (r"the same command with", "the same call with"),
    (r"--(force|resume)(?![\w-])", r"\1=True"),
    (r"--device (\w+)", r'device="\1"'),
    (r"--threads (\d+)", r"threads=\1"),
    (r"with -o\b", "as output"),
    (r"memory=, --gradient-memory", "memory="),
)
_NAMES = {"from": "low", "to": "high", "set": "overrides"}
_OPTION = re.compile(r"(?<![\w/.-])--([a-z][a-z-]*)(?![\w=])")


def _in_python(text: str, names: Mapping[str, str]) -> str:
    """Options of the program in a text as arguments of Python; a command line stays as it is."""
    if "fdtd " in text:
        return text
    return _OPTION.sub(lambda found: names.get(found[1], found[1].replace("-", "_")), text)


def of_status(status: int, message: str, hint: str = "", names: Mapping[str, str] = {}) -> FdtdError:
    """The exception for an exit status of the program; it names arguments instead of options, by `names` where they differ."""
    if "fdtd " not in hint:
        for option, argument in _ARGUMENTS:
            hint = re.sub(option, argument, hint)
    names = _NAMES | dict(names)
    message = message.replace("\nRun with --help for more information.", "")
    return BY_STATUS.get(status, FdtdError)(_in_python(message, names), _in_python(hint, names), status)


def with_overrides(text: str) -> str:
    """The heads of problems in ``--set`` of the program as those of the argument."""
    return re.sub(r"^--set (?=.*?: )", "overrides ", text, flags=re.MULTILINE)
