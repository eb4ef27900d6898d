"""Runs of the scene: begun, watched, stopped with a checkpoint, resumed."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Literal

from .. import _engine
from ..errors import FdtdError, Interrupted
from .job import SceneCall, stage_of
from .problems import in_words

State = Literal["idle", "running", "stopping", "stopped", "finished", "failed"]


@dataclass(frozen=True)
class RunStatus:
    """How far a run is.

    ``fraction`` of the time steps of this pass, None outside of them; ``stage`` in words; ``error`` and ``hint`` of a
    run that failed; ``folder`` holds its files.
    """

    state: State = "idle"
    folder: Path | None = None
    text: str = ""
    fraction: float | None = None
    stage: str = ""
    seconds: float = 0.0
    error: str = ""
    hint: str = ""

    @property
    def active(self) -> bool:
        """Is the program at work?"""
        return self.state in ("running", "stopping")


class Runner:
    """One run at a time, in a thread of its own.

    Parameters
    ----------
    folder : Path
        Where relative paths of scenes start from; results lie in its ``out``.
    """

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.status = RunStatus()
        self.revision = 0  # grows with every change of `status`
        self._call: SceneCall | None = None
        self._thread: threading.Thread | None = None
        self._began = 0.0
        self._stopped_in = ""  # a stage without checkpoints of its own

    def start(self, text: str, name: str = "scene") -> Path:
        """Begin a run in a folder of its own, ``out/NAME`` or ``out/NAME-2`` and so on; the folder."""
        folder = self._free_folder(name)
        self._begin(text, folder, [])
        return folder

    def resume(self) -> None:
        """Go on with the run that was stopped, from its checkpoint."""
        if not self.can_resume:
            raise FdtdError("there is no run to resume", "start one")
        assert self.status.folder is not None
        self._begin(self.status.text, self.status.folder, ["--resume"])

    @property
    def can_resume(self) -> bool:
        """Has a stopped run left a checkpoint?"""
        folder = self.status.folder
        return self.status.state in ("stopped", "failed") and folder is not None and (folder / "checkpoint.h5").exists()

    def stop(self) -> None:
        """Ask the run to end: its time steps with a checkpoint, other stages at once."""
        if self.status.state == "running" and self._call is not None:
            steps = self.status.fraction is not None
            self._stopped_in = "" if steps else self.status.stage
            self._set(state="stopping", stage="writing a checkpoint" if steps else "ending")
            self._call.stop()

    def join(self, seconds: float | None = None) -> RunStatus:
        """The status once the run has ended."""
        if self._thread is not None:
            self._thread.join(seconds)
        return self.status

    def _begin(self, text: str, folder: Path, options: list[str]) -> None:
        if self.status.active:
            raise FdtdError("a run is at work already", "stop it first")
        self._began = time.monotonic()
        self.status = RunStatus("running", folder, text, None, "planning")
        self.revision += 1
        self._call = SceneCall("run", text, self.folder, ["-o", str(folder), *options], self._hear)
        self._thread = threading.Thread(target=self._work, args=(self._call.document,), daemon=True)
        self._thread.start()

    def _work(self, document: Callable[[], object]) -> None:
        try:
            document()
        except Interrupted as error:
            self._set(state="stopped", stage="stopped", error=error.message, hint=error.hint)
            if self.can_resume and self._stopped_in and error.message.startswith("the program was ended by signal"):
                self._set(error=f"in {self._stopped_in}; Resume goes on from the latest checkpoint")
            elif not self.can_resume:
                self._set(error="there is no checkpoint yet: a new run begins at its start")
        except FdtdError as error:
            words, hint = in_words(error)
            self._set(state="failed", stage="failed", error=words, hint=hint)
        except (OSError, ValueError) as error:
            self._set(state="failed", stage="failed", error=str(error))
        else:
            self._set(state="finished", fraction=1.0, stage="finished")

    def _hear(self, line: str) -> None:
        event = _engine._event(line)
        if event is not None:
            of = f"{event['label']}, " if event["label"] else ""
            speed = f"{event['gpts_per_second']:.3g} Gpts/s"
            self._set(fraction=event["step"] / max(1, event["steps"]), stage=f"{of}step {event['step']} of {event['steps']}, {speed}")
        elif (found := stage_of(line)) is not None:
            stage = {"above": "rays and image sources"}.get(found[0], found[0])
            self._set(fraction=None, stage=f"{stage}: {found[1]}")

    def _set(self, **changes: object) -> None:
        if self.status.state == "stopping" and changes.get("state") is None:
            return
        self.status = replace(self.status, seconds=time.monotonic() - self._began, **changes)  # type: ignore[arg-type]
        self.revision += 1

    def _free_folder(self, name: str) -> Path:
        out = self.folder / "out"
        number = 1
        while (folder := out / (name if number == 1 else f"{name}-{number}")).exists():
            number += 1
        return folder
