"""A call of the program ``fdtd`` that can be watched and ended while it runs."""

from __future__ import annotations

import contextlib
import json
import os
import pty
import re
import signal
import subprocess
import threading
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from .. import _engine
from ..errors import FdtdError, Interrupted

_STAGE = re.compile(r"\s*(planning|above), \S+ s: (.*?)\s*$")


def stage_of(line: str) -> tuple[str, str] | None:
    """The stage that a line of progress names, and what is done there; None: it is another line."""
    found = _STAGE.match(line)
    return (found[1], found[2]) if found else None


class Job:
    """The program, running.

    Parameters
    ----------
    arguments : sequence of str
        Of ``fdtd``; the scene's path among them is `scene`.
    scene : str
        Replaced in messages by the name ``scene.toml``.
    hear : callable, optional
        Called with each line of progress, from the thread that waits.
    """

    def __init__(self, arguments: Sequence[str], scene: str = "", hear: Callable[[str], object] | None = None) -> None:
        self._scene = scene
        self._hear = hear
        self._asked = False
        self._reader, writer = pty.openpty()
        try:
            self._child = subprocess.Popen(
                [_engine.program(), *arguments],
                stdin=subprocess.DEVNULL,
                stdout=subprocess.PIPE,
                stderr=writer,
                env={**os.environ, "COLUMNS": "1000000"},
                text=True,
                start_new_session=True,
            )
        except BaseException:
            os.close(self._reader)
            raise
        finally:
            os.close(writer)

    def stop(self) -> None:
        """Ask it to end as Ctrl-C does: a run writes a checkpoint first."""
        self._asked = True
        with contextlib.suppress(ProcessLookupError):
            self._child.send_signal(signal.SIGINT)

    def kill(self) -> None:
        """End it at once."""
        self._asked = True
        self._child.kill()

    def wait(self) -> str:
        """Its output, once it has ended.

        Raises
        ------
        Interrupted
            It was asked to end.
        FdtdError
            It failed, as :mod:`roomfdtd.errors` has it.
        """
        printed: list[str] = []
        out = self._child.stdout
        assert out is not None
        document = threading.Thread(target=lambda: printed.append(out.read()), daemon=True)
        document.start()
        messages: list[str] = []
        for line in _engine._lines(self._reader):
            if _engine._event(line) is None and stage_of(line) is None:
                messages.append(line)
            if self._hear is not None:
                self._hear(line)
        document.join()
        status = self._child.wait()
        os.close(self._reader)
        if status == 0:
            return printed[0]
        said = "\n".join(messages).strip()
        error = _engine._error(status, said, self._scene or None)
        if self._asked and not isinstance(error, Interrupted):
            raise Interrupted(error.message, error.hint)
        raise error


class SceneCall:
    """The program, called with a scene's text: ``with SceneCall(...) as call: document = call.document()``.

    Parameters
    ----------
    command : str
        "plan", "surface" or "run".
    text : str
        The scene in TOML.
    folder : Path
        Where its relative paths start from.
    options : sequence of str
        More arguments; ``--json`` is added.
    hear : callable, optional
        As :class:`Job` takes it.
    """

    def __init__(
        self,
        command: str,
        text: str,
        folder: Path,
        options: Sequence[str] = (),
        hear: Callable[[str], object] | None = None,
    ) -> None:
        self._arguments = (command, text, folder, tuple(options), hear)
        self._guard = threading.Lock()
        self._job: Job | None = None
        self._ended = False

    def document(self) -> dict[str, Any]:
        """The JSON document that it prints; raises as :meth:`Job.wait` does."""
        command, text, folder, options, hear = self._arguments
        with _engine._scene_file(text, str(folder)) as path:
            with self._guard:
                if self._ended:
                    raise Interrupted("ended before it began")
                self._job = Job([command, path, *options, "--json"], path, hear)
            found = json.loads(self._job.wait())
        if not isinstance(found, dict):
            raise FdtdError("the program has printed another document than expected")
        return found

    def stop(self) -> None:
        """Ask it to end; before it has begun it does not begin."""
        with self._guard:
            self._ended = True
            if self._job is not None:
                self._job.stop()

    def kill(self) -> None:
        """End it at once."""
        with self._guard:
            self._ended = True
            if self._job is not None:
                self._job.kill()
