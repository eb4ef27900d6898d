"""Results of a run, or of two beside each other: figures, decays, spectra, waterfall, map, film, listening."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from pathlib import Path
from typing import Any

from nicegui import ui

from .. import open_result
from ..errors import FdtdError
from ..result import Result
from . import charts, fields, listening
from .folder import SOUNDS
from .session import Session
from .words import complain

NONE = "– none –"


class ResultsPage:
    """Choices above, and a column of charts for each run below them."""

    def __init__(self, session: Session) -> None:
        self._session = session
        self._results: list[Result] = []
        self._listed: list[str] = []
        self._ready = False
        with ui.row().classes("gap-2 items-center w-full"):
            self._first = fields.choice("Run", [], None, lambda _: self._open(), "w-56")
            self._second = fields.choice("Beside it", [NONE], NONE, lambda _: self._open(), "w-56")
            self._source = fields.choice("Source", [], None, lambda _: self._draw(), "w-36")
            self._receiver = fields.choice("Receiver", [], None, lambda _: self._draw(), "w-44")
            self._figure = fields.choice("Figure", list(charts.FIGURES), "T20", lambda _: self._draw(), "w-24")
            self._band = fields.choice("Band of the map", {}, None, lambda _: self._draw(), "w-36")
        with ui.row().classes("gap-2 items-center w-full"):
            self._dry = fields.choice("Dry sound", list(listening.BUILT_IN), listening.BLOCKS, lambda _: None, "w-72")
            self._play = ui.button("Listen", icon="headphones", on_click=self._listen).props("no-caps outline")
        self._sounds = ui.element("div").classes("studio-columns")
        self._columns = ui.element("div").classes("studio-columns")
        self._ready = True
        self.refresh()

    def refresh(self, show: str = "") -> None:
        """List the runs of the folder; `show` is taken as the first, and the one before it as the second."""
        listed = self._session.runs()
        if listed != self._listed or show:
            self._listed = listed
            self._ready = False
            first = show or self._first.value
            self._first.set_options(listed, value=first if first in listed else (listed[0] if listed else None))
            second = self._second.value if self._second.value in listed else NONE
            self._second.set_options([NONE, *listed], value=second)
            self._dry.set_options([*listening.BUILT_IN, *self._dry_files()], value=self._dry.value)
            self._ready = True
            self._open()

    def _dry_files(self) -> list[str]:
        return [name for name in self._session.folder.files(*SOUNDS) if not name.startswith("out/")]

    def _open(self) -> None:
        if not self._ready:
            return
        self._results = []
        try:
            for name in (self._first.value, self._second.value):
                if name and name != NONE:
                    self._results.append(open_result(self._session.folder.path(name)))
        except FdtdError as error:
            complain(error)
        if self._results:
            self._ready = False
            first = self._results[0]
            self._take(self._source, first.sources)
            self._take(self._receiver, list(dict.fromkeys(name.partition(":")[0] for name in first.receivers)))
            bands = {band: f"{band:g} Hz" if band else "all frequencies" for band in charts.bands_of(first)}
            value = self._band.value if self._band.value in bands else max((b for b in bands if b <= 500), default=None)
            self._band.set_options(bands, value=value)
            self._ready = True
            self._band.set_visibility(_has_map(first))
        self._draw()

    def _take(self, field: ui.select, names: list[str]) -> None:
        field.set_options(names, value=field.value if field.value in names else names[0])

    def _draw(self) -> None:
        if not self._ready:
            return
        self._columns.clear()
        self._sounds.clear()
        with self._columns:
            if not self._results:
                ui.label("There is no run yet: plan and run the scene first.").classes("text-gray-700")
                return
            made = [self._charts_of(result) for result in self._results]
            if len(made) == 2:
                for one, other in zip(*made):
                    if isinstance(one, dict) and isinstance(other, dict):
                        charts.with_limits(one, other)
            for result, drawn in zip(self._results, made):
                self._column(result, drawn)

    def _charts_of(self, result: Result) -> list[Any]:
        """Options of each chart, or the sentence that says why there is none."""
        source, receiver = str(self._source.value), str(self._receiver.value)
        makers: list[Callable[[], charts.Options]] = [
            lambda: charts.figure_chart(result, str(self._figure.value), source),
            lambda: charts.decay_chart(result, receiver, source),
            lambda: charts.spectrum_chart(result, receiver, source),
            lambda: charts.waterfall(result, receiver, source),
        ]
        if _has_map(result):
            figure = str(self._figure.value) if self._figure.value != "T20" else "C50"
            makers.append(lambda: charts.map_chart(result, figure, float(self._band.value or 0.0), source))
        made: list[Any] = []
        for maker in makers:
            try:
                made.append(maker())
            except FdtdError as error:
                made.append(f"{error.message}" + (f": {error.hint}" if error.hint else ""))
        return made

    def _column(self, result: Result, drawn: list[Any]) -> None:
        with ui.column().classes("gap-2 w-full min-w-0"):
            ui.label(f"{self._session.folder.name(result.path.parent)}: responses to {result.valid_to:.5g} Hz").classes("font-medium")
            for number, options in enumerate(drawn):
                if isinstance(options, str):
                    ui.label(options).classes("text-sm text-gray-700")
                    continue
                ui.echart(options).classes("w-full h-72").props(f'role=img aria-label="{options["title"]["text"]}"')
                if number == 0:
                    self._table(result)
            self._film(result)

    def _table(self, result: Result) -> None:
        rows = charts.figure_table(result, str(self._figure.value), str(self._source.value))
        bands = [name for name in (rows[0] if rows else {}) if name != "receiver"]
        columns = [{"name": name, "label": name if name == "receiver" else f"{name} Hz", "field": name, "align": "left"} for name in ("receiver", *bands)]
        unit = charts.UNITS.get(str(self._figure.value), "")
        ui.table(columns=columns, rows=rows[:40], row_key="receiver").classes("w-full").style("max-height: 15rem").props(
            f'dense flat bordered aria-label="{self._figure.value} by octave{", in " + unit if unit else ""}"'
        )

    def _film(self, result: Result) -> None:
        try:
            pictures = listening.frames(result)
        except FdtdError as error:
            ui.label(error.message).classes("text-sm text-gray-700")
            return
        if pictures:
            Film(self._session, pictures)

    async def _listen(self) -> None:
        dry = str(self._dry.value)
        self._play.disable()
        try:
            path: str | Path = dry if dry in listening.BUILT_IN else self._session.folder.path(dry)
            source, receiver = str(self._source.value), str(self._receiver.value)
            jobs = [asyncio.to_thread(listening.listen, result, source, receiver, path) for result in self._results]
            heard = [await job for job in jobs]
        except FdtdError as error:
            complain(error)
            return
        finally:
            self._play.enable()
        self._sounds.clear()
        with self._sounds:
            for number, file in enumerate(heard):
                name = self._session.folder.name(file)
                with ui.column().classes("gap-0 min-w-0"):
                    count = listening.channels(file)
                    ears = ", both ears" if count == 2 else "" if count == 1 else f", {count} channels: listen to the first ones only"
                    ui.label(f"{name}{ears}").classes("text-xs text-gray-700 break-all")
                    stamp = file.stat().st_mtime_ns
                    ui.audio(f"/studio/file/{name}?{stamp}", autoplay=number == 0).classes("w-full").props(f'aria-label="{name}"')


def _has_map(result: Result) -> bool:
    return len({name.partition(":")[0] for name in result.receivers}) > 3


class Film:
    """Pictures of a slice, one after the other."""

    def __init__(self, session: Session, pictures: list[Path]) -> None:
        self._addresses = [f"/studio/file/{session.folder.name(one)}" for one in pictures]
        ui.label("Pressure in the slice").classes("text-sm font-medium")
        self._picture = ui.element("img").classes("w-full max-w-xl").props(f'src="{self._addresses[0]}" alt="A frame of the film"')
        with ui.row().classes("items-center w-full gap-2 no-wrap"):
            self._button = ui.button(icon="play_arrow", on_click=self._toggle).props('dense flat round aria-label="Play the film"')
            self._slider = ui.slider(min=0, max=len(pictures) - 1, value=0, on_change=self._show).props('aria-label="Frame of the film" label').classes("grow")
        self._timer = ui.timer(0.1, self._next, active=False)

    def _show(self) -> None:
        self._picture.props(f'src="{self._addresses[int(self._slider.value)]}"')

    def _next(self) -> None:
        self._slider.set_value((int(self._slider.value) + 1) % len(self._addresses))

    def _toggle(self) -> None:
        self._timer.active = not self._timer.active
        self._button.props(f"icon={'pause' if self._timer.active else 'play_arrow'}")
