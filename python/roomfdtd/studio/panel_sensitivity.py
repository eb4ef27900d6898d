"""Which square metre of wall decides T20 at a receiver: asked for, computed and drawn on the walls."""

from __future__ import annotations

import asyncio
from typing import Any

from nicegui import background_tasks, ui

from ..errors import FdtdError
from . import fields, painting
from .job import SceneCall
from .problems import area_text
from .sensitivity import ABSORPTION, STEP, MapStatus, Question, octaves_of, reduced, seconds_of
from .session import Session
from .view import RoomView
from .words import guarded, seconds_text

ABOUT = (
    "How T20 of an octave at a receiver changes with the absorption of each square metre of wall, from two runs of the "
    "waves: forwards from the source, backwards from the receiver."
)


def change_text(change: float) -> str:
    """A change in ms: "−0.31", "−230"."""
    words = f"{change:+.0f}" if abs(change) >= 10.0 else f"{change:+.2g}"
    return words.replace("-", "−")


def legend(status: MapStatus, text: str) -> str:
    """Quantity and unit of the colours, beside a scene of this text."""
    old = "" if status.text == text else ", before the latest edits"
    of = f" at {status.question.receiver}, {status.question.band:g} Hz" if status.question else ""
    return f"ms of T20{of}, by each m² whose admittance grows by {STEP:g}{old}"


class SensitivityPanel:
    """The question, the time that it takes, and the answer: a table by material, and colours on the walls."""

    def __init__(self, session: Session, view: RoomView, opened: ui.expansion) -> None:
        self._session, self._view, self._opened = session, view, opened
        self._seen: tuple[int, bool] | None = None
        self._estimated: Any = None
        self._quiet = False
        ui.label(ABOUT).classes("text-xs text-gray-700")
        with ui.row().classes("gap-1 items-center w-full"):
            self._source = fields.choice("Source", [], None, lambda _: None, "w-40")
            self._receiver = fields.choice("Receiver", [], None, lambda _: None, "w-40")
            self._band = fields.choice("Octave", {}, None, lambda _: None, "w-28")
        self._time = ui.label("").classes("text-sm").props("role=status aria-live=polite")
        with ui.row().classes("gap-2 items-center"):
            self._compute = ui.button("Compute the map", icon="grid_on", on_click=self._start).props("no-caps dense")
            self._stop = ui.button("Stop", icon="stop", on_click=session.sensitivity.stop).props("no-caps dense outline color=negative")
            self._shown = ui.switch("On the walls", value=True, on_change=lambda: self._paint()).props("dense")
        self._bar = ui.linear_progress(0.0, show_value=False, size="10px").props('aria-label="Progress of the map"')
        self._words = ui.label("").classes("text-sm break-words").props("role=status aria-live=polite")
        columns = [
            {"name": name, "label": label, "field": name, "align": align}
            for name, label, align in (("material", "Material", "left"), ("area", "m²", "right"), ("each", "ms by m²", "right"), ("all", "ms, all of it", "right"))
        ]
        self._table = ui.table(columns=columns, rows=[], row_key="material").classes("w-full").props(
            'dense flat bordered aria-label="Change of T20 by material"'
        )
        self._painting: tuple[Any, Any] = (None, None)  # of these sites: bodies and the end of the scale
        self._expected: float | None = None
        self._planned = False  # the scene of the question

    def sync(self) -> None:
        """Show choices of the scene, the time that the question takes, and how far the answer is."""
        self._fill()
        status = self._session.sensitivity.status
        if status.state == "running":
            self._progress(status)
        seen = (self._session.sensitivity.revision, status.text == self._session.document.text)
        if self._seen != seen:
            self._seen = seen
            self._answer(status)
        self._ask_for_time()

    def _fill(self) -> None:
        for field, kind in ((self._source, "source"), (self._receiver, "receiver")):
            names = [str(one["name"]) for one in self._session.points(kind) if "position" in one]
            if names != field.options:
                field.set_options(names, value=field.value if field.value in names else names[0] if names else None)
        plan = self._session.planner.look.plan
        if plan is not None:
            bands = octaves_of(float(plan["valid_bandwidth"]))
            if bands != list(self._band.options):
                value = self._band.value if self._band.value in bands else max((one for one in bands if one <= 125.0), default=None)
                self._band.set_options({band: f"{band:g} Hz" for band in bands}, value=value)

    def _question(self) -> Question | None:
        chosen = (self._source.value, self._receiver.value, self._band.value)
        return None if None in chosen else Question(str(chosen[0]), str(chosen[1]), float(chosen[2]))

    def _ask_for_time(self) -> None:
        look, text = self._session.planner.look, self._session.document.text
        question = self._question()
        key = (text, question)
        if not self._opened.value or key == self._estimated or self._session.planner.busy or look.text != text:
            return
        self._estimated, self._expected, self._planned = key, None, False
        self._allow()
        if not self._session.sensitivity.possible:
            self._time.set_text("The engine is not in this process: install the package (pip install '.[studio]' in a checkout, or the wheel).")
        elif look.error or question is None:
            self._time.set_text("It follows a plan without mistakes." if look.error else "No octave lies within the waves’ band: raise “Waves up to”.")
        else:
            self._time.set_text("planning …")
            background_tasks.create(self._estimate(key, reduced(text, question)), name="time of a map")

    async def _estimate(self, key: Any, text: str) -> None:
        try:
            plan = await asyncio.to_thread(SceneCall("plan", text, self._session.planner.folder).document)
        except (FdtdError, OSError, ValueError) as error:
            words, seconds, planned = f"No plan: {error}", None, False
        else:
            seconds, planned = seconds_of(plan), True
            took = f"About {seconds_text(seconds)}" if seconds is not None else "For a time that is not known"
            words = f"{took}: two runs of the waves alone, up to {plan['max_frequency']:.4g} Hz, {plan['nodes']:,} nodes."
        if key == self._estimated and not self._time.is_deleted:
            self._expected, self._planned = seconds, planned
            self._time.set_text(words)
            self._allow()

    def _allow(self) -> None:
        """A map can be asked for where its scene has a plan, and none is at work."""
        work = self._session.sensitivity
        self._compute.set_enabled(self._planned and work.possible and work.status.state != "running")

    def _start(self) -> None:
        question = self._question()
        if question is not None:
            with guarded():
                self._session.sensitivity.start(self._session.document.text, self._session.planner.folder, question)

    def _progress(self, status: MapStatus) -> None:
        passed = self._session.sensitivity.passed
        self._bar.set_value(min(0.98, passed / self._expected) if self._expected else 0.0)
        self._words.set_text(f"{status.stage}, {seconds_text(passed)}")

    def _answer(self, status: MapStatus) -> None:
        running, done = status.state == "running", status.sites is not None
        self._allow()
        for element, visible in ((self._stop, running), (self._bar, running), (self._shown, done), (self._table, done)):
            element.set_visibility(visible)
        self._words.set_text("" if status.state == "idle" else self._sentence(status))
        if status.sites is not None:
            self._table.rows = [
                {"material": name, "area": area_text(area)[:-3], "each": change_text(each), "all": change_text(each * area)}
                for name, area, each in status.sites.by_material()
            ]
        self._paint()

    def _sentence(self, status: MapStatus) -> str:
        question, sites = status.question, status.sites
        if status.state in ("failed", "stopped"):
            return f"{status.state.capitalize()}: {status.error} – {status.hint}" if status.error else status.state.capitalize()
        if question is None or sites is None:
            return status.stage
        return (
            f"T20 at {question.receiver} in the octave of {question.band:g} Hz: {status.t20:.3g} s. An admittance {STEP:g} higher (of a hard "
            f"wall: absorption about {ABSORPTION:g} higher) on all walls changes it by {change_text(sites.total)} ms, as far as changes are linear; by material:"
        )

    def _paint(self) -> None:
        status = self._session.sensitivity.status
        if status.sites is None or not self._shown.value:
            self._view.paint([], "")
        else:
            background_tasks.create(self._paint_walls(status), name="painting")

    async def _paint_walls(self, status: MapStatus) -> None:
        surface, sites = self._session.planner.look.surface, status.sites
        if surface is None or sites is None:
            return
        if self._painting[0] is not sites:
            self._painting = (sites, await asyncio.to_thread(painting.painted, surface, sites))
        bodies, end = self._painting[1]
        if self._session.sensitivity.status.sites is sites and self._shown.value and not self._shown.is_deleted and status.question is not None:
            self._view.paint(bodies, legend(status, self._session.document.text), end)
