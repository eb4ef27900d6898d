"""A Blender scene as scene.toml and room.obj."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import bpy

from . import document, geometry
from .program import ProgramError


@dataclass
class Export:
    """A written scene: its path, its surfaces, notes, and the Blender object of each source and receiver."""

    scene: Path
    surfaces: geometry.Surfaces
    notes: list[str] = field(default_factory=list)
    objects: dict[str, str] = field(default_factory=dict)


def folder_of(context: bpy.types.Context) -> Path:
    """The folder of scene and results; raises ProgramError where it is relative to a file that is not saved."""
    written = context.scene.fdtd.folder
    if written.startswith("//") and not bpy.data.filepath:
        raise ProgramError("save the Blender file first, or choose another folder than one beside it (//)")
    return Path(bpy.path.abspath(written)).resolve()


def write(context: bpy.types.Context, library: list[str]) -> Export:
    """Write both files; raises ProgramError where there is no room, source or receiver."""
    options = context.scene.fdtd
    depsgraph = context.evaluated_depsgraph_get()
    surfaces = geometry.surfaces_of(depsgraph, options.collection)
    if surfaces is None:
        raise ProgramError("there is no surface: no object with faces is visible" + _in(options.collection))
    places = geometry.places_of(depsgraph, options.collection)
    for role in ("source", "receiver"):
        if not any(place.role == role for place in places):
            raise ProgramError(f"there is no {role}: name an empty {role!r}, or choose its role in the panel fdtd")
    folder = folder_of(context)
    made = Export(folder / "scene.toml", surfaces)
    scene = _head(options)
    names = document.Names()
    walls = [names.of(name, "wall") for name in surfaces.walls]
    scene["room"] = {"mesh": "room.obj"} | ({"seal": round(options.seal, 6)} if options.seal > 0 else {})
    scene["materials"] = _materials(options, surfaces.walls, walls, library, made.notes)
    unique = {"source": document.Names(), "receiver": document.Names()}
    for place in places:
        name = unique[place.role].of(place.object.name, place.role)
        if place.role == "receiver":
            made.objects[name] = place.object.name
        scene.setdefault(place.role, []).append(_point(place, name, folder))
    try:
        folder.mkdir(parents=True, exist_ok=True)
        document.write(folder / "room.obj", document.obj_text(surfaces.vertices, surfaces.faces, surfaces.wall_of, walls))
        document.write(made.scene, document.dumps(scene))
    except OSError as error:
        raise ProgramError(f"{folder}: {error.strerror}") from error
    return made


def _in(collection: Any) -> str:
    return f" in the collection {collection.name!r}" if collection else ""


def _head(options: Any) -> dict[str, Any]:
    scene: dict[str, Any] = {"schema": 1}
    scene["simulation"] = {
        "duration": round(options.duration, 6) if options.duration > 0 else "auto",
        "max_frequency": round(options.max_frequency, 3),
        "device": options.device or "auto",
    }
    if not options.above:
        scene["above"] = {"method": "none"}
    return scene


def _materials(
    options: Any, blender: list[str], walls: list[str], library: list[str], notes: list[str]
) -> dict[str, dict[str, Any]]:
    """A table for each wall: of what its Blender material states, of the entry that it is named after, or the default."""
    default = document.material_table(options.default, library)
    if default is None:
        raise ProgramError(f"Other faces: {options.default!r} is no entry of the library, 'rigid' or coefficients")
    tables, left = {}, []
    for name, wall in zip(blender, walls):
        material = bpy.data.materials.get(name) if name != geometry.UNNAMED else None
        stated = str(material.fdtd_material or material.get("fdtd_material", "")) if material else ""
        table = document.material_table(stated, library) if stated.strip() else None
        if stated.strip() and table is None:
            raise ProgramError(
                f"material {name!r}: {stated!r} is no entry of the library, 'rigid', or 1, 6, 7, 8 or 9 coefficients "
                "from 0 to 1"
            )
        if table is None:
            entry = document.library_name(name, library)
            table = {"library": entry} if entry else default
            left += [] if entry else [name]
        tables[wall] = table
    if left:
        notes.append(f"{options.default} stands for: {', '.join(left)}")
    return tables


def _point(place: geometry.Place, name: str, folder: Path) -> dict[str, Any]:
    options = place.object.fdtd
    table: dict[str, Any] = {"name": name, "position": list(place.position)}
    file = bpy.path.abspath(options.file) if options.file else ""
    if file and place.role == "source":
        return table | {"directivity": file, "direction": list(place.front), "up": list(place.top)}
    if file:
        ears = {"pattern": "binaural", "hrtf": file}
        return table | ears | {"direction": list(place.front), "up": list(place.top)}
    if options.pattern == "ambisonic":
        if place.role == "source":
            raise ProgramError(f"source {place.object.name!r}: only receivers are ambisonic")
        return table | {"pattern": "ambisonic", "order": options.order}
    if options.pattern != "omni":
        table |= {"pattern": options.pattern, "direction": list(place.front)}
    return table
