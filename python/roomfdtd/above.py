"""Geometry above the waves' band: the crossover, how far both parts agree, and the sound that geometry adds."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from . import _lazy

if TYPE_CHECKING:
    import pandas

Energy = tuple[NDArray[np.float64], NDArray[np.float64]]


def origin_of(band: float, crossover: tuple[float, float] | None) -> str:
    """The part that makes the figures of an octave, by the program's rule, for rows without its field `from`.

    `band` is the centre in Hz, 0 for all octaves together; "wave", "geometry" or "both".
    """
    if crossover is None:
        return "wave"
    if band <= 0.0:
        return "both"
    rounding = 1.01  # of nominal centres
    if band * np.sqrt(2.0) <= crossover[0] * rounding:
        return "wave"
    return "geometry" if band / np.sqrt(2.0) * rounding >= crossover[1] else "both"


@dataclass(frozen=True)
class AbovePart:
    """The part of responses that image sources and rays make, above the waves' band: ``result.above``.

    Attributes
    ----------
    waves_to, geometry_from : float
        The crossover in Hz: waves alone to the first, geometry alone from the second on.
    valid_to : float
        Hz; where responses end.
    octaves : ndarray
        Centre frequencies in Hz of the octaves in which rays were traced.
    bin : float
        Time step of :meth:`energy`, in s.
    coherent_until : float
        Image sources that arrive before this time (s) are added in phase with the waves.
    rays, seed : int
        Rays of each source, and the seed of their draws.
    image_order : int
        Reflections of image sources at most; -1: all of a box.
    directions : ndarray, shape (24, 3)
        Unit vectors of the directions of arrival to which energies at receivers with a pattern are assigned.
    trust : str or None
        "good", "fair" or "poor": how far geometry agrees with waves in the octave below the crossover, where waves are
        right; None where no pair of a source and a receiver could be compared, or of an older result.
    agreement : dict
        The comparison, as ``agreement`` of ``fdtd run --json``: differences of ``G`` (dB), ``C80`` (dB) and ``T20`` (%),
        and ``reasons``; empty where there is none.
    spread : dict of str to ndarray
        By figure, one value an octave: by how much T20 (%), C80 and G (dB) would differ in another draw of rays; empty of
        results that do not state it.
    """

    waves_to: float
    geometry_from: float
    valid_to: float
    octaves: NDArray[np.float64]
    bin: float
    coherent_until: float
    rays: int
    seed: int
    image_order: int
    directions: NDArray[np.float64]
    trust: str | None
    agreement: Mapping[str, Any]
    spread: Mapping[str, NDArray[np.float64]]
    _energy: Callable[[str | int, str | int], Energy] = field(repr=False, compare=False)
    _images: Callable[[str | int, str | int], NDArray[np.float64]] = field(repr=False, compare=False)

    def energy(self, receiver: str | int = 0, source: str | int = 0) -> Energy:
        """The energies of all sound but image sources, by octave and time.

        Parameters
        ----------
        receiver, source : str or int
            Name, or number from 0.

        Returns
        -------
        times : ndarray, shape (bins,)
            Beginnings of the bins after the emission, in s.
        energy : ndarray, shape (octaves, bins) or (octaves, bins, directions)
            An arrival over r metres has the energy 1/r²; by direction at receivers with a pattern.
        """
        return self._energy(receiver, source)

    def images(self, receiver: str | int = 0, source: str | int = 0) -> NDArray[np.float64]:
        """The image sources as a filter at 48 000 Hz, before the crossover.

        Parameters
        ----------
        receiver, source : str or int
            Name, or number from 0.

        Returns
        -------
        ndarray, shape (samples,)
            Of an ambisonic receiver's name all channels, shape (channels, samples).
        """
        return self._images(receiver, source)

    def differences(self) -> pandas.DataFrame:
        """Geometry less waves in the octave below the crossover.

        Returns
        -------
        pandas.DataFrame
            Index G (dB), C80 (dB), T20 (%); columns pairs, mean, absolute (mean of the absolutes) and error (of the mean);
            empty where nothing was compared.
        """
        rows = {name: self.agreement[name] for name in ("G", "C80", "T20") if name in self.agreement}
        frame: pandas.DataFrame = _lazy.load("pandas", "tables").DataFrame.from_dict(
            rows, orient="index", columns=["pairs", "mean", "absolute", "error"]
        )
        return frame.astype(float)

    def summary(self) -> dict[str, Any]:
        """The part in a few lines."""
        return {
            "crossover": f"{self.waves_to:.4g} to {self.geometry_from:.4g} Hz",
            "valid to": f"{self.valid_to:.5g} Hz",
            "rays": self.rays,
            "trust": self.trust or "not compared",
        }

    def __repr__(self) -> str:
        return "AbovePart\n" + "\n".join(f"  {name}: {value}" for name, value in self.summary().items())
