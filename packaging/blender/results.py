"""Figures of a run by octave, for the panel, and as colours of receivers."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

# From low to high, so that neighbours also differ in lightness: five points of the map "viridis" of matplotlib (CC0).
_COLOURS = ((0.267, 0.005, 0.329), (0.230, 0.322, 0.546), (0.128, 0.567, 0.551), (0.369, 0.789, 0.383), (0.993, 0.906, 0.144))


class Figures:
    """The document of ``fdtd metrics result.h5 --json``."""

    def __init__(self, document: Mapping[str, Any]) -> None:
        self.rows = {
            (row["source"], row["receiver"]): {band["centre"]: band for band in row["metrics"]["bands"]}
            for row in document["responses"]
        }

    @property
    def receivers(self) -> list[str]:
        return list(dict.fromkeys(receiver for _, receiver in self.rows))

    def octaves(self, receiver: str) -> list[float]:
        """Centres in Hz, 63 Hz to 8 kHz."""
        bands = next(bands for (_, name), bands in self.rows.items() if name == receiver)
        return [centre for centre in bands if 60 < centre < 9000]

    def value(self, receiver: str, figure: str, octave: float) -> float | None:
        """The mean of all sources that have the figure; None where none has it."""
        values = [
            bands[octave].get(figure)
            for (_, name), bands in self.rows.items()
            if name == receiver and octave in bands
        ]
        known = [value for value in values if value is not None]
        return sum(known) / len(known) if known else None


def colours(values: Mapping[str, float | None]) -> dict[str, tuple[float, float, float, float]]:
    """A colour for each name: the lowest value is dark violet, the highest yellow, none grey."""
    known = [value for value in values.values() if value is not None]
    low, high = (min(known), max(known)) if known else (0.0, 0.0)
    made = {}
    for name, value in values.items():
        if value is None:
            made[name] = (0.5, 0.5, 0.5, 1.0)
            continue
        at = (value - low) / (high - low) * (len(_COLOURS) - 1) if high > low else 0.0
        i = min(int(at), len(_COLOURS) - 2)
        red, green, blue = (a + (at - i) * (b - a) for a, b in zip(_COLOURS[i], _COLOURS[i + 1]))
        made[name] = (red, green, blue, 1.0)
    return made


def text(value: float | None) -> str:
    return "-" if value is None else f"{value:.2f}"


def named_of(channels: Iterable[str], receiver: str) -> list[str]:
    """The responses of a receiver: its name, or those of its channels NAME:00, NAME:01, ..."""
    return [name for name in channels if name == receiver or name.startswith(receiver + ":")]
