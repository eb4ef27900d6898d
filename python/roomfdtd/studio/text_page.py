"""The scene's text, to read and to edit."""

from __future__ import annotations

from nicegui import ui

from .appearance import Appearance
from .session import Session
from .words import guarded

THEMES = {False: "vscodeLight", True: "githubDark"}
# The editor makes this element itself.
NAMED = "(id) => document.getElementById(id)?.querySelector('.cm-content')?.setAttribute('aria-label', 'Text of the scene; Escape, then Tab leaves it')"


class TextPage:
    """The TOML text in an editor of lines."""

    def __init__(self, session: Session, appearance: Appearance) -> None:
        self._session, self._appearance = session, appearance
        self._shown = ""
        with ui.row().classes("gap-2 items-center"):
            ui.button("Apply", icon="check", on_click=self._apply).props("no-caps dense outline")
            ui.label("The text that is saved. Comments stay where fields of the page change values. Tab indents; Escape, then Tab leaves the text.").classes("text-sm text-gray-700")
        self._editor = ui.codemirror("", language="TOML", line_wrapping=False, theme="vscodeLight")
        self._editor.classes("w-full h-[70vh] border")
        appearance.changed.append(lambda: self._editor.set_theme(THEMES[appearance.dark]))  # type: ignore[arg-type]

    def shown(self) -> None:
        """The page has been opened: only now the editor has all of its elements."""
        ui.run_javascript(f"({NAMED})('{self._editor.html_id}')")

    def sync(self) -> None:
        """Show the scene's text, unless the editor holds changes that are not applied."""
        if self._editor.value == self._shown:
            self._editor.set_value(self._session.document.text)
        self._shown = self._session.document.text

    def _apply(self) -> None:
        with guarded():
            self._session.document.replace_text("edit the text", self._editor.value or "")
            self._shown = self._editor.value or ""
