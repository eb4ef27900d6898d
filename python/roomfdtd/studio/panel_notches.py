"""Notches that walls make in the direct sound, beside the plan."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from nicegui import events, ui

from .session import Session

MOST_ROWS = 60


def rows_of(notches: dict[str, Any] | None) -> list[dict[str, str]]:
    """A row for each notch, the lowest frequencies of all pairs first."""
    found = [(one["frequency"], pair, one) for pair in (notches or {}).get("pairs", []) for one in pair["notches"]]
    found.sort(key=lambda entry: entry[0])
    return [
        {
            "key": str(number),
            "frequency": f"{one['frequency']:.0f}",
            "depth": f"{one['depth']:.1f}",
            "wall": str(one["wall"]),
            "pair": f"{pair['source']} at {pair['receiver']}",
            "place": ", ".join(f"{x:.2f}" for x in one["at"]),
        }
        for number, (_, pair, one) in enumerate(found[:MOST_ROWS])
    ]


class NotchPanel:
    """A table of notches; a click on a row shows the wall."""

    def __init__(self, session: Session, chosen: Callable[[str], object]) -> None:
        self._session, self._chosen = session, chosen
        self._seen: dict[str, Any] | None = None
        self._words = ui.label("").classes("text-xs text-gray-700").props("role=status")
        columns = [
            {"name": name, "label": label, "field": name, "align": "left"}
            for name, label in (("frequency", "Notch / Hz"), ("depth", "Depth / dB"), ("wall", "Wall"), ("pair", "Direct sound"), ("place", "Reflects at / m"))
        ]
        self._table = ui.table(columns=columns, rows=[], row_key="key").classes("w-full").style("max-height: 14rem")
        self._table.props('dense flat bordered aria-label="Notches by first reflections of walls"')
        # A button, which the keyboard reaches: its click is one on the row.
        self._table.add_slot("body-cell-wall", '<q-td :props="props"><q-btn flat dense no-caps size="13px" padding="0 3px" :label="props.value" :aria-label="`Show ${props.value}`" /></q-td>')
        self._table.on("row-click", self._clicked, [[], ["wall"], None])
        self.sync()

    def sync(self) -> None:
        """Show the notches of the latest plan."""
        notches = self._session.planner.look.notches
        if notches is self._seen and notches is not None:
            return
        self._seen = notches
        rows = rows_of(notches)
        self._table.rows = rows
        self._table.set_visibility(bool(rows))
        self._words.set_text(self._sentence(notches, len(rows)))

    def _sentence(self, notches: dict[str, Any] | None, shown: int) -> str:
        if notches is None:
            return "They follow the plan."
        count = sum(len(pair["notches"]) for pair in notches["pairs"])
        blocked = [f"{pair['source']} at {pair['receiver']}" for pair in notches["pairs"] if pair["blocked"]]
        words = f"{count} from {notches['from']:g} to {notches['to']:g} Hz, 3 dB or more below the direct sound alone" if count else "None below the direct sound by 3 dB"
        words += f"; the lowest {shown} are listed" if shown < count else ""
        return words + (f". Something stands in the direct path of {', '.join(blocked[:5])}" if blocked else "") + "."

    def _clicked(self, event: events.GenericEventArguments) -> None:
        self._chosen(str(event.args[1]["wall"]))
