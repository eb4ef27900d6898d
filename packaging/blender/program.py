"""The program fdtd beside Blender: found, asked for JSON, and run with progress until it ends or is cancelled.

Nothing here needs Blender, and nothing waits for a run: :meth:`Job.poll` looks whether it has ended.
"""

from __future__ import annotations

import json
import os
import re
import shutil
import signal
import subprocess
import tempfile
import threading
from pathlib import Path
from typing import Any

_PROGRESS = re.compile(r"\s*([\d.]+) %\s+step (\d+) of (\d+)\s+(.*?)\s+(\S+) Gpts/s\s+(.*) left")


class ProgramError(Exception):
    """The program is not there, or has ended with a message."""


def find(preference: str = "") -> str:
    """Path of the program: that of the preferences, of FDTD_PROGRAM in the environment, or of the PATH."""
    named = preference.strip() or os.environ.get("FDTD_PROGRAM", "")
    path = os.path.expanduser(named) if named else shutil.which("fdtd")
    if path is None or not os.path.isfile(path) or not os.access(path, os.X_OK):
        raise ProgramError(
            f"{named or 'fdtd'}: there is no such program; name it in Edit > Preferences > Add-ons > fdtd"
        )
    return path


def ask(program: str, *arguments: str) -> Any:
    """The JSON document of a command that takes no time."""
    ended = subprocess.run([program, *arguments, "--json"], capture_output=True, text=True, env=_environment())
    if ended.returncode != 0:
        raise ProgramError(message_of(ended.stderr, ended.returncode))
    return json.loads(ended.stdout)


def message_of(text: str, status: int) -> str:
    """The message of the program at its end, without its progress."""
    began = re.search(r"^(?:fdtd: |(?=\d+ problems? in ))", text, re.M)
    return text[began.end() :].strip() if began else f"the program ended with status {status}\n{text}".strip()


class Job:
    """A command of the program, which runs by itself.

    ``fraction`` (0 to 1) and ``line`` say how far it is; after :meth:`poll` has returned True, ``status`` is its exit
    status, ``document`` what it has printed, ``message`` what it has said.
    """

    def __init__(self, command: list[str], folder: Path) -> None:
        self.fraction, self.line = 0.0, "planning"
        self.status: int | None = None
        self.document: Any = None
        self.message = ""
        self.cancelled = False
        self._said: list[str] = []
        self._printed = tempfile.TemporaryFile()
        reader, writer = _terminal()
        try:
            self._child = subprocess.Popen(
                command, cwd=folder, stdin=subprocess.DEVNULL, stdout=self._printed, stderr=writer,
                env=_environment(), start_new_session=True,
            )  # fmt: skip
        except OSError as error:
            os.close(reader)
            raise ProgramError(f"{command[0]}: {error.strerror}") from error
        finally:
            os.close(writer)
        self._thread = threading.Thread(target=self._read, args=(reader,), daemon=True)
        self._thread.start()

    def cancel(self) -> None:
        """Ask the program to stop: it writes a checkpoint, from which the same command goes on."""
        if self._child.poll() is None:
            self.cancelled = True
            self._child.send_signal(signal.SIGINT)

    def poll(self) -> bool:
        """Whether the program has ended."""
        if self.status is not None:
            return True
        if self._child.poll() is None or self._thread.is_alive():
            return False
        self.status = self._child.returncode
        self.message = message_of("\n".join(self._said), self.status) if self.status else ""
        self._printed.seek(0)
        printed = self._printed.read().decode(errors="replace")
        self._printed.close()
        if self.status == 0:
            self.fraction = 1.0
            self.document = json.loads(printed)
        return True

    def wait(self) -> None:
        """Until the program has ended."""
        self._child.wait()
        self._thread.join()
        self.poll()

    def _read(self, reader: int) -> None:
        rest = b""
        while True:
            try:
                block = os.read(reader, 65536)
            except OSError:  # the end of a terminal
                block = b""
            *whole, rest = re.split(rb"\r\n|\r|\n", rest + block)
            for line in whole if block else [*whole, rest]:
                self._take(line.decode(errors="replace").replace("\x1b[K", "").rstrip())
            if not block:
                break
        os.close(reader)

    def _take(self, line: str) -> None:
        step = _PROGRESS.match(line)
        if step:
            self.fraction = int(step[2]) / max(int(step[3]), 1)
            self.line = f"{step[4]} {step[6]} left".strip()
        elif line.strip():
            self.line = line.strip()
            self._said.append(line)


def _terminal() -> tuple[int, int]:
    """Both ends of a terminal: on one the program states its progress ten times a second, in a file every ten."""
    import pty

    return pty.openpty()


def _environment() -> dict[str, str]:
    return {**os.environ, "COLUMNS": "1000000"}  # no line of a message is broken
