"""Rooms: boxes, meshes from files, meshes from arrays and from trimesh."""

from __future__ import annotations

import hashlib
import math
import os
import threading
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from reprlib import repr as short
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from . import _document
from .errors import SceneError, misplaced
from .materials import Material

MOST_ABSORPTION = 0.95  # of random incidence, on a wall that reacts locally (Kuttruff, Room Acoustics, section 2.5)
Walls = str | Material | Mapping[str, str | Material]


@dataclass(frozen=True, eq=False)
class Surface:
    """A triangle mesh in memory.

    Parameters
    ----------
    vertices : ndarray of float, shape (v, 3)
        In m (or the room's ``units``).
    faces : ndarray of int, shape (f, 3)
        Vertices of each triangle, from 0.
    names : list of str, length n
        Names of its surfaces, as the keys of ``walls``.
    name_of : ndarray of int, shape (f,)
        The name of each triangle, from 0.
    """

    vertices: NDArray[np.float64]
    faces: NDArray[np.int64]
    names: list[str]
    name_of: NDArray[np.int64]

    def obj(self) -> str:
        """The mesh as the text of an OBJ file, its surfaces as ``usemtl``."""
        lines = ["# written by roomfdtd"]
        lines += [f"v {x!r} {y!r} {z!r}" for x, y, z in self.vertices.tolist()]
        for number, name in enumerate(self.names):
            lines.append(f"usemtl {name}")
            lines += [f"f {a} {b} {c}" for a, b, c in (self.faces[self.name_of == number] + 1).tolist()]
        return "\n".join(lines) + "\n"

    def file_name(self) -> str:
        """A name that is the same for the same mesh only."""
        return f"mesh-{hashlib.sha256(self.obj().encode()).hexdigest()[:12]}.obj"

    def edges(self, limit: int = 400) -> list[list[list[float]]]:
        """Triangles as closed lines, for sketches.

        Parameters
        ----------
        limit : int
            How many at most.

        Returns
        -------
        list, shape (n, 4, 3)
            Corners in m.
        """
        corners = self.vertices[self.faces[:: max(1, len(self.faces) // limit)]]
        return [[*triangle, triangle[0]] for triangle in corners.tolist()]


def extent(table: Mapping[str, Any], surface: Surface | None) -> NDArray[np.float64] | None:
    """Opposite corners of a room's box in m, shape (2, 3), where they are known without reading files."""
    if "box" in table:
        return np.array([[0.0, 0.0, 0.0], table["box"]], dtype=float)
    if surface is None or table.get("units", "m") != "m" or table.get("up", "z") != "z":
        return None
    return np.array([surface.vertices.min(axis=0), surface.vertices.max(axis=0)], dtype=float)


@dataclass(frozen=True, eq=False)
class Room:
    """The room of a scene. Made by :meth:`box`, :meth:`from_file` or :meth:`from_mesh`.

    Parameters
    ----------
    table : Mapping
        The keys of ``[room]`` of the scene format, without ``walls``.
    walls : Mapping of str to str or Material
        The material of each wall or surface: the name of a library entry or of the scene's ``materials``, or a
        :class:`Material`.
    surface : Surface, optional
        The mesh, where it is not in a file.
    """

    table: Mapping[str, Any]
    walls: Mapping[str, str | Material]
    surface: Surface | None = field(default=None, repr=False)

    @classmethod
    def box(cls, x: float, y: float, z: float, walls: Walls | None = None, *, rt60: float | None = None) -> Room:
        """A rectangular room from the origin to (x, y, z).

        Parameters
        ----------
        x, y, z : float
            Side lengths in m.
        walls : str, Material or Mapping
            One material for all, or a mapping of ``default``, ``floor``, ``ceiling``, ``walls``, ``x_min`` ...
            ``z_max`` to materials.
        rt60 : float, optional
            Instead of ``walls``: the reverberation time in s, from which Eyring's formula has the absorption of all
            walls. A run has another one, for its field is not diffuse.

        Examples
        --------
        >>> Room.box(5, 4, 3, {"default": "plasterboard", "floor": "carpet-heavy"})
        >>> Room.box(5, 4, 3, rt60=0.5)
        """
        if (walls is None) == (rt60 is None):
            given = "not None" if walls is None else "one of them"
            raise misplaced("room.walls", f"a material, or a mapping of walls to materials, or rt60 is needed, {given}")
        if walls is None:
            sides = [_document.number(side, f"room.box[{axis}]") for axis, side in enumerate((x, y, z))]
            walls = Material(_absorption_of(_document.number(rt60, "rt60"), *sides))
        return cls({"box": [_side(x), _side(y), _side(z)]}, _walls(walls))

    @classmethod
    def from_file(
        cls,
        mesh: str | Path | Sequence[str | Path],
        walls: Walls,
        units: str | None = None,
        up: str | None = None,
        *,
        seal: float | None = None,
    ) -> Room:
        """The interior of a mesh in files: OBJ, STL, PLY, glTF, GLB or DXF.

        Parameters
        ----------
        mesh : path or list of paths
            Relative to the scene's folder.
        walls : str, Material or Mapping
            Materials by the names in the mesh, and ``default``.
        units : {"m", "cm", "mm", "in", "ft", "auto"}, optional
            Of the numbers in the file.
        up : {"x", "y", "z", "auto"}, optional
            The axis of the file that points up; by default the one that the format states, else z. glTF has y,
            but for files of trimesh, which have the axes of its memory.
        seal : float, optional
            The width in m below which openings to the outside are closed.
        """
        files = str(mesh) if isinstance(mesh, (str, Path)) else [str(path) for path in mesh]
        return cls({"mesh": files} | _given(units=units, up=up, seal=seal), _walls(walls))

    @classmethod
    def from_mesh(
        cls,
        mesh: Any,
        materials: Walls,
        *,
        face_materials: Sequence[str] | None = None,
        units: str | None = None,
        up: str | None = None,
        seal: float | None = None,
    ) -> Room:
        """The interior of a triangle mesh in memory.

        Parameters
        ----------
        mesh : trimesh.Trimesh, trimesh.Scene, (vertices, faces), or Mapping of names to meshes
            ``vertices`` has the shape (v, 3), ``faces`` (f, 3). The geometries of a trimesh scene, with their
            transforms, and the entries of a mapping are surfaces by their names. The mesh need not be watertight.
        materials : str, Material or Mapping
            One material for all, or a material for each surface and ``default``.
        face_materials : sequence of str, length f, optional
            The surface that each face of a single mesh belongs to.
        units, up : str, optional
            As for :meth:`from_file`; by default m and z.
        seal : float, optional
            As for :meth:`from_file`.

        Examples
        --------
        >>> Room.from_mesh(trimesh.creation.box((5, 4, 3)), "plasterboard")
        >>> Room.from_mesh((vertices, faces), {"seat": "carpet-heavy", "default": "plasterboard"},
        ...                face_materials=names)
        """
        surface = _surface(mesh, face_materials)
        walls = dict(_walls(materials))
        known = {*surface.names, "default"}
        for name in walls:
            if name not in known:
                raise SceneError(
                    f"materials: no surface of the mesh is named {name!r}", f"its surfaces: {', '.join(surface.names)}"
                )
        return cls({"mesh": surface.file_name()} | _given(units=units, up=up, seal=seal), walls, surface)

    def outline(self) -> list[list[list[float]]]:
        """Lines of the room from above, for sketches."""
        if self.surface is not None:
            return self.surface.edges()
        if "box" in self.table:
            x, y, _ = self.table["box"]
            return [[[0, 0], [x, 0], [x, y], [0, y], [0, 0]]]
        return []


def _given(**values: Any) -> dict[str, Any]:
    return {name: value for name, value in values.items() if value is not None}


def _absorption_of(rt60: float, x: float, y: float, z: float) -> float:
    """The absorption coefficient of all walls of a box that Eyring's formula has for a reverberation time, at 343 m/s."""
    surface, volume = 2 * (x * y + y * z + z * x), x * y * z
    alpha = 1 - math.exp(-24 * math.log(10) / 343.0 * volume / (surface * rt60)) if rt60 > 0 else 1.0
    if not 0 < alpha <= MOST_ABSORPTION:
        least = -24 * math.log(10) / 343.0 * volume / (surface * math.log(1 - MOST_ABSORPTION))
        raise misplaced("rt60", f"{rt60:g} s cannot be reached by walls", f"this box has {least:.2g} s or more")
    return alpha


def _side(length: Any) -> Any:
    """A number; other values are kept, so that the scene's check names them."""
    try:
        return _document.number(length, "room.box")
    except SceneError:
        return length


def _walls(walls: Walls) -> Mapping[str, str | Material]:
    if isinstance(walls, (str, Material)):
        return {"default": walls}
    if not isinstance(walls, Mapping):
        raise misplaced("room.walls", f"a material, or a mapping of walls to materials, is needed, not {walls!r}")
    return {str(name): material for name, material in walls.items()}


def write_surface(surface: Surface, folder: Path) -> None:
    """Write a mesh as a file of a folder; several threads and processes may write the same one at once."""
    target = folder / surface.file_name()
    if target.exists():  # its name is that of its content
        return
    aside = folder / f"{target.name}.{os.getpid()}-{threading.get_ident()}.part"
    aside.write_text(surface.obj(), encoding="utf-8")
    aside.replace(target)


def _surface(mesh: Any, face_materials: Sequence[str] | None) -> Surface:
    parts = _parts(mesh)
    if face_materials is not None:
        if len(parts) != 1:
            raise SceneError("face_materials: the mesh has several parts, which are surfaces already")
        vertices, faces = _arrays(next(iter(parts.values())))
        if len(face_materials) != len(faces):
            raise SceneError(
                f"face_materials: {len(face_materials)} names for {len(faces)} faces", "give one name for each face"
            )
        name_of_face = [str(name) for name in face_materials]
        names = [_name(name) for name in dict.fromkeys(name_of_face)]
        numbers = {name: number for number, name in enumerate(names)}
        return Surface(vertices, faces, names, np.array([numbers[name] for name in name_of_face], dtype=np.int64))
    all_vertices, all_faces, name_of = [], [], []
    count = 0
    for number, part in enumerate(parts.values()):
        vertices, faces = _arrays(part)
        all_vertices.append(vertices)
        all_faces.append(faces + count)
        name_of.append(np.full(len(faces), number, dtype=np.int64))
        count += len(vertices)
    names = [_name(name) for name in parts]
    return Surface(np.concatenate(all_vertices), np.concatenate(all_faces), names, np.concatenate(name_of))


def _parts(mesh: Any) -> dict[str, Any]:
    """A mesh as one mesh a surface, by name."""
    if isinstance(mesh, Mapping):
        parts = {str(name): part for name, part in mesh.items()}
    elif hasattr(mesh, "geometry") and hasattr(mesh, "graph"):  # a trimesh.Scene
        parts = {}
        for node in mesh.graph.nodes_geometry:
            transform, name = mesh.graph[node]
            vertices, faces = _arrays(mesh.geometry[name])
            turned = vertices @ transform[:3, :3].T + transform[:3, 3]
            before = parts.get(name)
            if before is not None:  # the same geometry at another place
                faces = np.concatenate([before[1], faces + len(before[0])])
                turned = np.concatenate([before[0], turned])
            parts[name] = (turned, faces)
    else:
        parts = {"surface": mesh}
    if not parts:
        raise SceneError("mesh: it has no surfaces")
    return parts


def _arrays(mesh: Any) -> tuple[NDArray[np.float64], NDArray[np.int64]]:
    if isinstance(mesh, (str, Path)):
        raise SceneError(f"mesh: {str(mesh)!r} is a path", "Room.from_file takes files")
    pair: tuple[ArrayLike, ArrayLike] = (mesh.vertices, mesh.faces) if hasattr(mesh, "faces") else mesh
    try:
        corners, faces = pair[0], np.asarray(pair[1])
    except (TypeError, ValueError, IndexError, KeyError):
        raise SceneError(f"mesh: a trimesh or (vertices, faces) is needed, not {short(mesh)}") from None
    vertices = _document.finite(corners, "mesh", "vertices", samples=False)
    if vertices.ndim != 2 or vertices.shape[1] != 3:
        raise SceneError(f"mesh: vertices of shape {vertices.shape}, numbers of shape (v, 3) are needed")
    if faces.ndim != 2 or faces.shape[1] != 3 or not np.issubdtype(faces.dtype, np.integer):
        raise SceneError(f"mesh: faces of shape {faces.shape} and type {faces.dtype}, integers (f, 3) are needed")
    if faces.size == 0:
        raise SceneError("mesh: it has no faces")
    if faces.min() < 0 or faces.max() >= len(vertices):
        raise SceneError(f"mesh: faces name vertices from 0 to {len(vertices) - 1}")
    return vertices, faces.astype(np.int64)


def _name(name: str) -> str:
    if not name or name != name.strip() or any(character in name for character in "\n\r#"):
        raise SceneError(f"mesh: {name!r} cannot name a surface", "use letters, digits, - and _")
    return name
