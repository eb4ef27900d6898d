"""Meshes and geometries of gmsh: a surface for each physical group of dimension 2."""

from __future__ import annotations

import re
import tempfile
from pathlib import Path
from typing import Any

import numpy as np

from .. import _lazy
from ..errors import FileError
from ._frame import framed
from ._model import Model

_CORNERS = {3: [[0, 1, 2]], 4: [[0, 1, 2], [0, 2, 3]]}  # of elements of any order, by the number of their corners


def read(path: Path, units: str | None, up: str | None) -> Model:
    """A geometry (.geo) is meshed first: plane faces keep their area. gmsh states no unit."""
    gmsh = _lazy.load("gmsh", "gmsh")
    began = not gmsh.isInitialized()
    if began:
        gmsh.initialize(readConfigFiles=False, interruptible=False)
    try:
        gmsh.option.setNumber("General.Terminal", 0)
        before = gmsh.model.getCurrent() if not began else None
        try:
            if path.suffix.lower() == ".geo":
                _open_geometry(gmsh, path)
                gmsh.model.mesh.generate(2)
            else:
                gmsh.open(str(path))
        except FileError:
            raise
        except Exception as error:  # gmsh raises Exception itself
            raise FileError(f"gmsh cannot read it: {error}") from error
        corners, faces, names = _surfaces(gmsh)
        notes = _curved(gmsh)
        gmsh.model.remove()
        if before is not None:
            gmsh.model.setCurrent(before)
    finally:
        if began:
            gmsh.finalize()
    if not len(faces):
        raise FileError("it has no surface elements", "mesh its surfaces in gmsh (Mesh, 2D) before it is saved")
    return framed(corners, faces, names, units or "m", up or "z", notes)


def _open_geometry(gmsh: Any, path: Path) -> None:
    """gmsh leaves out a last line that does not end: a copy of such a file has its end."""
    text = path.read_bytes()
    if text.endswith((b"\n", b"\r")):
        gmsh.open(str(path))
        return
    if re.search(rb"\b(Include|Merge)\b", text):  # of files beside it
        raise FileError("its last line has no line break, and gmsh would leave it out", "add a line break at its end")
    with tempfile.TemporaryDirectory(prefix="fdtd-") as folder:
        copy = Path(folder) / path.name
        copy.write_bytes(text + b"\n")
        try:
            gmsh.open(str(copy))
        except Exception as error:
            raise FileError(f"gmsh cannot read it: {str(error).replace(str(copy), str(path))}") from error


def _curved(gmsh: Any) -> list[str]:
    """A note on surfaces of a geometry that facets approximate; those of a mesh are its facets."""
    found = []
    for dimension, entity in gmsh.model.getEntities(2):
        if gmsh.model.getType(dimension, entity) not in ("Plane", "Discrete surface"):
            groups = gmsh.model.getPhysicalGroupsForEntity(dimension, entity)
            named = gmsh.model.getPhysicalName(dimension, int(groups[0])) if len(groups) else ""
            found.append(named or f"surface_{int(groups[0]) if len(groups) else entity}")
    if not found:
        return []
    listed = ", ".join(repr(name) for name in list(dict.fromkeys(found))[:5]) + (" and others" if len(set(found)) > 5 else "")
    return [f"curved surfaces become plane facets ({listed}): a smaller Mesh.MeshSizeMax in the geometry makes finer ones"]


def _surfaces(gmsh: Any) -> tuple[Any, Any, list[str]]:
    tags, places, _ = gmsh.model.mesh.getNodes()
    number = np.full(int(tags.max(initial=0)) + 1, -1, dtype=np.int64)
    number[tags.astype(np.int64)] = np.arange(len(tags))
    names_of: dict[int, str] = {}
    for dimension, group in gmsh.model.getPhysicalGroups(2):
        name = gmsh.model.getPhysicalName(dimension, group) or f"surface_{group}"
        names_of |= {int(entity): name for entity in gmsh.model.getEntitiesForPhysicalGroup(dimension, group)}
    faces, names = [], []
    for _, entity in gmsh.model.getEntities(2):
        for kind, _, nodes in zip(*gmsh.model.mesh.getElements(2, entity)):
            _, _, _, count, _, primary = gmsh.model.mesh.getElementProperties(kind)
            listed = number[nodes.astype(np.int64)].reshape(-1, count)
            for one in _CORNERS[primary]:
                faces.append(listed[:, one])
                names += [names_of.get(entity, f"surface_{entity}")] * len(listed)
    triangles = np.concatenate(faces) if faces else np.empty((0, 3), dtype=np.int64)
    return places.reshape(-1, 3), triangles, names
