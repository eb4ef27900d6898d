"""Numbers and errors in words, for the page."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator

from nicegui import ui

from ..errors import FdtdError
from .problems import in_words


@contextlib.contextmanager
def guarded() -> Iterator[None]:
    """Shows an error of the engine or of a file as a notification."""
    try:
        yield
    except FdtdError as error:
        complain(error)


def complain(error: FdtdError) -> None:
    """A notification that stays until it is closed."""
    words = " – ".join(filter(None, in_words(error)))
    ui.notify(words, type="negative", timeout=0, multi_line=True, actions=[{"label": "Close", "color": "white", "noCaps": True}])


def seconds_text(seconds: float) -> str:
    """A duration: "35 s", "4.2 min", "3.1 h"."""
    if seconds < 100:
        return f"{seconds:.2g} s" if seconds < 10 else f"{seconds:.0f} s"
    return f"{seconds / 60:.3g} min" if seconds < 5400 else f"{seconds / 3600:.3g} h"


def bytes_text(count: float) -> str:
    """A size: "84 MiB"."""
    for unit in ("B", "KiB", "MiB", "GiB"):
        if count < 1000:
            return f"{count:.3g} {unit}"
        count /= 1024
    return f"{count:.3g} TiB"
