"""Materials of walls: those of the library by name, and own ones."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from numpy.typing import ArrayLike

from . import _engine, _html
from ._document import complex_numbers, number, numbers
from .errors import misplaced


@dataclass(frozen=True)
class Material:
    """The material of a wall: one of the ways in which a scene states a material.

    Made by the class methods, or of a number; walls also take a plain string, the name of an entry of the library.

    Parameters
    ----------
    table : Mapping or float
        The keys of ``[materials.NAME]`` of the scene format; a number is the absorption coefficient of all octaves from
        125 Hz to 8 kHz, 0 a rigid wall.

    Examples
    --------
    >>> Material(0.2)
    """

    table: Mapping[str, Any]

    def __init__(self, table: Mapping[str, Any] | float) -> None:
        if isinstance(table, Mapping):
            object.__setattr__(self, "table", table)
            return
        if isinstance(table, str):
            hint = "Material.library(name) takes an entry of the library"
            raise misplaced("materials", f"a material is no {table!r}", hint)
        alpha = number(table, "materials")
        if not 0.0 <= alpha <= 1.0:
            raise misplaced("materials", f"a material is no {table!r}", "give 0 to 1")
        octaves = [125.0 * 2**i for i in range(7)]
        made = {"absorption": {"bands": octaves, "alpha": [alpha] * 7}} if alpha > 0.0 else {"rigid": True}
        object.__setattr__(self, "table", made)

    @classmethod
    def absorption(cls, bands: ArrayLike, alpha: ArrayLike) -> Material:
        """A material from octave-band absorption coefficients.

        Parameters
        ----------
        bands : array_like, shape (n,)
            Centre frequencies of octave bands in Hz, increasing.
        alpha : array_like, shape (n,)
            Random-incidence absorption coefficient of each band, 0 to 1.
        """
        return cls({"absorption": {"bands": numbers(bands, "absorption.bands"), "alpha": numbers(alpha, "absorption.alpha")}})

    @classmethod
    def admittance(cls, value: float) -> Material:
        """A material whose admittance is the same at all frequencies.

        Parameters
        ----------
        value : float
            Normalised specific admittance rho c / Z, real, 0 or more.
        """
        return cls({"admittance": number(value, "admittance")})

    @classmethod
    def impedance(cls, frequencies: ArrayLike, impedance: ArrayLike) -> Material:
        """A material from its impedance.

        Parameters
        ----------
        frequencies : array_like, shape (n,)
            Frequencies in Hz, increasing.
        impedance : array_like of complex, shape (n,)
            Normalised specific impedance Z / (rho c), time convention exp(+i omega t).
        """
        values = complex_numbers(impedance, "impedance")
        parts = {"real": [value.real for value in values], "imaginary": [value.imag for value in values]}
        return cls({"impedance": {"frequencies": numbers(frequencies, "impedance.frequencies")} | parts})

    @classmethod
    def porous(cls, flow_resistivity: float, thickness: float, air_gap: float = 0.0) -> Material:
        """A porous layer before a rigid backing, after Delany, Bazley and Miki.

        Parameters
        ----------
        flow_resistivity : float
            Pa s / m^2.
        thickness, air_gap : float
            Of the layer, and of the air behind it, in m.
        """
        layer = {"flow_resistivity": flow_resistivity, "thickness": thickness, "air_gap": air_gap}
        return cls({"porous": {name: number(value, f"porous.{name}") for name, value in layer.items()}})

    @classmethod
    def branches(cls, branches: Sequence[tuple[float, float, float]]) -> Material:
        """A material of parallel branches.

        Parameters
        ----------
        branches : sequence of (float, float, float)
            D, E and F of each, whose normalised impedance is D s + E + F / s in SI units.
        """
        stated = [numbers(branch, "branches") for branch in branches]
        if any(len(branch) != 3 for branch in stated):
            raise misplaced("branches", "each has three numbers", "write [(D, E, F)]")
        return cls({"branches": [dict(zip("DEF", branch, strict=True)) for branch in stated]})

    @classmethod
    def rigid(cls) -> Material:
        """A wall that reflects all sound."""
        return cls({"rigid": True})

    @classmethod
    def library(cls, name: str) -> Material:
        """An entry of the library.

        Parameters
        ----------
        name : str
            One of those that ``materials()`` lists.
        """
        return cls({"library": name})

    @classmethod
    def file(cls, path: str | Path) -> Material:
        """A material in a file of its own.

        Parameters
        ----------
        path : path
            .toml, .csv or .txt, relative to the scene's folder.
        """
        return cls({"file": str(path)})

    def scattering(self, s: float | ArrayLike, bands: ArrayLike | None = None) -> Material:
        """The same material with relief that scatters rays above the waves' band.

        Parameters
        ----------
        s : float or array_like, shape (n,)
            Scattering coefficient, 0 to 1, of all frequencies or of each band.
        bands : array_like, shape (n,), optional
            Centre frequencies of octave bands in Hz, increasing.

        Returns
        -------
        Material
        """
        stated: Any = number(s, "scattering") if bands is None else {
            "bands": numbers(bands, "scattering.bands"), "s": numbers(s, "scattering.s"),
        }  # fmt: skip
        return Material(dict(self.table) | {"scattering": stated})


    def smooth(self) -> Material:
        """The same absorption or admittance by a law that is a smooth function of it: the wall of a search by gradients.

        Returns
        -------
        Material
        """
        return Material(dict(self.table) | {"law": "smooth"})


class Library(list[dict[str, Any]]):
    """A list of dictionaries that notebooks show as a table."""

    def to_frame(self) -> Any:
        """The same as a pandas DataFrame."""
        import pandas

        return pandas.DataFrame(list(self))

    def _repr_html_(self) -> str:
        return _html.table(self)


def materials() -> Library:
    """The material library.

    Returns
    -------
    Library
        Dictionaries with ``name``, ``about``, ``source`` (publication), ``bands`` (Hz) and ``alpha``.
    """
    return Library(_engine.materials())


def stencils() -> Library:
    """The catalogue of stencils.

    Returns
    -------
    Library
        Dictionaries with ``name``, ``family``, ``points``, ``courant`` and the figures of their dispersion.
    """
    return Library(_engine.stencils())
