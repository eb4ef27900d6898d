"""The scene's text, to read and to edit."""

from __future__ import annotations

from nicegui import ui

from .session import Session
from .words import guarded


class TextPage:
    """The TOML text in an editor of lines."""

    def __init__(self, session: Session) -> None:
        self._session = session
        self._shown = ""
        with ui.row().classes("gap-2 items-center"):
            ui.button("Apply", icon="check", on_click=self._apply).props("no-caps dense outline")
            ui.label("The text that is saved. Comments stay where fields of the page change values.").classes("text-sm text-gray-700")
        self._editor = ui.codemirror("", language="TOML", line_wrapping=False).classes("w-full h-[70vh] border").props('aria-label="Text of the scene"')

    def sync(self) -> None:
        """Show the scene's text, unless the editor holds changes that are not applied."""
        if self._editor.value == self._shown:
            self._editor.set_value(self._session.document.text)
        self._shown = self._session.document.text

    def _apply(self) -> None:
        with guarded():
            self._session.document.replace_text("edit the text", self._editor.value or "")
            self._shown = self._editor.value or ""
