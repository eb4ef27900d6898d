"""Coefficients of absorption and scattering as materials: octaves of thirds, none above 1, nothing above 8 kHz."""

from __future__ import annotations

import itertools
import math
import re
from collections.abc import Container, Mapping

from ..errors import SceneError
from ..materials import Material

OCTAVES = (31.5, 63.0, 125.0, 250.0, 500.0, 1000.0, 2000.0, 4000.0, 8000.0, 16000.0)
NUMBER = re.compile(r"[-+]?(?:\d+(?:[.,]\d*)?|[.,]\d+)(?:[eE][-+]?\d+)?")
_HIGHEST = 8000.0  # Hz, of the bands that are read


def number_of(text: str) -> tuple[float, str] | None:
    """A coefficient and "%" or nothing; None of a text without a number."""
    match = re.fullmatch(rf"\s*({NUMBER.pattern})\s*(%?)\s*", text)
    value = float(match[1].replace(",", ".")) if match else math.inf
    return (value, match[2]) if match and math.isfinite(value) else None


def counted(number: int, one: str, several: str = "") -> str:
    return f"{number} {one if number == 1 else several or one + 's'}"


def unique(name: str, taken: Container[str]) -> str:
    """The name, or with the first number that makes it one of its own."""
    numbered = (f"{name} ({number})" for number in itertools.count(2))
    return next(one for one in itertools.chain([name], numbered) if one not in taken)


def material(name: str, alpha: Mapping[float, float], scattering: Mapping[float, float], notes: list[str]) -> Material:
    """A material of coefficients by octave or by third, none above 1."""
    bands = _octaves(name, alpha, notes)
    kept, spread = _limited(name, bands, "coefficient", notes), _limited(name, scattering, "scattering coefficient", notes)
    if not kept:
        raise SceneError(f"{name}: it has no band up to 8 kHz")
    if not any(kept.values()):
        return Material.rigid()
    made = Material.absorption(list(kept), list(kept.values()))
    return made.scattering(list(spread.values()), list(spread)) if any(spread.values()) else made


def _limited(name: str, bands: Mapping[float, float], what: str, notes: list[str]) -> dict[float, float]:
    """Coefficients up to 8 kHz, none above 1."""
    low = [value for value in bands.values() if value < 0]
    if low:
        raise SceneError(f"{name}: the {what} {low[0]:g} is negative", "coefficients are 0 to 1, or percent")
    if max(bands.values(), default=0.0) > 1:
        notes.append(f"{name}: {what}s up to {max(bands.values()):.3g} become 1")
    above = "bands above 8 kHz are left out"
    if max(bands, default=0.0) > _HIGHEST and above not in notes:
        notes.append(above)
    return {band: min(value, 1.0) for band, value in bands.items() if band <= _HIGHEST}


def _octaves(name: str, alpha: Mapping[float, float], notes: list[str]) -> dict[float, float]:
    """Of thirds the mean of those of each octave."""
    groups: dict[float, list[float]] = {}
    for frequency, value in alpha.items():
        groups.setdefault(_octave_of(frequency), []).append(value)
    # An octave's nominal frequency may be a few per cent off; the next third of an octave is 26 % away.
    if any(abs(math.log2(frequency / _octave_of(frequency))) > 0.1 for frequency in alpha):
        if "thirds of an octave become octaves by their means" not in notes:
            notes.append("thirds of an octave become octaves by their means")
    return {centre: round(sum(values) / len(values), 6) for centre, values in sorted(groups.items())}


def _octave_of(frequency: float) -> float:
    return min(OCTAVES, key=lambda one: abs(math.log2(frequency / one)))
