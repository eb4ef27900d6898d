"""3DS, FBX and AC3D by the Open Asset Import Library: a surface for each material.

The library holds coordinates in single precision.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np

from .. import _lazy
from ..errors import FileError
from ._frame import framed
from ._model import Model

NOTE = "coordinates are of single precision: seven digits"


def read(path: Path, units: str | None, up: str | None) -> Model:
    """Numbers are m with z up unless `units` and `up` are given: the library applies no unit or axis that FBX states."""
    assimp = _lazy.load("assimp_py", "assimp")
    try:
        scene = assimp.import_file(str(path), assimp.Process_Triangulate)
    except (RuntimeError, ValueError) as error:
        why = str(error).partition("': ")[2]  # Assimp error loading 'FILE': WHY
        raise FileError(f"assimp cannot read it: {why or error}") from error
    corners, faces, names = [], [], []
    count = 0
    stack = [(scene.root_node, np.eye(4))]
    while stack:
        node, before = stack.pop()
        matrix = before @ np.array(node.transformation, dtype=float)
        stack += [(child, matrix) for child in node.children]
        for index in node.mesh_indices:
            mesh = scene.meshes[index]
            if not mesh.num_indices:
                continue
            places = np.asarray(mesh.vertices, dtype=float).reshape(-1, 3)
            triangles = np.asarray(mesh.indices, dtype=np.int64).reshape(-1, 3)
            corners.append(places @ matrix[:3, :3].T + matrix[:3, 3])
            faces.append((triangles[:, ::-1] if np.linalg.det(matrix[:3, :3]) < 0 else triangles) + count)
            names += [_name(scene, mesh)] * len(triangles)
            count += len(places)
    if not faces:
        raise FileError("it has no triangles", "export its surfaces as polygons or triangles")
    return framed(np.concatenate(corners), np.concatenate(faces), names, units or "m", up or "z", [NOTE])


def _name(scene: Any, mesh: Any) -> str:
    named = scene.materials[mesh.material_index].get("NAME") if scene.materials else None
    return str(named or mesh.name or "surface")
