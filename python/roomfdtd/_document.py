"""A scene's document, the tables of its TOML text: values are checked on the way in and put at their keys."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from . import _html
from .errors import SceneError, misplaced
from .materials import Material


def table_of(value: Any, place: str) -> dict[str, Any]:
    """A copy of a mapping, or an error with its place."""
    if not isinstance(value, Mapping):
        raise misplaced(place, f"a mapping is needed, not {value!r}")
    return dict(value)


def texts(overrides: Sequence[str]) -> list[str]:
    """Overrides as a list; one text alone is a mistake."""
    if isinstance(overrides, str):
        raise SceneError(f"overrides: {overrides!r} is one text", f"give a list: [{overrides!r}]")
    return list(overrides)


def named(
    walls: Mapping[str, str | Material], own: dict[str, Material]
) -> tuple[dict[str, str], dict[str, Material]]:
    """Walls by the names of materials; a material without a name gets that of its wall."""
    for key, value in own.items():
        if not isinstance(value, Material):
            raise misplaced(f"materials.{key}", f"a Material is needed, not {value!r}", "Material.library(name)")
    names: dict[str, str] = {}
    for wall, material in walls.items():
        if isinstance(material, Material):
            name = next((name for name, other in own.items() if other == material), None)
            if name is None:
                name = wall
                while name in own:
                    name += "_"
                own[name] = material
            names[wall] = name
        else:
            names[wall] = material
    return names, own


def put(document: dict[str, Any], key: str, value: Any) -> None:
    """Sets a key such as ``source.S1.position``; None removes it."""
    at: Any = document
    parts = key.split(".")
    for depth, part in enumerate(parts):
        last = depth == len(parts) - 1
        if isinstance(at, list):
            index: Any = next((i for i, item in enumerate(at) if item.get("name") == part), None)
            if index is None and part.isdigit() and int(part) < len(at):
                index = int(part)
            if index is None:
                raise SceneError(f"{key}: there is no {part!r}", f"its elements: {_html.names(at)}")
        elif isinstance(at, dict):
            index = part
            if not last:
                at.setdefault(part, {})
        else:
            raise SceneError(f"{key}: {'.'.join(parts[:depth])} is no table")
        if not last:
            at = at[index]
        elif value is None:
            at.pop(index, None) if isinstance(at, dict) else at.pop(index)
        else:
            at[index] = dict(value.table) if isinstance(value, Material) else value
