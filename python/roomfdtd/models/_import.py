"""Reading a room of another program: the reader of each suffix."""

from __future__ import annotations

import importlib
from pathlib import Path
from typing import Literal

from ..errors import FdtdError, FileError, SceneError
from ._frame import UNITS
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
_SPACES = ("_ifc", "_gbxml")
# Of each module the library that reads files, and what helps where it does not.
_REMEDIES = {
    "_ifc": ("ifcopenshell", "export it again from its program as IFC 2x3 or IFC 4, or as gbXML"),
    "_gbxml": ("the reader of XML", "export it again from its program, or as IFC"),
    "_sketchup": ("openskp", "save it again in SketchUp, or export it as COLLADA (.dae), which fdtd import reads"),
    "_gmsh": ("gmsh", "save it again in gmsh"),
    "_assimp": ("assimp", "export it again from its program, or as OBJ or glTF"),
    "_trimesh": ("trimesh", "export it again from its program, or as OBJ, STL or glTF"),
}


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
        why = f"the format {file.suffix} is not read here" if file.suffix else "its name has no suffix, which states the format"
        raise SceneError(f"{file}: {why}", f"known: {', '.join(SUFFIXES)}; fdtd import reads .dae and .dxf")
    if not file.is_file():
        raise FileError(f"{file}: " + ("it is a folder" if file.is_dir() else "there is no such file"), "give the path of a file")
    if space is not None and name not in _SPACES:
        raise SceneError(f"{file}: space: only IFC and gbXML have spaces", "leave it out")
    if units is not None and units not in UNITS:
        raise SceneError(f"units: {units!r} is no unit of a model", f"give one of {', '.join(UNITS)}")
    if up is not None and up not in ("x", "y", "z"):
        raise SceneError(f"up: {up!r} is no axis", "give x, y or z")
    if name in _SPACES and (units is not None or up is not None):
        raise SceneError(f"{file}: units, up: the format states both", "leave them out")
    return _read(file, name, (space,) if name in _SPACES else (units, up))


def _read(file: Path, name: str, options: tuple[object, ...]) -> Model:
    """The model that a module reads, or an error with the file's name and a remedy."""
    library, remedy = _REMEDIES[name]
    reader = importlib.import_module(f".{name}", __package__)
    try:
        found = reader.read(file, *options)
    except FdtdError as error:
        said = error.message
        for place in (f"'{file}', ", f" '{file}'", f": {file}"):  # libraries name the file in ways of their own
            said = said.replace(place, "")
        raise type(error)(f"{file}: {said}", error.hint or remedy) from error
    except (ImportError, MemoryError):
        raise
    except Exception as error:  # a damaged file raises whatever its library does, in words of the library's code
        if isinstance(error, OSError) and error.strerror:
            raise FileError(f"{file}: {error.strerror}", "check the file and its permissions") from error
        raise FileError(f"{file}: {library} cannot read it", remedy) from error
    assert isinstance(found, Model)
    return found
