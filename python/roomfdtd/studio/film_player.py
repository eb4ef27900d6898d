"""The film of a slice on the page: pictures one after the other, which have their axes and scale, and their time."""

from __future__ import annotations

import json
from collections.abc import Sequence

from nicegui import ui

from . import fields
from .listening import Film
from .session import Session

EVERY = 0.1  # s, a picture


def speed_text(frames: Sequence[float]) -> str:
    """How much slower or faster than the sound a film of frames at these times (s) is shown."""
    step = (frames[-1] - frames[0]) / max(1, len(frames) - 1)
    if step <= 0.0 or step == EVERY:
        return ""
    times, word = (EVERY / step, "slower") if step < EVERY else (step / EVERY, "faster")
    return f"; shown {times:.0f} times {word}" if times >= 9.5 else f"; shown {times:.2g} times {word}"


class FilmPlayer:
    """Pictures of a slice, one after the other."""

    def __init__(self, session: Session, film: Film, title: str) -> None:
        self._film = film
        self._addresses = [session.folder.address(one) for one in film.pictures]
        ui.label(title).classes("text-sm font-semibold")
        # Tall slices fit the window, too.
        self._picture = ui.element("img").classes("w-full").style("max-height: 26rem; object-fit: contain; object-position: left")
        with ui.row().classes("items-center w-full gap-2 no-wrap"):
            self._button = ui.button(icon="play_arrow", on_click=self.toggle).props('dense flat round aria-label="Play the film"')
            # The browser's own slider: Quasar's gives the focus to an element that has neither name nor value.
            self._slider = ui.element("input").props('type=range min=0 step=1 aria-label="Frame of the film"')
            self._slider.props["max"] = len(film.pictures) - 1
            self._slider.classes("grow studio-slider").on("input", lambda event: self._show(int(event.args)), js_handler="(event) => emit(event.target.value)")
            self._time = ui.label().classes("text-sm whitespace-nowrap").style("font-variant-numeric: tabular-nums")
        ui.label(f"1 is the pulse’s peak at 1 m in the free field{speed_text(film.times)}").classes("text-xs text-gray-700")
        self._timer = ui.timer(EVERY, self._next, active=False)
        self._show(0)
        ui.run_javascript(f"for (const one of {json.dumps(self._addresses)}) new Image().src = one")

    def _show(self, number: int) -> None:
        self._number = number
        words = f"{1000 * self._film.times[number]:.1f} ms"
        self._slider.props["value"] = number
        self._slider.props["aria-valuetext"] = words
        self._picture.props["src"] = self._addresses[number]
        self._picture.props["alt"] = f"Pressure in {self._film.where} after {words}, from −{self._film.scale:.3g} to {self._film.scale:.3g}"
        self._time.set_text(words)

    def _next(self) -> None:
        self._show((self._number + 1) % len(self._addresses))

    def toggle(self) -> None:
        """Play or pause."""
        self._timer.active = not self._timer.active
        name, words = ("pause", "Pause the film") if self._timer.active else ("play_arrow", "Play the film")
        self._button.set_icon(name)
        fields.labelled(self._button, words)
