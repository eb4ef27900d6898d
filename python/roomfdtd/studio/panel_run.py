"""The plan of the scene as it is edited, and its runs."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from nicegui import ui

from .planner import Look
from .session import Session
from .words import bytes_text, guarded, seconds_text


class PlanPanel:
    """Time, memory, valid band, expected decay and warnings, or the errors."""

    def __init__(self, session: Session) -> None:
        self._session = session
        self._shown: tuple[bool, Look] | None = None
        self._box = ui.column().classes("w-full gap-1").props('role=status aria-live=polite aria-label="Plan"')

    def sync(self) -> None:
        """Show the latest plan."""
        planner = self._session.planner
        if self._shown is not None and self._shown[0] == planner.busy and _same(self._shown[1], planner.look):
            return  # screen readers would speak it again
        self._shown = (planner.busy, planner.look)
        self._box.clear()
        with self._box:
            if planner.busy:
                with ui.row().classes("items-center gap-2"):
                    ui.spinner(size="sm")
                    ui.label("planning …").classes("text-sm")
            if planner.look.error and not planner.busy:
                self._error(planner.look)
            elif planner.look.plan is not None:
                self._plan(planner.look.plan, planner.busy)

    def _error(self, look: Look) -> None:
        with ui.card().classes("w-full bg-red-50 p-2 gap-1").props("flat bordered role=alert"):
            if look.problems:
                for problem in look.problems:
                    place = f"{problem['place']}: " if problem["place"] else ""
                    line = f" (line {problem['line']})" if problem["line"] else ""
                    ui.label(f"{place}{problem['message']}{line}").classes("text-sm break-words")
                    if problem["hint"]:
                        ui.label(problem["hint"]).classes("text-xs text-gray-700")
                return
            ui.label(look.error).classes("text-sm whitespace-pre-wrap break-words")
            ui.label(look.hint).classes("text-xs text-gray-700")

    def _plan(self, plan: dict[str, Any], old: bool) -> None:
        grid = " × ".join(str(one) for one in plan["grid"])
        facts = {
            "Time": seconds_text(plan["predicted_seconds"]) if "predicted_seconds" in plan else "not known",
            "Memory": bytes_text(plan["memory_bytes"]),
            "Waves valid to": f"{plan['valid_bandwidth']:.4g} Hz",
            "Responses to": f"{plan.get('above', {}).get('upper', plan['valid_bandwidth']):.5g} Hz",
            "Grid": f"{grid}, {1000 * plan['spacing']:.3g} mm",
            "Duration": f"{plan['duration']:.3g} s, {plan['steps']} steps",
        }
        if plan.get("schroeder_frequency"):
            facts["Schroeder frequency"] = f"{plan['schroeder_frequency']:.3g} Hz"
        with ui.element("dl").classes("studio-facts" + (" studio-old" if old else "")):
            for name, value in facts.items():
                with ui.element("dt"):
                    ui.label(name)
                with ui.element("dd"):
                    ui.label(value)
        expected = [(one["centre"], one["seconds"]) for one in plan.get("reverberation", []) if one["seconds"] is not None]
        if expected:
            ui.label("Expected T30: " + ", ".join(f"{centre:g} Hz {seconds:.2g} s" for centre, seconds in expected[:6])).classes("text-xs text-gray-700")
        warnings = plan.get("warnings", [])
        if warnings:
            with ui.expansion(f"{len(warnings)} note{'s' if len(warnings) > 1 else ''}: {warnings[0][:60]}…").classes("w-full text-sm studio-notes"):
                for words in warnings:
                    ui.label(words).classes("text-xs mb-1 break-words")


def _same(one: Look, other: Look) -> bool:
    """Have two looks the same plan and errors? Notches follow the plan."""
    return one.plan is other.plan and (one.error, one.hint, one.problems) == (other.error, other.hint, other.problems)


class RunPanel:
    """Run, stop and resume."""

    def __init__(self, session: Session, finished: Callable[[str], object]) -> None:
        self._session, self._finished = session, finished
        self._seen = -1
        before = session.runner.status
        # A page that is opened later does not jump to a result that was there before it.
        self._opened = session.folder.name(before.folder) if before.state == "finished" and before.folder else ""
        with ui.row().classes("gap-2 items-center"):
            self._run = ui.button("Run", icon="play_arrow", on_click=self._start).props("no-caps")
            self._stop = ui.button("Stop", icon="stop", on_click=lambda: session.runner.stop()).props("no-caps outline color=negative")
            self._resume = ui.button("Resume", icon="redo", on_click=self._again).props("no-caps outline")
        self._bar = ui.linear_progress(0.0, show_value=False, size="10px").props('aria-label="Progress of the run"')
        self._words = ui.label("").classes("text-sm break-words").props("role=status aria-live=polite")

    def sync(self) -> None:
        """Show how far the run is."""
        runner = self._session.runner
        if runner.revision == self._seen:
            return
        self._seen = runner.revision
        status = runner.status
        self._run.set_enabled(not status.active)
        self._stop.set_visibility(status.active)
        self._stop.set_enabled(status.state == "running")
        self._resume.set_visibility(runner.can_resume)
        self._bar.set_visibility(status.active)
        self._bar.props(remove="indeterminate") if status.fraction is not None else self._bar.props("indeterminate")
        self._bar.set_value(status.fraction or 0.0)
        self._words.set_text(self._sentence())
        if status.state == "finished" and status.folder is not None:
            name = self._session.folder.name(status.folder)
            if name != self._opened:
                self._opened = name
                self._finished(name)

    def _sentence(self) -> str:
        status = self._session.runner.status
        if status.state == "idle" or status.folder is None:
            return ""
        where = self._session.folder.name(status.folder)
        if status.state == "finished":
            return f"Finished in {seconds_text(status.seconds)}: {where}"
        if status.state in ("failed", "stopped"):
            return f"{status.state.capitalize()}: {status.error}" + (f" – {status.hint}" if status.hint and status.state == "failed" else "")
        share = f"{100 * status.fraction:.0f} %, " if status.fraction is not None else ""
        return f"{share}{status.stage}"

    def _start(self) -> None:
        with guarded():
            self._session.runner.start(self._session.document.text, self._session.stem)

    def _again(self) -> None:
        with guarded():
            self._session.runner.resume()
