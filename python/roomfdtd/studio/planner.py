"""The plan, the surface and the notches of the scene, computed while it is edited: the latest text counts, older calls are ended."""

from __future__ import annotations

import asyncio
import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from ..errors import FdtdError, Interrupted, Problem, SceneError
from .job import SceneCall

DEBOUNCE = 0.6  # s without an edit before anything is computed


@dataclass(frozen=True)
class Look:
    """Documents about one text.

    ``surface`` and ``plan`` are those of ``fdtd surface --json`` and ``fdtd plan --json``, None where there is none;
    ``notches`` is that of ``fdtd notches --json``, which follows the plan;
    ``error`` says why, with the ``problems`` of the scene and the ``places`` (m) that it names.
    """

    text: str = ""
    surface: dict[str, Any] | None = None
    plan: dict[str, Any] | None = None
    notches: dict[str, Any] | None = None
    error: str = ""
    hint: str = ""
    problems: Sequence[Problem] = ()
    places: Sequence[tuple[float, float, float]] = field(default=())


class Planner:
    """Keeps :attr:`look` up to date.

    Parameters
    ----------
    folder : Path
        Where relative paths of scenes start from.
    debounce : float
        In s.
    """

    def __init__(self, folder: Path, debounce: float = DEBOUNCE) -> None:
        self.folder = folder
        self.look = Look()
        self.revision = 0  # grows with every change of `look` or `busy`
        self.busy = False
        self._debounce = debounce
        self._task: asyncio.Task[None] | None = None
        self._calls: list[SceneCall] = []

    def request(self, text: str) -> None:
        """Look at a text; within the event loop."""
        self.close()
        self.busy = True
        self.revision += 1
        self._task = asyncio.get_running_loop().create_task(self._update(text))

    def reset(self, folder: Path) -> None:
        """Forget the scene: the next one is another, in this folder."""
        self.close()
        self.folder = folder
        self.look, self.busy = Look(), False
        self.revision += 1

    def close(self) -> None:
        """End the computation."""
        if self._task is not None:
            self._task.cancel()
        for call in self._calls:
            call.kill()
        self._calls = []

    async def settled(self) -> Look:
        """The documents of the latest text."""
        while self._task is not None and not self._task.done():
            await asyncio.wait([self._task])
        return self.look

    async def _update(self, text: str) -> None:
        await asyncio.sleep(self._debounce)
        surface: dict[str, Any] | None = None
        try:
            surface = await self._call("surface", text)
            self._show(Look(text, surface, self.look.plan, self.look.notches), busy=True)  # the room is drawn before its plan is there
            plan = await self._call("plan", text)
        except Interrupted:
            return
        except (OSError, ValueError) as error:  # no process can be started, or the document is none
            self._show(Look(text, surface or self.look.surface, error=f"no plan: {error}"), busy=False)
            return
        except FdtdError as error:
            problems = error.problems if isinstance(error, SceneError) else ()
            places = places_of_faults(f"{error.message} {error.hint}")
            # A scene with a mistake, such as a source outside the room, keeps the picture of the latest one without.
            self._show(Look(text, surface or self.look.surface, None, None, error.message, error.hint, problems, places), busy=False)
            return
        self._show(Look(text, surface, plan), busy=False)
        try:
            notches = await self._call("notches", text)
        except (FdtdError, OSError, ValueError):  # the plan stands without them
            return
        self._show(Look(text, surface, plan, notches), busy=False)

    async def _call(self, command: str, text: str) -> dict[str, Any]:
        call = SceneCall(command, text, self.folder)
        self._calls.append(call)
        try:
            return await asyncio.to_thread(call.document)
        finally:
            if call in self._calls:
                self._calls.remove(call)

    def _show(self, look: Look, busy: bool) -> None:
        self.look, self.busy = look, busy
        self.revision += 1


_PLACE = re.compile(r"\((-?[\d.]+(?:e[+-]?\d+)?), (-?[\d.]+(?:e[+-]?\d+)?), (-?[\d.]+(?:e[+-]?\d+)?)\)")
# Before the place of a fault; corners of an extent, nodes, directions, and the nearest place without a fault are others.
_OF_A_FAULT = re.compile(r"(?<!\bnearest air is )\b(?:at|near|position|beyond) $")


def places_of_faults(message: str) -> list[tuple[float, float, float]]:
    """Places (m) of faults that a message of the program names: of a leak "near (12.5, 0, 5.3)", of a "position (7, 1, 1)"."""
    found = []
    for match in _PLACE.finditer(message):
        if not _OF_A_FAULT.search(message[: match.start()]):
            continue
        try:
            found.append((float(match[1]), float(match[2]), float(match[3])))
        except ValueError:  # "1.2.3" is no number
            continue
    return found
