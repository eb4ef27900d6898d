"""Progress of a run."""

from __future__ import annotations

import contextlib
import sys
from collections.abc import Callable, Iterator
from dataclasses import dataclass

from ._engine import ProgressEvent
from .errors import misplaced


@dataclass(frozen=True)
class Progress:
    """How far a run is.

    Parameters
    ----------
    step, steps : int
        Completed time steps, and all, of the source that is being simulated.
    label : str
        Which source that is; empty where there is one.
    gpts_per_second : float
        1e9 grid points updated per second.
    """

    step: int
    steps: int
    label: str
    gpts_per_second: float

    @property
    def fraction(self) -> float:
        """Completed share of this source's steps, 0 to 1."""
        return self.step / self.steps if self.steps else 0.0


@contextlib.contextmanager
def shown(progress: bool | Callable[[Progress], object]) -> Iterator[Callable[[ProgressEvent], object] | None]:
    """The callback of the engine: nothing, a function, or the writer of a line on stderr."""
    if progress is False:
        yield None
        return
    show = _write if progress is True else progress
    if not callable(show):
        raise misplaced("progress", f"True, False or a function is needed, not {show!r}")
    yield lambda event: show(Progress(**event))
    if progress is True:
        sys.stderr.write("\r" + " " * 70 + "\r")
        sys.stderr.flush()


def _write(progress: Progress) -> None:
    filled = int(30 * progress.fraction)
    bar = "#" * filled + "." * (30 - filled)
    line = f"{bar} {100 * progress.fraction:5.1f} %  {progress.label}  {progress.gpts_per_second:.3g} Gpts/s"
    sys.stderr.write("\r" + line[:70].ljust(70))
    sys.stderr.flush()
