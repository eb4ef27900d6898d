"""Errors of the engine in a sentence: the text that it prints has lines for a terminal."""

from __future__ import annotations

from ..errors import FdtdError, SceneError


def in_words(error: FdtdError) -> tuple[str, str]:
    """The mistake and its remedy, which may be empty."""
    if not isinstance(error, SceneError) or not error.problems:
        return error.message.strip(), error.hint
    mistakes = [f"{one['place']}: {one['message']}" if one["place"] else one["message"] for one in error.problems]
    return "; ".join(mistakes), "; ".join(one["hint"] for one in error.problems if one["hint"])


def area_text(area: float) -> str:
    """An area: "0.53 m²", "28.2 m²", "1,230 m²"."""
    return f"{area:,.0f} m²" if area >= 100.0 else f"{area:.3g} m²"
