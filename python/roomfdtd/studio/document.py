"""The scene that is edited: its TOML text, steps back and forward, and its file.

Edits are made on the text by tomlkit, so comments and the order of an opened file stay. Nothing here knows a browser.
"""

from __future__ import annotations

import os
import tempfile
import tomllib
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import tomlkit
from tomlkit.exceptions import TOMLKitError

from ..errors import FdtdError, FileError, SceneError

MOST_BYTES = 4 * 2**20  # of a scene, as the program has it
MOST_STEPS = 500  # back


class ChangedOnDisk(FdtdError):
    """Another program has written the file since it was opened or saved."""

    status = 5


@dataclass(frozen=True)
class Step:
    """A text, and the edit that made the next one of it."""

    text: str
    label: str


class SceneDocument:
    """A scene as text that can be edited, undone and saved.

    Parameters
    ----------
    text : str
        In TOML.
    path : Path, optional
        The file that it was read from.
    stored : bytes, optional
        Contents of that file; None where there is none yet.
    """

    def __init__(self, text: str, path: Path | None = None, stored: bytes | None = None) -> None:
        _tables(text)
        self.path = path
        self.revision = 0  # grows with every change of the text
        self._text = text
        self._stored = stored
        self._back: list[Step] = []
        self._forward: list[Step] = []

    @classmethod
    def open(cls, path: Path) -> SceneDocument:
        """The scene of a file.

        Raises
        ------
        FileError
            The file cannot be read.
        SceneError
            It is no TOML, or too large.
        """
        stored = _read(path)
        if stored is None:
            raise FileError(f"{path}: there is no such file", "without a scene the studio begins with a box")
        try:
            text = stored.decode("utf-8")
        except UnicodeDecodeError as error:
            raise SceneError(f"{path}: it is not UTF-8 ({error.reason} at byte {error.start})") from error
        try:
            return cls(text, path, stored)
        except SceneError as error:
            raise SceneError(f"{path}: {error.message}", error.hint) from error

    @property
    def text(self) -> str:
        """The scene in TOML."""
        return self._text

    @property
    def tables(self) -> dict[str, Any]:
        """A copy of the scene as dictionaries and lists."""
        return _tables(self._text)

    @property
    def dirty(self) -> bool:
        """Does the text differ from the file?"""
        return self._stored is None or self._text.encode() != self._stored

    @property
    def undo_label(self) -> str:
        """The edit that :meth:`undo` takes back; empty where there is none."""
        return self._back[-1].label if self._back else ""

    @property
    def redo_label(self) -> str:
        """The edit that :meth:`redo` makes again; empty where there is none."""
        return self._forward[-1].label if self._forward else ""

    def edit(self, label: str, change: Callable[[tomlkit.TOMLDocument], object]) -> bool:
        """Change the scene; whether it differs afterwards.

        Parameters
        ----------
        label : str
            Names the edit: "move S1".
        change : callable
            Changes the document that it is called with. Where it raises, nothing has changed.
        """
        document = tomlkit.parse(self._text)
        change(document)
        text = tomlkit.dumps(document)
        if _tables(text) != document.unwrap():
            raise SceneError(f"{label}: the scene's text could not take it", "write it in an editor, and open it again")
        return self.replace_text(label, text)

    def replace_text(self, label: str, text: str) -> bool:
        """Take another text as an edit; whether it differs.

        Raises
        ------
        SceneError
            It is no TOML; nothing has changed.
        """
        _tables(text)
        if text == self._text:
            return False
        self._back = [*self._back, Step(self._text, label)][-MOST_STEPS:]
        self._forward = []
        self._take(text)
        return True

    def undo(self) -> str:
        """Take the latest edit back; its label, or an empty one."""
        return self._step(self._back, self._forward)

    def redo(self) -> str:
        """Make the edit again that was taken back last; its label, or an empty one."""
        return self._step(self._forward, self._back)

    def changed_on_disk(self) -> bool:
        """Has another program written or removed the file?"""
        return self.path is not None and self._stored is not None and _read(self.path) != self._stored

    def save(self, path: Path | None = None, *, force: bool = False) -> Path:
        """Write the text, whole or not at all.

        Parameters
        ----------
        path : Path, optional
            Another file, which is the scene's from then on.
        force : bool
            Replace what another program has written there.

        Raises
        ------
        ChangedOnDisk
            Another program has written the file.
        FileError
            It exists already, cannot be written, or the scene has no file.
        """
        target = path or self.path
        if target is None:
            raise FileError("the scene has no file yet", "save it under a name")
        if target == self.path and self._stored is not None:
            if not force and self.changed_on_disk():
                raise ChangedOnDisk(f"{target}: another program has changed it since it was read", "reload, or replace it")
        elif not force and target.exists():
            raise FileError(f"{target}: exists already and is kept", "use another name")
        _write(target, self._text.encode())
        self.path, self._stored = target, self._text.encode()
        return target

    def reload(self) -> bool:
        """Take what the file holds now, as an edit; whether it differs."""
        if self.path is None:
            return False
        fresh = SceneDocument.open(self.path)
        changed = self.replace_text("reload the file", fresh.text)
        self._stored = fresh._stored
        return changed

    def _step(self, steps: list[Step], opposite: list[Step]) -> str:
        """Take the last of `steps`, and keep the text of now among the `opposite` ones; its label, or an empty one."""
        if not steps:
            return ""
        step = steps.pop()
        opposite.append(Step(self._text, step.label))
        self._take(step.text)
        return step.label

    def _take(self, text: str) -> None:
        self._text = text
        self.revision += 1


def _tables(text: str) -> dict[str, Any]:
    if len(text.encode()) > MOST_BYTES:
        raise SceneError(f"the scene is larger than {MOST_BYTES} bytes", "a mesh belongs into a file of its own")
    try:
        tables = tomllib.loads(text)
        tomlkit.parse(text)
    except (tomllib.TOMLDecodeError, TOMLKitError) as error:
        raise SceneError(f"the scene is no TOML: {error}") from error
    return tables


def _read(path: Path) -> bytes | None:
    try:
        if path.stat().st_size > MOST_BYTES:
            raise SceneError(f"{path}: it is larger than {MOST_BYTES} bytes: no scene")
        return path.read_bytes()
    except FileNotFoundError:
        return None
    except OSError as error:
        raise FileError(f"{path}: cannot be read: {error.strerror}") from error


def _write(path: Path, data: bytes) -> None:
    """Bytes as a file that appears whole, with the permissions of the one that it replaces."""
    try:
        mode = path.stat().st_mode & 0o7777 if path.exists() else 0o666 & ~_umask()
        handle, aside = tempfile.mkstemp(prefix=f".{path.name}-", suffix=".part", dir=path.parent)
        try:
            with os.fdopen(handle, "wb") as file:
                file.write(data)
                file.flush()
                os.fsync(file.fileno())
            os.chmod(aside, mode)
            os.replace(aside, path)
        except BaseException:
            os.unlink(aside)
            raise
    except OSError as error:
        raise FileError(f"{path}: cannot be written: {error.strerror}", "save it in a folder that you can write to") from error


def _umask() -> int:
    mask = os.umask(0o077)
    os.umask(mask)
    return mask
