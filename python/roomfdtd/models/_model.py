"""A room that was read: triangles by name, in metres with z up."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from .. import _engine
from ..errors import FileError, SceneError
from ..room import Room, Surface, Walls
from ._volume import enclosed

Array = NDArray[np.float64]


@dataclass(frozen=True, eq=False, repr=False)
class Model:
    """A room read by :func:`import_model`.

    Parameters
    ----------
    surface : Surface
        Its triangles by name, in metres, z up.
    notes : list of str
        Things that the file has and a room does not, and assumptions.
    """

    surface: Surface
    notes: list[str] = field(default_factory=list)
    _rooms: bool = False  # each closed body is one

    def __repr__(self) -> str:
        corners = self.surface.vertices[np.unique(self.surface.faces)]
        x, y, z = np.ptp(corners, axis=0)
        lines = [f"Model: {len(self.surface.faces)} triangles, {x:.4g} x {y:.4g} x {z:.4g} m"]
        lines += [f"  {name}: {area:.4g} m2" for name, area in self.areas().items()]
        return "\n".join([*lines, *(f"  note: {note}" for note in self.notes)])

    @property
    def names(self) -> list[str]:
        """Names of the surfaces."""
        return self.surface.names

    def areas(self) -> dict[str, float]:
        """The area of each surface in m2."""
        a, b, c = self._corners()
        sizes = np.linalg.norm(np.cross(b - a, c - a), axis=1) / 2
        return {name: float(sizes[self.surface.name_of == i].sum()) for i, name in enumerate(self.names)}

    def volume(self) -> float:
        """The volume that the surfaces enclose, in m3: of all rooms, without closed bodies inside them.

        Facets may face either way. Rooms may share walls, and surfaces with free edges may stand inside.

        Returns
        -------
        float

        Raises
        ------
        SceneError
            Surfaces have free edges toward the outside; the message names the longest by surface and place. Or the model
            is made of bodies that touch, such as walls with a thickness.
        """
        surface = self.surface
        return enclosed(surface.vertices, surface.faces, [surface.names[i] for i in surface.name_of], self._rooms)

    def room(self, walls: Walls, *, seal: float | None = None) -> Room:
        """The model as the room of a scene.

        Parameters
        ----------
        walls : str, Material or Mapping
            A material for each name, and ``default``.
        seal : float, optional
            The width in m below which openings to the outside are closed.

        Returns
        -------
        Room
        """
        surface = self.surface
        names = [surface.names[i] for i in surface.name_of]
        return Room.from_mesh((surface.vertices, surface.faces), walls, face_materials=names, seal=seal)

    def save(self, path: str | Path, force: bool = False) -> Path:
        """Write a scene to begin from, NAME.toml, and its mesh, NAME.obj: as ``fdtd import`` of the mesh does.

        Each surface has the entry of the library that its name suggests, source and receiver stand inside the room; lines
        marked ``fill in`` need a decision.

        Parameters
        ----------
        path : path
            NAME.toml.
        force : bool
            Replace files that exist.

        Returns
        -------
        Path

        Raises
        ------
        FileError
            A file exists, or cannot be written.
        """
        self._begin(path, force)
        return Path(path)

    def _begin(self, path: str | Path, force: bool) -> str:
        """Does as :meth:`save`; the statement of the program about the mesh."""
        scene = Path(path)
        if scene.suffix != ".toml":
            raise SceneError(f"{scene}: the name of a scene ends in .toml", f"name it {scene.stem or 'room'}.toml")
        mesh = scene.with_suffix(".obj")
        for file in (scene, mesh):
            if file.exists() and not force:
                raise FileError(f"{file}: exists already and is kept", "use force=True to replace it, or another name")
        new = not mesh.exists()
        try:
            scene.parent.mkdir(parents=True, exist_ok=True)
            aside = mesh.with_name(mesh.name + ".part")
            aside.write_text(self.surface.obj(), encoding="utf-8", newline="")
            aside.replace(mesh)
        except OSError as error:
            raise FileError(f"{mesh}: cannot be written: {error.strerror}") from error
        try:
            return _engine.begin_scene(str(mesh), str(scene), force)
        except BaseException:
            if new:
                mesh.unlink(missing_ok=True)
            raise

    def _corners(self) -> tuple[Array, Array, Array]:
        surface = self.surface
        a, b, c = (surface.vertices[surface.faces[:, i]] for i in range(3))
        return a, b, c


def model_of(corners: Array, faces: Any, names: Sequence[str], notes: Sequence[str] = (), rooms: bool = False) -> Model:
    """A model of corners (v, 3) in m, triangles (f, 3) and the name of each; triangles without an area are left out."""
    corners, faces = np.asarray(corners, dtype=float), np.asarray(faces, dtype=np.int64)
    if not len(faces):
        raise SceneError("it has no surfaces")
    if not np.isfinite(corners).all():
        raise SceneError(f"corner {int(np.argwhere(~np.isfinite(corners))[0][0])} has a coordinate that is not finite")
    a, b, c = (corners[faces[:, i]] for i in range(3))
    kept = np.linalg.norm(np.cross(b - a, c - a), axis=1) > 0.0
    plain = {name: re.sub(r"[#\x00-\x1f]", "_", name).strip() or "surface" for name in dict.fromkeys(names)}
    known = {name: number for number, name in enumerate(dict.fromkeys(plain.values()))}
    name_of = np.array([known[plain[name]] for name in names], dtype=np.int64)[kept]
    used = sorted(set(name_of.tolist()))
    left = np.array([used.index(number) for number in name_of.tolist()], dtype=np.int64)
    listed = list(known)
    return Model(Surface(corners, faces[kept], [listed[number] for number in used], left), list(notes), rooms)
