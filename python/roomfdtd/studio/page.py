"""The page: a header, the scene and its results. Every client shows the same session."""

from __future__ import annotations

from collections.abc import Callable

from nicegui import ui

from ..errors import FdtdError
from . import fields
from .appearance import Appearance
from .bodies import BodyStore
from .dialogs import ask_about_file, ask_for_name, ask_for_scene
from .panel_notches import NotchPanel
from .panel_points import PointsPanel
from .panel_run import PlanPanel, RunPanel
from .panel_sensitivity import SensitivityPanel
from .panel_settings import SettingsPanel
from .panel_surfaces import SurfacesPanel
from .results_page import ResultsPage
from .session import Session
from .style import STYLE
from .text_page import TextPage
from .view import RoomView
from .words import complain

POLL = 0.25  # s

# Of what Quasar makes in the browser: tables are scrolled by keyboard, and lists are shown that were late.
# Quasar gives up to place a list that has no size for 60 ms, as on a busy machine: it is open, and stays invisible. Once it has
# one it is placed again, as while the page scrolls.
MADE = """() => {
  const sizes = new ResizeObserver(all => {
    if (all.some(one => one.target.offsetHeight && getComputedStyle(one.target).visibility !== 'visible')) dispatchEvent(new Event('scroll'));
  });
  const scrolls = one => {
    const name = one.closest('[aria-label]')?.getAttribute('aria-label') ?? '';
    for (const [key, value] of Object.entries({tabindex: '0', role: 'region', 'aria-label': name})) one.setAttribute(key, value);
  };
  new MutationObserver(() => {
    document.querySelectorAll('.q-menu').forEach(one => sizes.observe(one));
    document.querySelectorAll('.q-table__middle:not([tabindex])').forEach(scrolls);
  }).observe(document.body, {childList: true, subtree: true});
}"""


# Steps back and forward by keyboard; where words are typed, the browser or the editor takes them back itself.
STEPS = """() => document.addEventListener('keydown', event => {
  const key = event.key.toLowerCase(), typed = event.target.closest?.('input:not([readonly]):not([type=range]), textarea, [contenteditable=true]');
  if (!(event.ctrlKey || event.metaKey) || event.altKey || typed || !['z', 'y'].includes(key)) return;
  event.preventDefault();
  emitEvent('studio_step', key === 'y' || event.shiftKey ? 'redo' : 'undo');
})"""


class Page:
    """The page of one client."""

    def __init__(self, session: Session, store: BodyStore) -> None:
        self._session = session
        self._seen: tuple[int, int] = (-1, -1)
        self._plan_seen = -1
        ui.add_css(STYLE)
        ui.colors(primary="#1f5f8b", positive="#1a7f37", info="#1f5f8b")  # white words on them are read
        self._look_of_page = Appearance()
        self._header()
        with ui.tabs().props("dense no-caps align=left").classes("w-full") as tabs:
            scene, results, text = ui.tab("Scene"), ui.tab("Results"), ui.tab("Text")
        self._tabs, self._results_tab = tabs, results
        # While it is hidden the view may have missed that the window has another size.
        tabs.on_value_change(lambda: ui.timer(0.3, self._shown, once=True))
        with ui.tab_panels(tabs, value=scene, animated=False, keep_alive=True).classes("w-full"):
            with ui.tab_panel(scene).classes("p-2"):
                self._scene_panel(store)
            with ui.tab_panel(results).classes("p-2"):
                self._results = ResultsPage(session, self._look_of_page)
            with ui.tab_panel(text).classes("p-2"):
                self._text = TextPage(session, self._look_of_page)
        ui.timer(0.1, lambda: ui.run_javascript(f"({MADE})()"), once=True)
        ui.on("studio_step", lambda event: self._session_call("redo" if event.args == "redo" else "undo")())
        ui.timer(0.1, lambda: ui.run_javascript(f"({STEPS})()"), once=True)
        ui.timer(POLL, self._sync)
        ui.timer(3.0, self._look_at_file)

    def _shown(self) -> None:
        self._view.fit()
        self._text.shown()

    def _header(self) -> None:
        with ui.header(elevated=False).classes("items-center gap-2 px-3 py-1 bg-slate-800"):
            with ui.element("h1").classes("font-semibold text-base leading-none"):
                ui.label("fdtd studio")
            self._name = ui.label().classes("text-sm opacity-90 break-all")
            self._changed = ui.label("changed by another program").classes("text-xs text-amber-300").props("role=status")
            self._changed.set_visibility(False)
            ui.space()
            self._undo = self._button("Undo", "undo", self._session_call("undo"))
            self._redo = self._button("Redo", "redo", self._session_call("redo"))
            self._button("Open", "folder_open", lambda: ask_for_scene(self._session))
            self._button("Save", "save", self._save)
            self._button("Save as", "save_as", lambda: ask_for_name(self._session))
            self._look_of_page.button()

    def _button(self, words: str, icon: str, call: Callable[[], object]) -> ui.button:
        return ui.button(words, icon=icon, on_click=call).props("flat dense no-caps color=white size=12px")

    def _session_call(self, name: str) -> Callable[[], None]:
        def call() -> None:
            getattr(self._session.document, name)()

        return call

    def _scene_panel(self, store: BodyStore) -> None:
        with ui.element("div").classes("studio-grid"):
            with ui.column().classes("gap-1 min-w-0 studio-room"):
                self._view = RoomView(self._session, store, lambda name: self._surfaces.show(name))
            with ui.column().classes("gap-0 min-w-0 studio-side"):
                with ui.column().classes("w-full gap-2 p-2 bg-slate-50 rounded"):
                    self._plan = PlanPanel(self._session)
                    self._run = RunPanel(self._session, self._finished)
                with ui.expansion("Sources and receivers", value=True).classes("w-full"):
                    self._points = PointsPanel(self._session)
                with ui.expansion("Surfaces and materials", value=True).classes("w-full"):
                    self._surfaces = SurfacesPanel(self._session)
                    self._surfaces.view = self._view
                with ui.expansion("Computation", value=True).classes("w-full"):
                    self._settings = SettingsPanel(self._session)
                with ui.expansion("Notches by walls", value=False).classes("w-full"):
                    self._notches = NotchPanel(self._session, self._view.choose)
                with ui.expansion("Walls that decide T20", value=False).classes("w-full") as walls:
                    self._sensitivity = SensitivityPanel(self._session, self._view, walls)

    def _sync(self) -> None:
        """Show what has changed since the last time, whoever has changed it."""
        document = self._session.document
        seen = (self._session.revision, document.revision)
        if seen != self._seen:
            if self._session.planner.look.text != document.text:
                self._session.planner.request(document.text)
            self._seen = seen
            self._points.sync()
            self._settings.sync()
            self._surfaces.sync()
            self._view.sync()
            self._text.sync()
            self._buttons()
        if self._session.planner.revision != self._plan_seen:
            self._plan_seen = self._session.planner.revision
            self._notches.sync()
            self._surfaces.sync()
            self._view.sync()
        self._plan.sync()
        self._run.sync()
        self._sensitivity.sync()
        self._title()

    def _title(self) -> None:
        document = self._session.document
        self._name.set_text(f"{self._session.name or 'new scene'}{' (not saved)' if document.dirty else ''}")

    def _buttons(self) -> None:
        document = self._session.document
        for button, label, words in ((self._undo, document.undo_label, "Undo"), (self._redo, document.redo_label, "Redo")):
            button.set_enabled(bool(label))
            fields.labelled(button, f"{words}: {label}" if label else words)

    def _finished(self, run: str) -> None:
        self._results.refresh(run)
        self._tabs.set_value(self._results_tab)

    def _save(self) -> None:
        if self._session.document.path is None:
            ask_for_name(self._session)
            return
        try:
            path = self._session.save()
        except FdtdError as error:
            if self._session.document.changed_on_disk():
                ask_about_file(self._session)
            else:
                complain(error)
            return
        ui.notify(f"Saved {self._session.folder.name(path)}", type="positive")

    def _look_at_file(self) -> None:
        try:
            changed = self._session.document.changed_on_disk()
        except FdtdError:
            changed = True
        self._changed.set_visibility(changed)
