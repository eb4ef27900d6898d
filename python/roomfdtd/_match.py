"""How a result differs from what was measured in the room."""

from __future__ import annotations

import json
import math
import tempfile
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from . import _engine, _lazy
from ._document import number
from .errors import misplaced

if TYPE_CHECKING:
    import matplotlib.axes
    import pandas

Names = tuple[str, str]  # of a source and a receiver


class Match:
    """Differences of a result from a measurement; made by :meth:`Result.match`.

    Attributes
    ----------
    document : dict
        The document of ``fdtd match --json``: every pair, octave and figure, and what is not compared.
    """

    def __init__(self, document: dict[str, Any]) -> None:
        self.document = document

    def __repr__(self) -> str:
        octaves = [one["centre"] for one in self.document["means"] if any(figure["pairs"] for figure in one["figures"])]
        reach = f", {octaves[0]:g} to {octaves[-1]:g} Hz" if octaves else ""
        return f"<roomfdtd.Match: pairs: {len(self.document['pairs'])}{reach}>"

    def frame(self) -> pandas.DataFrame:
        """Every difference.

        Returns
        -------
        pandas.DataFrame
            Index (source, receiver, band in Hz, figure); columns run, measured, difference (in the figure's unit, that of
            the column unit), jnd (in just noticeable differences), NaN where there is none, and ``reason``, why not;
            ``from``, the part of the run's response that makes the octave.
        """
        rows = [
            {"source": pair["source"], "receiver": pair["receiver"], "band": octave["centre"], "from": octave["from"]}
            | one
            for pair in self.document["pairs"]
            for octave in pair["octaves"]
            for one in octave["figures"]
        ]
        return self._table(rows, ["source", "receiver", "band", "figure"], ["run", "measured", "difference", "jnd"])

    def means(self) -> pandas.DataFrame:
        """Means over the pairs.

        Returns
        -------
        pandas.DataFrame
            Index (band in Hz, figure); columns jnd (mean size of the difference in just noticeable differences),
            jnd_signed (mean difference, likewise), difference (in the figure's unit, that of the column unit), NaN of no
            pair, and pairs, their number.
        """
        rows = [
            {"band": octave["centre"]} | one for octave in self.document["means"] for one in octave["figures"]
        ]
        return self._table(rows, ["band", "figure"], ["jnd", "jnd_signed", "difference"])

    @staticmethod
    def _table(rows: list[dict[str, Any]], index: list[str], numbers: list[str]) -> pandas.DataFrame:
        pd = _lazy.load("pandas", "tables")
        frame: pandas.DataFrame = pd.DataFrame(rows)
        frame[numbers] = frame[numbers].astype(float)
        return frame.set_index(index)

    def plot(
        self, figures: Sequence[str] = ("EDT", "T20", "C80", "D50", "Ts"), ax: matplotlib.axes.Axes | None = None
    ) -> matplotlib.axes.Axes:
        """Draw the mean size of differences by octave, in just noticeable differences.

        Parameters
        ----------
        figures : sequence of str
            Of EDT, T20, T30, C50, C80, D50, Ts, G; one that is compared in no octave is left out.
        ax : matplotlib.axes.Axes, optional
            Where to draw; by default a new figure.

        Returns
        -------
        matplotlib.axes.Axes
        """
        from . import _plots

        return _plots.differences(self, figures, ax)


def _without_nan(value: Any) -> Any:
    """NaN, as tables have for missing values, is null in JSON; no figure is infinite."""
    if isinstance(value, Mapping):
        return {key: _without_nan(one) for key, one in value.items()}
    if isinstance(value, (list, tuple)):
        return [_without_nan(one) for one in value]
    if isinstance(value, float) and math.isinf(value):
        raise misplaced("measured", f"a figure is {value}", "NaN stands for one that is missing")
    return None if isinstance(value, float) and math.isnan(value) else value


def match(
    result: Path,
    measured: str | Path | Sequence[str | Path] | Mapping[str, Any],
    pairs: Mapping[Names, Names | str] | None,
    bands: tuple[float, float],
) -> Match:
    low, high = (number(band, "bands") for band in bands)
    options = [f"--bands={low:g}:{high:g}"]
    for run, other in (pairs or {}).items():
        options.append(f"--pair={':'.join(run)}={other if isinstance(other, str) else ':'.join(other)}")
    if isinstance(measured, Mapping):
        with tempfile.TemporaryDirectory() as folder:
            file = Path(folder) / "measured.json"
            file.write_text(json.dumps(_without_nan(measured)), encoding="utf-8")
            return Match(_engine.match(str(result), [str(file)], options))
    files = [measured] if isinstance(measured, (str, Path)) else list(measured)
    return Match(_engine.match(str(result), [str(file) for file in files], options))
