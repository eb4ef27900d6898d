"""Rooms of pyroomacoustics as scenes.

Its attributes are read, it is not imported: pyroomacoustics 0.7 to 0.10 have them all.
"""

from __future__ import annotations

import warnings
from collections.abc import Mapping
from pathlib import Path
from reprlib import repr as short
from typing import Any, get_args

import numpy as np

from . import _lazy
from ._document import whole
from ._polygons import triangles_of
from .errors import Problem, SceneError, misplaced
from .materials import Material
from .points import Pattern, Receiver, Source
from .room import Room
from .scene import Scene

BOX = {"west": "x_min", "east": "x_max", "south": "y_min", "north": "y_max", "floor": "z_min", "ceiling": "z_max"}
OCTAVES = (125.0, 250.0, 500.0, 1000.0, 2000.0, 4000.0, 8000.0)
MANY = 64  # walls, above which those of one material share a name
_FRACTIONS = {  # of pressure that is the same in all directions, as the engine's patterns have it
    "omni": 1.0,
    "subcardioid": 0.7,
    "cardioid": 0.5,
    "supercardioid": (3**0.5 - 1) / 2,
    "hypercardioid": 0.25,
    "figure-eight": 0.0,
}
_OF_ROOM = ("dim", "walls", "sources", "mic_array", "fs", "physics")  # of a room of every version
# Attributes of a room by the beginnings of the keys that have their values, and what helps where a scene refuses one.
_ATTRIBUTES = {
    "output.sample_rate": "room.fs",
    "air.temperature": "room.physics.T",
    "air.relative_humidity": "room.physics.H",
    "air.sound_speed": "room.c",
    "room.box": "room.shoebox_dim",
    "source.source_": "room.sources",
    "receiver.mic_": "room.mic_array",
}
_HINTS = {
    "room.fs": 'output={"sample_rate": 8000} gives the responses a rate of their own',
    "room.physics.H": 'air={"relative_humidity": 50} states another one',
}
assert set(_FRACTIONS) == set(get_args(Pattern))


def from_pyroomacoustics(
    room: Any, *, duration: float | str = "auto", max_frequency: float = 500.0, folder: str | Path | None = None, **options: Any
) -> Scene:
    """A room of pyroomacoustics as a scene.

    Walls, materials, air, sources, microphones and their directivities are carried over; sources are named source_0,
    source_1, ..., microphones mic_0, mic_1, ... The responses have the room's sample rate, and ``Result.rir`` lists
    them as ``room.rir`` does. One warning names all that a scene does not have.

    Parameters
    ----------
    room : pyroomacoustics.Room
        A ShoeBox, or a room of polygons, in three dimensions.
    duration : float or "auto"
        Length of the responses in s; "auto" takes 1.25 times the slowest expected decay.
    max_frequency : float
        Up to which waves are computed, in Hz; geometry continues the responses.
    folder : path, optional
        Where measured directivities of sources are written, as SOFA files.
    **options
        Those of :class:`Scene`.

    Returns
    -------
    Scene

    Raises
    ------
    SceneError
        It is no room of pyroomacoustics, has two dimensions, or no wall, source or microphone; or a value of it is none of a
        scene, such as a sample rate below 8000 Hz.

    Examples
    --------
    >>> scene = from_pyroomacoustics(room)
    >>> scene.run().rir()[0][0]
    """
    notes: list[str] = []
    if not all(hasattr(room, name) for name in _OF_ROOM):
        what = f"a room of pyroomacoustics is needed, not {short(room)}"
        raise misplaced("room", what, "pyroomacoustics.ShoeBox and Room.from_corners make one")
    if room.dim != 3:
        raise SceneError("room: it has two dimensions", "room.extrude(height) gives it the third")
    if not len(room.walls) or type(room).__name__ == "AnechoicRoom":
        raise SceneError("room: it has no walls", "a scene is a closed room")
    if not room.sources or room.mic_array is None:
        missing = "sources" if not room.sources else "microphones"
        raise SceneError(f"room: it has no {missing}", "room.add_source and room.add_microphone place them")
    sources = [_source(source, f"source_{i}", folder, notes) for i, source in enumerate(room.sources)]
    directivities = room.mic_array.directivity or [None] * room.mic_array.M
    microphones = [
        Receiver(f"mic_{i}", place, **_pattern(directivity, f"mic_{i}", notes))
        for i, (place, directivity) in enumerate(zip(room.mic_array.R.T.tolist(), directivities))
    ]
    shape, air = _shape(room), _air(room, notes)
    _rest(room, notes)
    if notes:
        warnings.warn("pyroomacoustics: a scene does not have " + "; ".join(notes), stacklevel=2)
    given: dict[str, Any] = {"air": air, "output": {"sample_rate": whole(room.fs, "room.fs")}} | options
    scene = Scene(shape, sources, microphones, duration=duration, max_frequency=max_frequency, folder=folder, **given)
    try:
        scene.check()
    except SceneError as error:
        raise _of_room(error, options) from None
    return scene


def _of_room(error: SceneError, options: Mapping[str, Any]) -> SceneError:
    """Problems of a scene by the attributes of the room that its values come from: the user has written no scene."""
    lines, problems = [], []
    for problem in error.problems:
        table, *_ = problem["place"].split(".")
        of_room = next((one for key, one in _ATTRIBUTES.items() if problem["place"].startswith(key)), "")
        attribute, hint = (of_room, _HINTS.get(of_room, "")) if table not in options and of_room else ("", "")
        found: Problem = {**problem, "place": attribute or problem["place"], "hint": hint or problem["hint"], "line": 0, "column": 0}
        problems.append(found)
        lines.append(f"{found['place']}: {found['message']}" + (f"\n  hint: {found['hint']}" if found["hint"] else ""))
    return SceneError("\n".join(lines), problems=problems) if problems else error


def _shape(room: Any) -> Room:
    if hasattr(room, "shoebox_dim"):
        walls = {BOX[wall.name]: _material(wall, room) for wall in room.walls}
        x, y, z = _sides(room)
        return Room.box(x, y, z, walls)
    laws: dict[str, str] = {}
    names, corners, faces, materials = [], [], [], {}
    count = 0
    for i, wall in enumerate(room.walls):
        material = _material(wall, room)
        name = str(wall.name or i)
        name = f"wall_{name}" if name.isdigit() else name
        if len(room.walls) > MANY:
            name = laws.setdefault(repr(material.table), f"material_{len(laws)}")
        elif name in materials:
            raise misplaced("room", f"two walls are named {name!r}", "give each a name of its own")
        ring = np.asarray(wall.corners, dtype=float).T
        found = triangles_of([ring], f"wall {name!r}")
        materials[name] = material
        names += [name] * len(found)
        corners.append(ring)
        faces.append(found + count)
        count += len(ring)
    return Room.from_mesh((np.concatenate(corners), np.concatenate(faces)), materials, face_materials=names)


def _sides(room: Any) -> list[float]:
    """Side lengths, which the room holds in single precision, as they were written: 0.1 is not 0.10000000149."""
    return [float(str(side)) for side in np.asarray(room.shoebox_dim, dtype=np.float32)]


def _material(wall: Any, room: Any) -> Material:
    alpha, scatter = (_decimals(values) for values in (wall.absorption, wall.scatter))
    bands = list(OCTAVES) if len(alpha) == 1 else [float(band) for band in room.octave_bands.centers]
    if not any(alpha):
        material = Material.rigid()
    else:
        material = Material.absorption(bands, alpha if len(alpha) > 1 else alpha * len(bands))
    if not any(scatter):
        return material
    return material.scattering(scatter[0]) if len(set(scatter)) == 1 else material.scattering(scatter, bands)


def _decimals(values: Any) -> list[float]:
    return [float(str(value)) for value in np.asarray(values, dtype=np.float32).ravel()]


def _source(source: Any, name: str, folder: str | Path | None, notes: list[str]) -> Source:
    directivity = source.directivity
    if directivity is not None and not hasattr(directivity, "_p") and hasattr(directivity, "_irs"):
        if folder is not None:
            file = _write_sofa(directivity, Path(folder) / f"{name}.sofa")
            turn = directivity._orientation
            front, top = (turn.rotate(np.array(axis, dtype=float)) for axis in ((1, 0, 0), (0, 0, 1)))
            return Source(
                name, source.position, direction=front, up=top, directivity=file.name, on_axis="as measured"
            )
        notes.append(f"the measured directivity of {name}: `folder` says where its SOFA file goes")
        return Source(name, source.position)
    return Source(name, source.position, **_pattern(directivity, name, notes))


def _pattern(directivity: Any, name: str, notes: list[str]) -> dict[str, Any]:
    """``pattern`` and ``direction`` of a source or microphone."""
    if directivity is None:
        return {}
    if not hasattr(directivity, "_p"):
        notes.append(f"the directivity of {name}: it is omnidirectional")
        return {}
    fraction, gain = float(directivity._p), float(getattr(directivity, "_gain", 1.0))
    pattern = min(_FRACTIONS, key=lambda one: abs(_FRACTIONS[one] - fraction))
    if abs(_FRACTIONS[pattern] - fraction) > 5e-4:
        notes.append(f"the pattern {fraction:g} + {1 - fraction:g} cos of {name}: it is {pattern}, {_FRACTIONS[pattern]:.3g}")
    if gain != 1.0:
        notes.append(f"the gain {gain:g} of {name}: it is 1")
    if pattern == "omni":
        return {}
    return {"pattern": pattern, "direction": directivity._orientation.unit_vector}


def _write_sofa(directivity: Any, path: Path) -> Path:
    """A measured directivity as its directions before they are turned, and its impulse responses."""
    sofar = _lazy.load("sofar", "audio")
    sofa = sofar.Sofa("FreeFieldDirectivityTF", mandatory=True)
    responses = np.asarray(directivity._irs, dtype=float)
    spectra = np.fft.rfft(responses, axis=-1)
    x, y, z = np.asarray(directivity._original_grid.cartesian, dtype=float)
    sofa.ReceiverPosition = np.column_stack([x, y, z])
    sofa.ReceiverPosition_Type, sofa.ReceiverPosition_Units = "cartesian", "metre"
    sofa.Data_Real, sofa.Data_Imag = spectra.real[None], spectra.imag[None]
    sofa.N = np.fft.rfftfreq(responses.shape[-1], 1.0 / float(directivity.fs))
    sofa.GLOBAL_Title = sofa.GLOBAL_DatabaseName = path.stem
    path.parent.mkdir(parents=True, exist_ok=True)
    sofar.write_sofa(str(path), sofa)
    return path


def _air(room: Any, notes: list[str]) -> dict[str, Any]:
    absorbs = bool(room.simulator_state.get("air_abs_needed", False))
    air: dict[str, Any] = {
        "temperature": round(float(room.physics.T), 6),
        "sound_speed": round(float(room.c), 6),
        "absorption": absorbs,
    }
    if float(room.physics.H) >= 1.0:  # without one, pyroomacoustics assumes 0.3 %, which no room has
        air["relative_humidity"] = float(room.physics.H)
    if absorbs:
        table = room.octave_bands(**room.physics.get_air_absorption())
        if not np.allclose(table, room.air_absorption, rtol=1e-6):
            notes.append("own coefficients of air absorption: it follows ISO 9613-1 at the room's temperature")
    return air


def _rest(room: Any, notes: list[str]) -> None:
    if room.sigma2_awgn is not None:
        notes.append(f"noise of microphones (sigma2_awgn = {room.sigma2_awgn:g})")
    if room.simulator_state.get("random_ism_needed", False):
        notes.append("randomised image sources")
    if room.max_order >= 0 and not room.simulator_state.get("rt_needed", False):
        notes.append(f"a largest order of reflections (max_order = {room.max_order}): it has all of them")
    if any(source.signal is not None for source in room.sources):
        notes.append("the signals of sources in it: Result.simulate plays them")
