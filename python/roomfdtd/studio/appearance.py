"""Light or dark: as the system has it, or as the user has chosen; the browser keeps the choice."""

from __future__ import annotations

from collections.abc import Callable

from nicegui import events, ui

from . import fields

CHOICES: dict[str, tuple[bool | None, str, str]] = {
    "auto": (None, "brightness_auto", "as the system"),
    "dark": (True, "dark_mode", "dark"),
    "light": (False, "light_mode", "light"),
}
KEY = "fdtd-studio-appearance"
# Whether the page is dark is known to the browser alone, which has the system's choice.
WATCH = """(key) => {
  const report = () => emitEvent('studio_dark', document.body.classList.contains('body--dark'));
  new MutationObserver(report).observe(document.body, {attributes: true, attributeFilter: ['class']});
  report();
  emitEvent('studio_appearance', localStorage.getItem(key));
}"""


class Appearance:
    """The switch of one page.

    Attributes
    ----------
    dark : bool
        Is the page dark now?
    changed : list of callable
        Called when it has become dark or light.
    """

    def __init__(self) -> None:
        self.dark = False
        self.changed: list[Callable[[], object]] = []
        ui.on("studio_dark", self._seen)
        ui.on("studio_appearance", self._recall)
        ui.timer(0.1, lambda: ui.run_javascript(f"({WATCH})('{KEY}')"), once=True)
        self._dark = ui.dark_mode(value=None)
        self._name = "auto"
        self._button: ui.button | None = None

    def button(self) -> None:
        """Add the button that goes from one to the next."""
        self._button = ui.button(on_click=self._next).props("flat dense round color=white size=sm")
        self._show()

    def _seen(self, event: events.GenericEventArguments) -> None:
        dark = bool(event.args)
        if dark != self.dark:
            self.dark = dark
            for call in self.changed:
                call()

    def _recall(self, event: events.GenericEventArguments) -> None:
        if event.args in CHOICES:
            self._name = event.args
            self._show()

    def _next(self) -> None:
        names = list(CHOICES)
        self._name = names[(names.index(self._name) + 1) % len(names)]
        ui.run_javascript(f"localStorage.setItem('{KEY}', '{self._name}')")
        self._show()

    def _show(self) -> None:
        value, icon, words = CHOICES[self._name]
        self._dark.value = value
        if self._button is not None:
            self._button.set_icon(icon)
            fields.labelled(self._button, f"Appearance: {words}")
