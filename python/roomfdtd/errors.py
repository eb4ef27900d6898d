"""The exceptions of roomfdtd: one class for each exit status of the program."""

from __future__ import annotations

import contextlib
import json
import re
from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, TypedDict

if TYPE_CHECKING:
    from .scene import Scene


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


def of_extension(error: Exception, name: str) -> FdtdError:
    """The exception for an error of the extension, which calls the scene's text by a name."""
    status, message, hint, problems = error.args
    message = with_overrides(message.replace(name, "scene.toml").rstrip())
    found: list[Problem] = json.loads(problems)
    return SceneError(message, hint, problems=found) if found else of_status(status, message, hint)


def with_overrides(text: str) -> str:
    """The heads of problems in ``--set`` of the program as those of the argument."""
    return re.sub(r"^--set (?=.*?: )", "overrides ", text, flags=re.MULTILINE)


@contextlib.contextmanager
def of_scene(scene: Scene) -> Iterator[None]:
    """Errors of the engine name what the user has written: the scene's file and lines, or the keys of a scene built in Python."""
    try:
        yield
    except FdtdError as error:
        if scene._name:
            error.message = _NAME.sub(lambda _: scene._name, error.message)
        else:
            _name_keys(error, scene.to_toml())
        error.args = (error.message,)
        raise


_HEAD = re.compile(r"scene\.toml(?::(\d+):\d+)?: ")
_MARK = re.compile(r" *\d* \| ")
_LINE = re.compile(r" \(line (\d+)\)")
_NAME = re.compile(r"(?<![\w./-])scene\.toml\b")
_FOLDER = re.compile(r"paths are relative to the scene file's folder")
_IN_PYTHON = "paths are relative to `folder` of the scene, or to the current folder"


def notes_of(notes: Sequence[str], scene: Scene) -> list[str]:
    """Notes of a plan, with keys in the place of lines where the scene is built in Python."""
    return list(notes) if scene._name else [_keyed(one, scene.to_toml()) for one in notes]


def _keyed(words: str, text: str) -> str:
    return _LINE.sub(lambda found: f" ({key_of_line(text, int(found[1]))})", words)


def _name_keys(error: FdtdError, text: str) -> None:
    """Keys in the place of lines: in the message, and where a problem has no other place."""

    error.hint = _FOLDER.sub(_IN_PYTHON, error.hint)
    problems = error.problems if isinstance(error, SceneError) else []
    for problem in problems:
        problem["message"] = _keyed(problem["message"], text)
        problem["hint"] = _FOLDER.sub(_IN_PYTHON, problem["hint"])
        problem["place"] = problem["place"] or key_of_line(text, problem["line"])
    lines: list[str] = []
    skips = False  # the line of a text that nobody wrote, and its mark
    for line in error.message.split("\n"):
        head = _HEAD.match(line)
        skips = head is not None or (skips and _MARK.match(line) is not None)
        if head is not None:
            key = key_of_line(text, int(head[1] or 0))
            rest = line[head.end() :]
            has_place = any(one["place"] and rest.startswith(f"{one['place']}: ") for one in problems)
            lines.append(_keyed(rest if has_place or not key else f"{key}: {rest}", text))
        elif not skips:
            lines.append(_NAME.sub("the scene", _FOLDER.sub(_IN_PYTHON, line)))
    error.message = "\n".join(lines)


def key_of_line(text: str, line: int) -> str:
    """The key that a line of a text of :mod:`roomfdtd._toml` states, such as ``source[1].position``; empty: none."""
    section = key = ""
    counts: dict[str, int] = {}
    for one in text.splitlines()[:line]:
        if found := re.fullmatch(r"\[\[(.+)\]\]", one):
            counts[found[1]] = counts.get(found[1], -1) + 1
            section, key = f"{found[1]}[{counts[found[1]]}]", ""
        elif found := re.fullmatch(r"\[(.+)\]", one):
            section, key = found[1], ""
        elif found := re.match(r"([A-Za-z0-9_-]+|\"(?:[^\"\\]|\\.)*\") = ", one):
            key = found[1]
    return ".".join(part for part in (section, key) if part)
