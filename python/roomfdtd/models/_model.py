"""A room that was read: triangles by name, in metres with z up."""

from __future__ import annotations

import difflib
import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from .. import _toml
from .._polygons import distances
from ..errors import FileError, SceneError
from ..room import Room, Surface, Walls

Array = NDArray[np.float64]
FALLBACK = "plasterboard"  # of names that no entry of the library resembles


@dataclass(frozen=True, eq=False)
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
        """The volume that the surfaces enclose, in m3; of a closed model whose facets all face one way."""
        a, b, c = self._corners()
        return abs(float(np.einsum("ij,ij->", a, np.cross(b, c)) / 6))

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
        """Write a scene to begin from, NAME.toml, and its mesh, NAME.obj.

        Each surface has the entry of the library whose name resembles its own most, source and receiver stand inside the
        room; lines marked ``fill in`` need a decision.

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
        scene = Path(path)
        if scene.suffix != ".toml":
            raise SceneError(f"{scene}: the name of a scene ends in .toml")
        mesh = scene.with_suffix(".obj")
        for file in (scene, mesh):
            if file.exists() and not force:
                raise FileError(f"{file}: exists already and is kept", "use force=True to replace it, or another name")
        try:
            scene.parent.mkdir(parents=True, exist_ok=True)
            for file, text in ((mesh, self.surface.obj()), (scene, self._starter(mesh.name))):
                aside = file.with_name(file.name + ".part")
                aside.write_text(text, encoding="utf-8", newline="")
                aside.replace(file)
        except OSError as error:
            raise FileError(f"{scene}: cannot be written: {error.strerror}") from error
        return scene

    def inside(self, count: int = 2) -> list[list[float]]:
        """Places well inside the room, far from its surfaces and from each other, in m.

        Parameters
        ----------
        count : int
            How many.

        Returns
        -------
        list of list of float
            Fewer, where the surfaces enclose less.
        """
        vertices, corners = self.surface.vertices, self._corners()
        low, high = vertices.min(axis=0), vertices.max(axis=0)
        each = 9 if len(self.surface.faces) < 20_000 else 5
        steps = [low[i] + (high[i] - low[i]) * (np.arange(each) + 0.5) / each for i in range(3)]
        places = np.stack(np.meshgrid(*steps, indexing="ij"), axis=-1).reshape(-1, 3)
        places = places[np.abs(_windings(places, *corners)) > 0.5]
        clear = np.array([distances(place, *corners).min() for place in places])
        places, clear = places[clear > 0.01], clear[clear > 0.01]
        if not len(places):
            return []
        chosen = [int(np.argmax(clear))]
        while len(chosen) < min(count, len(places)):
            apart = np.min([np.linalg.norm(places - places[i], axis=1) for i in chosen], axis=0)
            chosen.append(int(np.argmax(np.minimum(apart / 3, clear))))
        return [[round(float(x), 3) for x in places[i]] for i in chosen]

    def _corners(self) -> tuple[Array, Array, Array]:
        surface = self.surface
        a, b, c = (surface.vertices[surface.faces[:, i]] for i in range(3))
        return a, b, c

    def _starter(self, mesh: str) -> str:
        from ..materials import materials

        library = [str(entry["name"]) for entry in materials()]
        lines = ["# Every line with \"fill in\" needs a decision.", *(f"# {note}" for note in self.notes)]
        lines += ["", "schema = 1", "", "[simulation]", 'duration = "auto"', "max_frequency = 500.0", "", "[room]"]
        lines += [f"mesh = {_toml.value_text(mesh)}", "", "[room.walls]"]
        areas = self.areas()
        for name in self.names:
            entry = nearest(name, library)
            lines.append(f'{_toml.key_text(name)} = "{entry}"  # fill in: {areas[name]:.4g} m2')
        places = self.inside()
        if len(places) < 2:
            middle = (self.surface.vertices.min(axis=0) + self.surface.vertices.max(axis=0)) / 2
            places = [[round(float(x), 3) for x in middle]] * 2
        for kind, name, place in (("source", "S1", places[0]), ("receiver", "R1", places[1])):
            lines += ["", f"[[{kind}]]", f'name = "{name}"', f"position = {place}  # fill in"]
        return "\n".join(lines) + "\n"


def nearest(name: str, library: Sequence[str]) -> str:
    """The entry of the library that a name resembles most: by its words, then by its letters."""
    words = set(re.split(r"[\W_\d]+", name.lower())) - {""}
    best = max(library, key=lambda entry: (len(words & set(entry.split("-"))), -len(entry)), default=FALLBACK)
    if words & set(best.split("-")):
        return best
    return next(iter(difflib.get_close_matches(name.lower(), library, 1, 0.6)), FALLBACK)


def model_of(corners: Array, faces: Any, names: Sequence[str], notes: Sequence[str] = ()) -> Model:
    """A model of corners (v, 3) in m, triangles (f, 3) and the name of each; triangles without an area are left out."""
    corners, faces = np.asarray(corners, dtype=float), np.asarray(faces, dtype=np.int64)
    if not len(faces):
        raise SceneError("the model has no surfaces")
    if not np.isfinite(corners).all():
        raise SceneError("the model has coordinates that are not finite")
    a, b, c = (corners[faces[:, i]] for i in range(3))
    kept = np.linalg.norm(np.cross(b - a, c - a), axis=1) > 0.0
    plain = {name: re.sub(r"[#\x00-\x1f]", "_", name).strip() or "surface" for name in dict.fromkeys(names)}
    known = {name: number for number, name in enumerate(dict.fromkeys(plain.values()))}
    name_of = np.array([known[plain[name]] for name in names], dtype=np.int64)[kept]
    used = sorted(set(name_of.tolist()))
    left = np.array([used.index(number) for number in name_of.tolist()], dtype=np.int64)
    listed = list(known)
    return Model(Surface(corners, faces[kept], [listed[number] for number in used], left), list(notes))


def turned(corners: Array, scale: float, up: str | None) -> Array:
    """Corners in m with z up, of a file whose axis `up` points up: as the program turns meshes."""
    x, y, z = np.asarray(corners, dtype=float).T * scale
    axes = {"x": (y, z, x), "y": (x, -z, y), "z": (x, y, z)}[up or "z"]
    return np.column_stack(axes)


def _windings(places: Array, a: Array, b: Array, c: Array) -> Array:
    """How often closed surfaces run around each place: the solid angle of Van Oosterom and Strackee (1983) over 4 pi."""
    total = np.zeros(len(places))
    for i, place in enumerate(places):
        p, q, r = a - place, b - place, c - place
        lp, lq, lr = (np.linalg.norm(one, axis=1) for one in (p, q, r))
        top = np.einsum("ij,ij->i", p, np.cross(q, r))
        dots = [np.einsum("ij,ij->i", one, two) for one, two in ((p, q), (q, r), (r, p))]
        total[i] = np.arctan2(top, lp * lq * lr + dots[0] * lr + dots[1] * lp + dots[2] * lq).sum() / (2 * np.pi)
    return total
