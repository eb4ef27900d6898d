"""Writing TOML: documents of plain dictionaries, as scenes are."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from .errors import misplaced

_BARE = re.compile(r"[A-Za-z0-9_-]+")
_WIDTH = 120


def key_text(key: str) -> str:
    """A key, in quotes where it must be."""
    return key if _BARE.fullmatch(key) else _string(key)


def value_text(value: Any) -> str:
    """A value on one line; arrays and scalars of numpy are lists and numbers."""
    if hasattr(value, "tolist"):
        value = value.tolist()
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, int):
        return str(value)
    if isinstance(value, float):
        return repr(value) if value == value and abs(value) != float("inf") else str(value)
    if isinstance(value, (str, Path)):
        return _string(str(value))
    if isinstance(value, Mapping):
        pairs = ", ".join(f"{key_text(key)} = {value_text(item)}" for key, item in value.items())
        return f"{{ {pairs} }}" if pairs else "{}"
    if isinstance(value, (list, tuple)):
        return "[" + ", ".join(value_text(item) for item in value) + "]"
    raise TypeError(f"{value!r} of type {type(value).__name__} is no value of a scene")


def dumps(document: Mapping[str, Any]) -> str:
    """A document as text: plain keys first, then a section for each table and each element of a list of tables."""
    lines: list[str] = []
    _table(lines, "", document)
    return "\n".join(lines).strip("\n") + "\n"


def _table(lines: list[str], path: str, table: Mapping[str, Any]) -> None:
    sections = {key: value for key, value in table.items() if _is_section(path, key, value)}
    for key, value in table.items():
        if key in sections:
            continue
        try:
            lines.append(f"{key_text(key)} = {_wrapped(value)}")
        except TypeError as error:
            raise misplaced(f"{path}.{key}" if path else key, str(error)) from None
    for key, value in sections.items():
        name = f"{path}.{key_text(key)}" if path else key_text(key)
        for element in value if isinstance(value, list) else [value]:
            lines += ["", f"[[{name}]]" if isinstance(value, list) else f"[{name}]"]
            _table(lines, name, element)


def _is_section(path: str, key: str, value: Any) -> bool:
    """Tables of the first level are sections; of the second, those of `room` and `materials`."""
    if isinstance(value, Mapping):
        return path in ("", "room", "materials")
    return path == "" and isinstance(value, list) and bool(value) and all(isinstance(v, Mapping) for v in value)


def _wrapped(value: Any) -> str:
    """A value; a long list takes a line for each of its elements."""
    text = value_text(value)
    if len(text) < _WIDTH - 20 or not isinstance(value, (list, tuple)):
        return text
    return "[\n" + "".join(f"  {value_text(item)},\n" for item in value) + "]"


def _string(text: str) -> str:
    return json.dumps(text, ensure_ascii=False).replace("\x7f", "\\u007f")
