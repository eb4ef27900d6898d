"""Reading a room of another program: the reader of each suffix."""

from __future__ import annotations

import importlib
from pathlib import Path
from typing import Literal

from ..errors import FileError, SceneError
from ._model import Model

# The module of each suffix; modules of formats with several rooms take `space`.
_READERS = {
    ".ifc": "_ifc",
    ".ifczip": "_ifc",
    ".skp": "_sketchup",
    ".msh": "_gmsh",
    ".geo": "_gmsh",
    ".xml": "_gbxml",
    ".gbxml": "_gbxml",
    ".3ds": "_assimp",
    ".fbx": "_assimp",
    ".ac": "_assimp",
    ".off": "_trimesh",
    ".obj": "_trimesh",
    ".stl": "_trimesh",
    ".ply": "_trimesh",
    ".gltf": "_trimesh",
    ".glb": "_trimesh",
}
SUFFIXES = tuple(_READERS)
_UNITS = {"m": 1.0, "cm": 0.01, "mm": 0.001, "in": 0.0254, "ft": 0.3048}
_SPACES = ("_ifc", "_gbxml")


def import_model(
    path: str | Path,
    *,
    units: Literal["m", "cm", "mm", "in", "ft"] | None = None,
    up: Literal["x", "y", "z"] | None = None,
    space: str | None = None,
) -> Model:
    """Read a room of another program.

    IFC (spaces, or else building elements, with the materials of the elements that bound them), SketchUp (.skp), gbXML,
    gmsh (.msh, .geo), 3DS, FBX, AC3D (.ac), OFF, and OBJ, STL, PLY and glTF. Each format needs the library that reads it;
    a message names the extra where it is missing.

    Parameters
    ----------
    path : path
        The file.
    units : str, optional
        Of the numbers in the file; by default those that IFC, gbXML and SketchUp state, else m. FBX often has cm.
    up : str, optional
        The axis of the file that points up; by default y of glTF that trimesh has not written, z of all others. FBX often has y.
    space : str, optional
        Of IFC and gbXML: name or identifier of the room; needed where there are several. "*" takes all of them.

    Returns
    -------
    Model

    Raises
    ------
    FileError
        The file is not there, or is damaged.
    SceneError
        The suffix is not known, or the room cannot be chosen.

    Examples
    --------
    >>> model = import_model("hall.ifc", space="Auditorium")
    >>> model.areas()
    >>> room = model.room({"default": "plasterboard", "Carpet": "carpet-heavy"})
    """
    file = Path(path)
    name = _READERS.get(file.suffix.lower())
    if name is None:
        raise SceneError(f"{file}: {file.suffix or 'no suffix'} is none that is read here", f"known: {', '.join(SUFFIXES)}")
    if not file.is_file():
        raise FileError(f"{file}: there is no such file")
    if space is not None and name not in _SPACES:
        raise SceneError(f"{file}: space: only IFC and gbXML have spaces")
    if units is not None and units not in _UNITS:
        raise SceneError(f"units: {units!r} is none of {', '.join(_UNITS)}")
    reader = importlib.import_module(f".{name}", __package__)
    if name in _SPACES:
        if units is not None or up is not None:
            raise SceneError(f"{file}: units, up: the format states both")
        found = reader.read(file, space)
    else:
        found = reader.read(file, None if units is None else _UNITS[units], up)
    assert isinstance(found, Model)
    return found
