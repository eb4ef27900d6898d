"""The grid, memory and time of a run, before it is run."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from . import _html


class Plan(Mapping[str, Any]):
    """Grid, memory, time and accuracy of a scene: the fields of ``fdtd plan --json``.

    Also as attributes: ``plan.memory_bytes`` is ``plan["memory_bytes"]``.

    Attributes
    ----------
    grid : list of int, length 3
        Grid points along x, y and z.
    nodes, steps : int
        Grid points in all, time steps of each pass.
    passes : int
        How often the room is computed.
    spacing, time_step : float
        In m and s.
    memory_bytes : int
    predicted_seconds : float
        Of the whole run.
    valid_bandwidth : float
        Frequency in Hz up to which a response is right.
    warnings : list of str
    """

    def __init__(self, document: Mapping[str, Any]) -> None:
        self._document = dict(document)

    def __getitem__(self, key: str) -> Any:
        return self._document[key]

    def __iter__(self) -> Iterator[str]:
        return iter(self._document)

    def __len__(self) -> int:
        return len(self._document)

    def __getattr__(self, name: str) -> Any:
        if name.startswith("_"):
            raise AttributeError(name)
        try:
            return self._document[name]
        except KeyError:
            raise AttributeError(f"a plan has no field {name!r}; it has {', '.join(self._document)}") from None

    def summary(self) -> dict[str, Any]:
        """The most important fields, with their units."""
        grid = " x ".join(map(str, self._document["grid"]))
        facts: dict[str, Any] = {
            "stencil": self._document["stencil"],
            "grid": f"{grid} nodes of {1000 * self._document['spacing']:.4g} mm",
            "time": f"{self._document['steps']} steps of {1e6 * self._document['time_step']:.4g} us",
            "valid up to": f"{self._document['valid_bandwidth']:.4g} Hz",
            "memory": f"{self._document['memory_bytes'] / 2**20:.4g} MiB",
            "device": self._document.get("device"),
        }
        if "predicted_seconds" in self._document:
            facts["predicted time"] = f"{self._document['predicted_seconds']:.3g} s"
        return facts | {f"note {i}": text for i, text in enumerate(self._document.get("warnings", []), 1)}

    def __repr__(self) -> str:
        return "Plan\n" + "\n".join(f"  {name}: {value}" for name, value in self.summary().items())

    def _repr_html_(self) -> str:
        return _html.facts("Plan", self.summary())
