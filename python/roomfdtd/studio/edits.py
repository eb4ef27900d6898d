"""Edits of a scene's document: each changes the keys that it names, and no other line of the text."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import tomlkit
from tomlkit import TOMLDocument
from tomlkit.items import AoT, InlineTable, Item, Table

from ..errors import SceneError

KINDS = ("source", "receiver")


def set_key(document: TOMLDocument, key: str, value: Any) -> None:
    """Set a key of tables such as ``simulation.duration``; None removes it. Lists are written on one line."""
    *path, last = key.split(".")
    at: Any = document
    for part in path:
        if part not in at:
            if value is None:
                return
            at[part] = _new_table(at)
        at = at[part]
    if value is not None:
        at[last] = _item(value)
    elif last in at:
        del at[last]


def move(document: TOMLDocument, kind: str, name: str, position: Sequence[float]) -> None:
    """Put a source or receiver at a position (m), to the millimetre."""
    _point(document, kind, name)["position"] = _item([round(float(x), 3) for x in position])


def add_point(document: TOMLDocument, kind: str, position: Sequence[float]) -> str:
    """Add a source or receiver; its name."""
    name = free_name([str(one.get("name", "")) for one in document.get(kind, [])], "S" if kind == "source" else "R")
    table = tomlkit.table()
    table["name"] = name
    table["position"] = _item([round(float(x), 3) for x in position])
    if kind not in document:
        document[kind] = tomlkit.aot()
    listed: Any = document[kind]
    if isinstance(listed, AoT):
        listed.append(table)
    else:  # an array of inline tables
        inline = tomlkit.inline_table()
        inline.update(table.unwrap())
        listed.append(inline)
    return name


def remove_point(document: TOMLDocument, kind: str, name: str) -> None:
    """Remove a source or receiver; the last one stays, for a scene needs it."""
    listed: Any = document.get(kind, [])
    if len(listed) < 2:
        raise SceneError(f"{kind} {name}: a scene needs one {kind}", "move it, or add another one first")
    del listed[_index(document, kind, name)]


def rename_point(document: TOMLDocument, kind: str, name: str, new: str) -> None:
    """Give a source or receiver another name, which none of its kind has."""
    if not new or new != name and any(one.get("name") == new for one in document.get(kind, [])):
        raise SceneError(f"{kind} {new!r}: there is one of this name already" if new else f"{kind}: a name is needed")
    _point(document, kind, name)["name"] = new


def set_point_key(document: TOMLDocument, kind: str, name: str, key: str, value: Any) -> None:
    """Set a key of a source or receiver, such as ``pattern``; None removes it."""
    point = _point(document, kind, name)
    if value is not None:
        point[key] = _item(value)
    elif key in point:
        del point[key]


def assign(document: TOMLDocument, surface: str, material: str) -> None:
    """Give a wall of a box, a surface of a mesh, or ``default``, a material."""
    room: Any = document["room"]
    if "walls" not in room:
        room["walls"] = _new_table(room)
    room["walls"][surface] = material


def define_material(document: TOMLDocument, name: str, table: Mapping[str, Any]) -> None:
    """Define a material, or define it again; a scattering that it has stays unless `table` has one."""
    if not name or any(character in name for character in '"\n\r\t.'):
        raise SceneError(f"materials: {name!r} cannot name a material", "use letters, digits, - and _")
    if "materials" not in document:
        document["materials"] = tomlkit.table(is_super_table=True)
    materials: Any = document["materials"]
    if name in materials:
        own = materials[name]
        for key in [key for key in own if key not in table and key != "scattering"]:
            del own[key]
        for key, value in table.items():
            own[key] = _item(value)
        return
    # After dotted keys, materials.NAME = {...}, a section would take the keys that follow for its own.
    inline = _is_inline(materials) or _is_dotted(materials) or any(_is_inline(one) for one in materials.values())
    new: Any = tomlkit.inline_table() if inline else tomlkit.table()
    for key, value in table.items():
        new[key] = _item(value)
    materials[name] = new


def free_name(taken: Sequence[str], stem: str) -> str:
    """The first of STEM1, STEM2, ... that is not taken."""
    number = 1
    while f"{stem}{number}" in taken:
        number += 1
    return f"{stem}{number}"


def _point(document: TOMLDocument, kind: str, name: str) -> Any:
    points: Any = document[kind]
    return points[_index(document, kind, name)]


def _index(document: TOMLDocument, kind: str, name: str) -> int:
    if kind not in KINDS:
        raise SceneError(f"{kind}: neither source nor receiver")
    points: Any = document.get(kind, [])
    for number, one in enumerate(points):
        if one.get("name") == name:
            return number
    raise SceneError(f"there is no {kind} {name!r}")


def _is_inline(table: Any) -> bool:
    return isinstance(table, InlineTable)


def _is_dotted(table: Any) -> bool:
    return isinstance(table, Table) and any(key is not None and key.is_dotted() for key, _ in table.value.body)


def _new_table(parent: Any) -> Any:
    return tomlkit.inline_table() if _is_inline(parent) else tomlkit.table()


def _item(value: Any) -> Item:
    """A value as TOML; lists and tables on one line."""
    if isinstance(value, Mapping):
        table = tomlkit.inline_table()
        for key, one in value.items():
            table[key] = _item(one)
        return table
    if isinstance(value, (list, tuple)):
        array = tomlkit.array()
        for one in value:
            array.append(_item(one))
        return array
    item: Item = tomlkit.item(value)
    return item
