"""The throughput of a data set's computation: rooms an hour, the parts of its time, and the largest of them."""

from __future__ import annotations

import json
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path

from ._rooms import Outcome
from .errors import FdtdError

FILE = "throughput.jsonl"

# The parts of the workers' time, in the order of a room's way, each with its meaning.
PARTS = {
    "drawing": "the generator draws rooms",
    "planning and files": "the rest of runs: planning, walls, rendering, figures, files",
    "steps": "time steps",
    "geometry": "geometry above the waves' band",
    "reading": "results are read into arrays",
    "waiting": "workers wait: for the client, for others at the end, or while they start",
}


@dataclass(frozen=True)
class Throughput:
    """The speed at which a call of :func:`dataset` computed rooms.

    Attributes
    ----------
    rooms, workers : int
        Rooms that the call finished, failures included; workers that computed them.
    seconds : float
        Wall-clock time of the call, with the arrays and tables at its end.
    rooms_per_hour : float
    fractions : dict of str to float
        Of the workers' time until the last room was finished, by part: ``drawing``, ``planning and files``, ``steps``,
        ``geometry``, ``reading``, ``waiting``; their sum is 1.
    writing : float
        Fraction of `seconds` in which the client wrote: rooms as they came, arrays and tables at the end.
    binds : str
        The largest part, or ``writing`` where that is more than half of `seconds`.
    """

    rooms: int
    workers: int
    seconds: float
    fractions: dict[str, float]
    writing: float

    @property
    def rooms_per_hour(self) -> float:
        """Rooms of the call in an hour of wall-clock time."""
        return 3600.0 * self.rooms / self.seconds

    @property
    def binds(self) -> str:
        """The part that takes most."""
        return "writing" if self.writing > 0.5 else max(self.fractions, key=lambda name: self.fractions[name])

    def __str__(self) -> str:
        parts = ", ".join(f"{name} {100 * part:.0f} %" for name, part in self.fractions.items())
        return (
            f"{self.rooms_per_hour:.4g} rooms an hour ({self.rooms} in {self.seconds:.4g} s, workers: {self.workers}); "
            f"of the workers' time: {parts}; the client wrote {100 * self.writing:.0f} % of the time; "
            f"{self.binds} takes most"
        )


@dataclass
class Meter:
    """Measures a call: each outcome as it comes, and the time in which the client writes."""

    began: float = field(default_factory=time.perf_counter)
    written: float = 0.0
    last: float = 0.0
    rooms: int = 0
    busy: dict[str, float] = field(default_factory=lambda: dict.fromkeys(PARTS, 0.0))
    workers: set[str] = field(default_factory=set)

    @contextmanager
    def writing(self) -> Iterator[None]:
        began = time.perf_counter()
        yield
        self.written += time.perf_counter() - began

    def count(self, outcome: Outcome) -> None:
        self.rooms += 1
        self.workers.add(outcome.worker)
        parts = outcome.parts
        run, steps, geometry = (parts.get(name, 0.0) for name in ("run", "steps", "geometry"))
        drawing = parts.get("drawing", outcome.seconds)  # a room that failed while it was drawn has no other part
        self.busy["drawing"] += drawing
        self.busy["steps"] += steps
        self.busy["geometry"] += geometry
        self.busy["planning and files"] += max(0.0, run - steps - geometry)
        # Of a room that failed, all after drawing counts as its run.
        rest = max(0.0, outcome.seconds - drawing - run)
        self.busy["reading" if "run" in parts else "planning and files"] += rest
        self.last = time.perf_counter() - self.began

    def result(self, workers: int | None) -> Throughput:
        """The call until now; `workers` that there were, or by default those that finished a room."""
        count = max(workers or 0, len(self.workers))
        busy = dict(self.busy)
        busy["waiting"] = max(0.0, count * self.last - sum(busy.values()))
        whole = sum(busy.values())
        seconds = time.perf_counter() - self.began
        fractions = {name: part / whole for name, part in busy.items()}
        return Throughput(self.rooms, count, seconds, fractions, min(1.0, self.written / seconds))


def keep(folder: Path, throughput: Throughput) -> None:
    """Add a line for a call to the data set's file."""
    with (folder / FILE).open("a") as file:
        file.write(json.dumps(vars(throughput)) + "\n")


def read(folder: Path) -> Throughput:
    """The latest call that computed rooms. Raises FdtdError where there is none."""
    try:
        lines = (folder / FILE).read_text().splitlines()
    except FileNotFoundError:
        lines = []
    if not lines:
        raise FdtdError(f"{folder}: no call that has ended computed rooms", "dataset() measures its own throughput")
    return Throughput(**json.loads(lines[-1]))
