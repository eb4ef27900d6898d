"""Fields of the page that hold a value of the scene: they take a change when it is finished, not at each key."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar
from weakref import WeakKeyDictionary

from nicegui import ui

Named = TypeVar("Named", bound=ui.element)
_taken: WeakKeyDictionary[Any, Any] = WeakKeyDictionary()  # the value that a field last showed or gave


def labelled(element: Named, words: str) -> Named:
    """Give an element its name for screen readers.

    Names of a scene are somebody else's text: in ``props("...")`` a quotation mark would end the value, and what follows
    would be properties, even code.
    """
    element.props["aria-label"] = words
    return element


def _finished(field: Any, finish: Callable[[], object]) -> None:
    """Call `finish` with Enter, and where the field is left with another value than it had.

    Left is it for the browser: Quasar says so later than a click on Undo, which would be followed by the value taken back.
    """
    field.on("focusout", lambda: finish() if field.value != _taken.get(field) else None)
    field.on("keydown.enter", finish)


def show(field: Any, value: Any) -> None:
    """Show a value of the scene, unless somebody is typing another one."""
    if field.value != _taken.get(field, field.value):
        return
    if field in _taken:
        _taken[field] = value
    if field.value != value:
        field.set_value(value)


def number(label: str, value: float | None, changed: Callable[[float], object], step: float = 0.1, classes: str = "w-20", aria: str = "") -> ui.number:
    """A number; `changed` is called when it is left, and with Enter. `aria`: its name for screen readers."""
    field = ui.number(label, value=value, step=step, format="%.6g").classes(classes).props("dense outlined")
    labelled(field, aria or label)

    _taken[field] = value

    def finish() -> None:
        _taken[field] = field.value
        if field.value is not None:
            changed(float(field.value))

    _finished(field, finish)
    return field


def text(label: str, value: str, changed: Callable[[str], object], classes: str = "w-28", aria: str = "") -> ui.input:
    """A line of text."""
    field = ui.input(label, value=value).classes(classes).props("dense outlined")
    labelled(field, aria or label)

    _taken[field] = value

    def finish() -> None:
        _taken[field] = field.value
        changed(str(field.value or ""))

    _finished(field, finish)
    return field


def choice(
    label: str, options: Any, value: Any, changed: Callable[[Any], object], classes: str = "w-40", filtered: bool = False, aria: str = ""
) -> ui.select:
    """One of several. `label` is code of a template; `aria`, its name for screen readers, is none."""
    field = ui.select(options, label=aria or label, value=value, with_input=filtered).classes(classes)
    field.add_slot("label", label)  # Quasar gives the property to the element that takes the focus
    labelled(field.props("dense outlined options-dense"), aria or label)
    field.on_value_change(lambda event: changed(event.value))
    return field
