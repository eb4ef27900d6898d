"""SketchUp models: a surface for each material that faces are painted with, in groups and components too."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from .. import _lazy
from .._polygons import triangles_of
from ..errors import FileError
from ._model import Model, model_of, turned

INCH = 0.0254
UNPAINTED = "default"


def read(path: Path, scale: float | None, up: str | None) -> Model:
    """A file is in inches with z up. A face has its front's material, else its back's, else that of its group."""
    openskp = _lazy.load("openskp", "sketchup")
    try:
        model = openskp.SkpFile.open(str(path)).parse()
    except (openskp.SkpParseError, OSError, ValueError) as error:
        raise FileError(f"openskp cannot read it: {str(error).partition(' | ')[0]}") from error
    reader = _Reader(model)
    reader.place(model.root, np.eye(4), None, 0)
    if not reader.faces:
        raise FileError("it has no faces", "hidden faces, groups and tags are left out")
    corners = turned(np.concatenate(reader.corners), scale or INCH, up)
    return model_of(corners, np.concatenate(reader.faces), reader.names, reader.notes)


class _Reader:
    """Collects the faces of definitions, as they are placed."""

    def __init__(self, model: Any) -> None:
        self.definitions: Mapping[int, Any] = model.definitions
        self.materials = {key: str(material.name) for key, material in model.materials_by_id.items()}
        self.hidden = {layer.name for layer in model.layers if layer.hidden}
        self.corners: list[NDArray[np.float64]] = []
        self.faces: list[NDArray[np.int64]] = []
        self.names: list[str] = []
        self.notes: list[str] = []
        self.count = 0

    def place(self, definition: Any, matrix: NDArray[np.float64], painted: int | None, depth: int) -> None:
        if depth > 64:
            raise FileError(f"component {definition.name!r} contains itself")
        mirrored = np.linalg.det(matrix[:3, :3]) < 0
        for face in definition.faces.values():
            if face.hidden:
                continue
            rings = [ring for ring in (self._ring(definition, loop) for loop in face.loops) if len(ring) > 2]
            if not rings:
                continue
            found = triangles_of(rings, f"a face of {definition.name or 'the model'!r}")
            placed = np.concatenate(rings) @ matrix[:3, :3].T + matrix[:3, 3]
            self.corners.append(placed)
            self.faces.append((found[:, ::-1] if mirrored else found) + self.count)
            key = next((one for one in (face.material_id, face.back_material_id, painted) if one is not None), None)
            self.names += [self.materials.get(key, UNPAINTED) if key is not None else UNPAINTED] * len(found)
            self.count += len(placed)
        for instance in definition.instances:
            inner = self.definitions.get(instance.ref_idx)
            if inner is None or instance.hidden or instance.layer in self.hidden:
                continue
            material = instance.material_id if instance.material_id is not None else painted
            self.place(inner, matrix @ _matrix(instance.matrix), material, depth + 1)

    def _ring(self, definition: Any, loop: Any) -> NDArray[np.float64]:
        """Corners of a loop of edges (identifier, whether it runs along), each once."""
        corners = []
        for number, along in loop:
            edge = definition.edges[number]
            vertex = definition.vertices[edge.v1_id if along > 0 else edge.v2_id]
            corners.append((vertex.x, vertex.y, vertex.z))
        return np.array(corners, dtype=float).reshape(-1, 3)


def _matrix(values: Any) -> NDArray[np.float64]:
    """Nine numbers by rows, a translation, and a scale of the whole."""
    matrix = np.eye(4)
    if values is not None and len(values) >= 12:
        matrix[:3, :3] = np.reshape(values[:9], (3, 3))
        matrix[:3, 3] = values[9:12]
    return matrix
