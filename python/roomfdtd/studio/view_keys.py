"""The room by keyboard: selection, moves of points, the camera."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Protocol

Key = tuple[str, str]  # kind and name

TURN = 10.0  # degrees
ZOOM = 1.15
HELP = (
    "N and P select the next and the previous source, receiver or surface, Escape none. Arrows move a source or a "
    "receiver along x and y, Page up and Page down along z; with Shift a tenth of the step. Enter leads to the fields of "
    "what is selected. A, D, W and S turn the view, plus and minus zoom, Home shows it from a corner."
)
MOVES: dict[str, tuple[int, int]] = {
    "ArrowLeft": (0, -1), "ArrowRight": (0, 1), "ArrowDown": (1, -1), "ArrowUp": (1, 1), "PageDown": (2, -1), "PageUp": (2, 1),
}  # fmt: skip
TURNS: dict[str, tuple[float, float]] = {"a": (-TURN, 0.0), "d": (TURN, 0.0), "w": (0.0, TURN), "s": (0.0, -TURN)}
ZOOMS = {"+": 1.0 / ZOOM, "=": 1.0 / ZOOM, "-": ZOOM}
NAMES = [*MOVES, "n", "p", "Escape", "Enter", "Home", *TURNS, *ZOOMS]
# The page scrolls by arrows, and its shortcuts have Ctrl: those that the view takes are stopped in the browser.
TAKE = (
    "(event) => { const key = event.key.length === 1 ? event.key.toLowerCase() : event.key; "
    f"if (event.ctrlKey || event.metaKey || event.altKey || !{NAMES!r}.includes(key)) return; "
    "event.preventDefault(); emit({key: key, shift: event.shiftKey}); }"
)


class Viewed(Protocol):
    """A view that the keyboard uses."""

    def selectable(self) -> Sequence[Key]:
        """Sources, receivers and surfaces, in order."""

    def place_of(self, key: Key) -> tuple[float, float, float] | None:
        """In m; None of a surface."""

    def move_to(self, key: Key, place: tuple[float, float, float]) -> None:
        """Move a source or a receiver."""

    def select(self, key: Key | None) -> None:
        """Show what is selected."""

    def open_fields(self, key: Key) -> None:
        """Lead to the fields of what is selected."""

    def turn(self, across: float, up: float) -> None:
        """Turn the camera about the middle of the room, in degrees."""

    def zoom(self, factor: float) -> None:
        """Multiply the distance of the camera."""

    def look_from(self, place: str) -> None:
        """Move the camera."""


class ViewKeys:
    """Acts on keys, and says what happens.

    Parameters
    ----------
    view : Viewed
    step : callable
        The step in m.
    say : callable
        Called with a sentence for the status line, which screen readers speak.
    """

    def __init__(self, view: Viewed, step: Callable[[], float], say: Callable[[str], object]) -> None:
        self._view, self._step, self._say = view, step, say
        self.selected: Key | None = None

    def press(self, key: str, shift: bool = False) -> None:
        """Act on a key, by its name in the browser; letters are small."""
        if key in ("n", "p"):
            self._next(1 if key == "n" else -1)
        elif key == "Escape":
            self.selected = None
            self._view.select(None)
            self._say("Nothing is selected")
        elif key == "Enter" and self.selected is not None:
            self._view.open_fields(self.selected)
        elif key in MOVES:
            self._move(*MOVES[key], 0.1 if shift else 1.0)
        elif key in TURNS:
            self._view.turn(*TURNS[key])
        elif key in ZOOMS:
            self._view.zoom(ZOOMS[key])
        elif key == "Home":
            self._view.look_from("corner")

    def _next(self, by: int) -> None:
        keys = list(self._view.selectable())
        if not keys:
            self._say("There is nothing to select")
            return
        at = keys.index(self.selected) + by if self.selected in keys else (0 if by > 0 else -1)
        self.selected = keys[at % len(keys)]
        self._view.select(self.selected)
        self._say(self._sentence(self.selected))

    def _move(self, axis: int, sign: int, part: float) -> None:
        place = self._view.place_of(self.selected) if self.selected is not None else None
        if self.selected is None or place is None:
            self._say("Select a source or a receiver first: N or P")
            return
        moved = list(place)
        moved[axis] = round(moved[axis] + sign * part * self._step(), 3)
        self._view.move_to(self.selected, (moved[0], moved[1], moved[2]))
        self._say(self._sentence(self.selected))

    def _sentence(self, key: Key) -> str:
        place = self._view.place_of(key)
        where = f" at {place[0]:.4g}, {place[1]:.4g}, {place[2]:.4g} m" if place is not None else ""
        return f"{key[0].capitalize()} {key[1]}{where}"
