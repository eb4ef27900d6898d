"""Models that trimesh reads: a surface for each material, or for each geometry where there are none."""

from __future__ import annotations

import io
import json
from pathlib import Path
from typing import Any

import numpy as np

from .. import _lazy
from ..errors import FileError
from ._frame import framed
from ._model import Model

_Y_UP = (".gltf", ".glb")  # by their formats


def read(path: Path, units: str | None, up: str | None) -> Model:
    """Numbers are m unless `units` is given."""
    trimesh = _lazy.load("trimesh", "meshes")
    scene = _obj(trimesh, path) if path.suffix.lower() == ".obj" else trimesh.load_scene(str(path), process=False)
    corners, faces, names, count = [], [], [], 0
    for node in scene.graph.nodes_geometry:
        transform, name = scene.graph[node]
        mesh = scene.geometry[name]
        if not hasattr(mesh, "faces"):
            continue
        corners.append(np.asarray(mesh.vertices, dtype=float) @ transform[:3, :3].T + transform[:3, 3])
        turn = np.linalg.det(transform[:3, :3]) < 0
        faces.append((mesh.faces[:, ::-1] if turn else mesh.faces) + count)
        names += [_name(mesh, name, path)] * len(mesh.faces)
        count += len(mesh.vertices)
    if not faces:
        raise FileError("it has no triangles", "export its surfaces as polygons or triangles")
    up = up or ("y" if path.suffix.lower() in _Y_UP and not _by_trimesh(path) else "z")
    return framed(np.concatenate(corners), np.concatenate(faces), names, units or "m", up)


def _obj(trimesh: Any, path: Path) -> Any:
    """Surfaces are the materials of the faces, else the groups, as the program takes them.

    trimesh has names of materials only where their library lies beside the file, so they are read as groups.
    """
    lines = path.read_text(encoding="utf-8", errors="replace").splitlines(keepends=True)
    if any(line.lstrip().startswith("usemtl ") for line in lines):
        lines = [line for line in lines if not line.lstrip().startswith(("g ", "o ", "mtllib "))]
        lines = [line.replace("usemtl ", "g ", 1) if line.lstrip().startswith("usemtl ") else line for line in lines]
    return trimesh.load_scene(io.StringIO("".join(lines)), file_type="obj", process=False, split_groups=True)


def _by_trimesh(path: Path) -> bool:
    """Whether trimesh wrote a glTF: it then has the axes of memory, of which the file states none."""
    data = path.read_bytes()
    text = data[20 : 20 + int.from_bytes(data[12:16], "little")] if data.startswith(b"glTF") else data
    return "trimesh" in str(json.loads(text)["asset"].get("generator", ""))


def _name(mesh: Any, otherwise: str, path: Path) -> str:
    material = getattr(getattr(mesh, "visual", None), "material", None)
    named = getattr(material, "name", None)
    return path.stem if otherwise in ("geometry", "geometry_0", path.name) and not named else str(named or otherwise)
