"""Results of a run, or of two beside each other: figures, decays, spectra, waterfall, map, film, listening.

Files are read and charts computed in threads, so that the page goes on meanwhile; the latest choice counts.
"""

from __future__ import annotations

import asyncio
import copy
from collections import OrderedDict
from collections.abc import Callable, Coroutine
from functools import partial
from pathlib import Path
from typing import Any

from nicegui import background_tasks, ui

from .. import open_result
from ..errors import FdtdError
from ..result import Result
from . import charts, fields, listening
from .appearance import Appearance
from .film_player import FilmPlayer
from .folder import SOUNDS
from .session import Session
from .words import complain

NONE = "– none –"
MOST_KEPT = 64  # charts
MOST_ROWS = 40  # of a table


class ResultsPage:
    """Choices above, and cards below them: of one run two in a row, of two runs one of each."""

    def __init__(self, session: Session, appearance: Appearance) -> None:
        self._session, self._appearance = session, appearance
        self._results: list[Result] = []
        self._listed: list[str] = []
        self._kept: OrderedDict[tuple[Any, ...], Any] = OrderedDict()
        self._turn = 0  # of the latest choice
        self._ready = False
        self._film_of: tuple[Any, ...] = ()
        self._kinds: list[tuple[str, Any]] = []  # of the cards
        self._slots: list[ui.element] = []
        with ui.row().classes("gap-2 items-center w-full"):
            self._first = fields.choice("Run", [], None, lambda _: self._open(), "w-56")
            self._second = fields.choice("Beside it", [NONE], NONE, lambda _: self._open(), "w-56")
            self._source = fields.choice("Source", [], None, lambda _: self._draw(), "w-44")
            self._receiver = fields.choice("Receiver", [], None, lambda _: self._take_receiver(), "w-44")
            self._other = fields.choice("Receiver beside it", [], None, lambda _: self._take_receiver(), "w-44")
            self._figure = fields.choice("Figure", list(charts.FIGURES), "T20", lambda _: self._draw(), "w-24")
            self._mapped = fields.choice("Map of", list(charts.FIGURES), "C50", lambda _: self._draw(), "w-24")
            self._band = fields.choice("Band of the map", {}, None, lambda _: self._draw(), "w-36")
            self._slice = fields.choice("Slice of the film", [], None, lambda _: self._draw(), "w-36")
        with ui.row().classes("gap-2 items-center w-full"):
            self._dry = fields.choice("Dry sound", list(listening.BUILT_IN), listening.BLOCKS, lambda _: None, "w-72")
            self._rotation = fields.choice("Head turned", {}, None, lambda _: None, "w-40")
            self._play = ui.button("Listen", icon="headphones", on_click=self._listen).props("no-caps outline")
        self._sounds = ui.element("div").classes("studio-columns")
        self._words = ui.row().classes("items-center gap-2").props("role=status aria-live=polite")
        with ui.element("div").classes("studio-cards"):
            self._cards, self._films = ui.element("div"), ui.element("div")
        appearance.changed.append(self._repaint)
        self._ready = True
        self.refresh()

    def refresh(self, show: str = "") -> None:
        """List the runs of the folder; `show` is taken as the first."""
        listed = self._session.runs()
        if listed == self._listed and listed and not show:
            return
        self._listed, self._ready = listed, False
        first = show or self._first.value
        self._first.set_options(listed, value=first if first in listed else (listed[0] if listed else None))
        self._second.set_options([NONE, *listed], value=self._second.value if self._second.value in listed else NONE)
        self._dry.set_options([*listening.BUILT_IN, *self._dry_files()], value=self._dry.value)
        self._ready = True
        self._open()

    def _dry_files(self) -> list[str]:
        return [name for name in self._session.folder.files(*SOUNDS) if not name.startswith("out/")]

    def _open(self) -> None:
        self._begin(self._read)

    def _draw(self) -> None:
        self._begin(self._show)

    def _begin(self, work: Callable[[int], Coroutine[Any, Any, None]]) -> None:
        if self._ready:
            self._turn += 1
            background_tasks.create(work(self._turn), name="results")

    def _late(self, turn: int) -> bool:
        """Has another choice followed, or has the page gone?"""
        return turn != self._turn or self._cards.is_deleted

    async def _read(self, turn: int) -> None:
        names = [name for name in (self._first.value, self._second.value) if name and name != NONE]
        self._say("reading …", waits=True)
        try:
            results = [await asyncio.to_thread(open_result, self._session.folder.path(name)) for name in names]
        except FdtdError as error:
            results = []
            with self._words:
                complain(error)
        if self._late(turn):
            return
        self._results, self._film_of = results, ()
        if results:
            self._fill_choices(results)
        await self._show(turn)

    def _fill_choices(self, results: list[Result]) -> None:
        self._ready = False
        first, heard = results[0], [list(one.places_of_figures()) for one in results]
        _take(self._source, first.sources)
        _take(self._receiver, heard[0])
        _take(self._other, heard[-1])
        self._other.set_visibility(heard[0] != heard[-1])
        _take(self._slice, listening.slices(first))
        bands = {band: f"{band:g} Hz" if band else "all frequencies" for band in charts.bands_of(first)}
        value = self._band.value if self._band.value in bands else max((b for b in bands if b <= 500), default=None)
        self._band.set_options(bands, value=value)
        self._ready = True
        self._fill_rotations()
        for field in (self._mapped, self._band):
            field.set_visibility(_has_map(first))
        self._slice.set_visibility(len(self._slice.options) > 1)

    def _take_receiver(self) -> None:
        self._fill_rotations()
        self._draw()

    def _fill_rotations(self) -> None:
        """Rotations of the head in either run, where the receiver is a binaural one with several."""
        found = dict.fromkeys(
            angle for number, result in enumerate(self._results) for angle in listening.rotations(result, self._pair(number)[1])
        )
        options = {angle: listening.turn_text(angle) for angle in found}
        self._rotation.set_options(options, value=self._rotation.value if self._rotation.value in options else next(iter(options), None))
        self._rotation.set_visibility(len(options) > 1)

    def _pair(self, number: int) -> tuple[str, str]:
        """Source and receiver that are shown of the first or the second run, which may have others."""
        source, result = str(self._source.value), self._results[number]
        other = number > 0 and self._other.visible
        return source if source in result.sources else result.sources[0], str((self._other if other else self._receiver).value)

    async def _show(self, turn: int) -> None:
        if not self._results:
            self._kinds, self._slots = [], []
            self._cards.clear()
            self._films.clear()
            self._say("There is no run yet: plan and run the scene first.")
            return
        self._say("computing …", waits=True)
        results = list(self._results)
        makers = [self._makers(number) for number in range(len(results))]
        made = [await asyncio.to_thread(self._made, *one) for one in zip(results, makers)]
        if self._late(turn):
            return
        if len(made) == 2:
            for one, other in zip(*made):
                if isinstance(one, dict) and isinstance(other, dict):
                    charts.with_limits(one, other)
        self._say(" beside ".join(f"{self._name(one)} (responses to {one.valid_to:.5g} Hz)" for one in results))
        self._draw_cards(results, made)
        await self._show_films(turn, results)

    def _makers(self, number: int) -> dict[tuple[Any, ...], Callable[[Result], Any]]:
        """Makers of the cards of a run, by their kind and choices."""
        (source, receiver), figure = self._pair(number), str(self._figure.value)
        mapped, band = str(self._mapped.value), float(self._band.value or 0.0)
        return {
            ("figure", figure, source): lambda result: charts.figure_chart(result, figure, source),
            ("table", figure, source): lambda result: charts.figure_table(result, figure, source),
            ("decay", receiver, source): lambda result: charts.decay_chart(result, receiver, source),
            ("spectrum", receiver, source): lambda result: charts.spectrum_chart(result, receiver, source),
            ("waterfall", receiver, source): lambda result: charts.waterfall(result, receiver, source),
            ("map", mapped, band, source): lambda result: charts.map_chart(result, mapped, band, source) if _has_map(result) else None,
        }

    def _made(self, result: Result, makers: dict[tuple[Any, ...], Callable[[Result], Any]]) -> list[Any]:
        """Options of each chart, rows of the table, or the sentence that says why there is none."""
        made = []
        for name, maker in makers.items():
            key = (result.path, result.path.stat().st_mtime_ns, *name)
            if key not in self._kept:
                try:
                    self._kept[key] = maker(result)
                except FdtdError as error:
                    self._kept[key] = f"{error.message}" + (f": {error.hint}" if error.hint else "")
                while len(self._kept) > MOST_KEPT:
                    self._kept.popitem(last=False)
            made.append(copy.deepcopy(self._kept[key]))
        return made

    def _draw_cards(self, results: list[Result], made: list[list[Any]]) -> None:
        """A row for each kind of chart; where the kinds are those of before, charts take their new values in place."""
        cards = [(result, one) for drawn in zip(*made) for result, one in zip(results, drawn) if any(other is not None for other in drawn)]
        kinds = [(self._name(result), one["series"][0]["type"] if isinstance(one, dict) and one["series"] else type(one)) for result, one in cards]
        if kinds == self._kinds:
            for slot, (_, one) in zip(self._slots, cards):
                if isinstance(slot, ui.echart):
                    slot.options.clear()
                    slot.options.update(one)
                    self._name_chart(slot, one)
                    slot.update()
                else:
                    slot.clear()
                    with slot:
                        self._rows(one)
            return
        self._kinds, self._slots = kinds, []
        self._cards.clear()
        with self._cards:
            for result, one in cards:
                with ui.column().classes("studio-card"):
                    if len(results) == 2:
                        ui.label(self._name(result)).classes("text-xs text-gray-700")
                    self._slots.append(self._card(one))

    def _card(self, one: Any) -> ui.element:
        if isinstance(one, dict):
            # ECharts paints a heat map of pixels in parts of 15 ms, so that a busy machine shows half of one.
            whole = bool(one["series"]) and one["series"][0]["type"] == "heatmap"
            chart = ui.echart(one, theme=charts.theme(self._appearance.dark), renderer="svg" if whole else "canvas").classes("w-full")
            self._name_chart(chart, one)
            return chart
        with ui.column().classes("w-full gap-1") as slot:
            self._rows(one)
        return slot

    def _name_chart(self, chart: ui.echart, options: charts.Options) -> None:
        fields.labelled(chart.props("role=img"), options["title"]["text"])
        is_map = options["series"] and options["series"][0]["type"] == "scatter"
        chart.style(f"height: auto; flex-grow: 0; max-width: 36rem; aspect-ratio: {charts.aspect_of(options):.4f}" if is_map else "min-height: 18rem")

    def _rows(self, one: Any) -> None:
        if isinstance(one, list):
            self._table(one)
        else:
            ui.label(one or "no map").classes("text-sm text-gray-700")

    def _repaint(self) -> None:
        for slot in self._slots:
            if isinstance(slot, ui.echart):
                slot.run_chart_method("setTheme", charts.theme(self._appearance.dark))

    def _table(self, rows: list[dict[str, str]]) -> None:
        bands = [name for name in (rows[0] if rows else {}) if name != "receiver"]
        columns = [{"name": name, "label": f"{name} Hz", "field": name, "align": "right"} for name in bands]
        columns.insert(0, {"name": "receiver", "label": "Receiver", "field": "receiver", "align": "left"})
        figure, unit = self._figure.value, charts.UNITS.get(str(self._figure.value), "")
        words = f"{figure} by octave{', in ' + unit if unit else ''}"
        ui.label(words).classes("text-sm font-semibold")
        table = ui.table(columns=columns, rows=rows[:MOST_ROWS], row_key="receiver").classes("w-full").style("max-height: 16rem")
        fields.labelled(table.props("dense flat bordered"), words)
        if len(rows) > MOST_ROWS:
            ui.label(f"The first {MOST_ROWS} of {len(rows)} receivers.").classes("text-xs text-gray-700")

    async def _show_films(self, turn: int, results: list[Result]) -> None:
        chosen = (self._source.value, self._slice.value)
        if self._film_of == chosen:  # a film that plays goes on
            return
        self._films.clear()
        self._film_of = chosen
        with self._films:
            for number, result in enumerate(results):
                if self._slice.value not in listening.slices(result):
                    continue
                source, _ = self._pair(number)
                card = ui.column().classes("studio-card")
                with card, ui.row().classes("items-center gap-2"):
                    ui.spinner(size="sm")
                    ui.label("drawing the film …").classes("text-sm")
                try:
                    film: Any = await asyncio.to_thread(listening.film, result, source, str(self._slice.value))
                except FdtdError as error:
                    film = error.message
                if self._late(turn):
                    self._film_of = ()
                    return
                card.clear()
                with card:
                    if isinstance(film, str):
                        ui.label(film).classes("text-sm text-gray-700")
                    else:
                        FilmPlayer(self._session, film, f"Pressure in {film.where}, {self._name(result)}")

    async def _listen(self) -> None:
        dry, results = str(self._dry.value), list(self._results)
        pairs, rotation = [self._pair(number) for number in range(len(results))], self._rotation.value
        self._play.props("loading").disable()
        try:
            path: str | Path = dry if dry in listening.BUILT_IN else self._session.folder.path(dry)
            heard = await asyncio.to_thread(partial(listening.listen, results, pairs, path, rotation))
        except FdtdError as error:
            complain(error)
            return
        finally:
            self._play.props(remove="loading").enable()
        self._sounds.clear()
        with self._sounds:
            for number, (result, (source, receiver), file) in enumerate(zip(results, pairs, heard)):
                with ui.column().classes("gap-1 min-w-0"):
                    turned = listening.rotation_of(result, receiver, rotation)
                    ears = "" if turned is None else f", both ears, head turned {listening.turn_text(turned)}" if turned else ", both ears"
                    same = "; the same gain for both, so that levels compare" if len(heard) == 2 else ""
                    words = f"{self._name(result)}: {source} to {receiver}{ears}"
                    ui.label(f"{words}; nothing above {result.valid_to:.5g} Hz{same}").classes("text-xs text-gray-700")
                    sound = ui.audio(f"{self._session.folder.address(file)}?{file.stat().st_mtime_ns}", autoplay=number == 0)
                    fields.labelled(sound.classes("w-full"), words)

    def _name(self, result: Result) -> str:
        return self._session.folder.name(result.path.parent)

    def _say(self, words: str, waits: bool = False) -> None:
        self._words.clear()
        with self._words:
            if waits:
                ui.spinner(size="sm")
            ui.label(words).classes("font-medium")


def _take(field: ui.select, names: list[str]) -> None:
    field.set_options(names, value=field.value if field.value in names else names[0] if names else None)


def _has_map(result: Result) -> bool:
    return len(result.places_of_figures()) > 3
