"""The properties that the add-on adds to scenes, objects and materials, and its preferences."""

from __future__ import annotations

import bpy

from . import program

PATTERNS = [
    (name, name, "")
    for name in ("omni", "subcardioid", "cardioid", "supercardioid", "hypercardioid", "figure-eight", "ambisonic")
]
FIGURES = [(name, name, about) for name, about in (
    ("T20", "reverberation time in s"), ("T30", "reverberation time in s"), ("EDT", "early decay time in s"),
    ("C50", "clarity of speech in dB"), ("C80", "clarity of music in dB"), ("G", "strength in dB"),
)]  # fmt: skip
OCTAVES = [(str(band), f"{band} Hz", "") for band in (63, 125, 250, 500, 1000, 2000, 4000, 8000)]
_library: dict[str, list[str]] = {}  # of each program, as it is asked once


def preferences(context: bpy.types.Context) -> FdtdPreferences | None:
    found = context.preferences.addons.get(__package__)
    return found.preferences if found else None


def program_path(context: bpy.types.Context) -> str:
    """Path of the program; raises ProgramError."""
    given = preferences(context)
    return program.find(given.program if given else "")


def library(context: bpy.types.Context) -> list[str]:
    """Names of the material library; raises ProgramError where there is no program."""
    path = program_path(context)
    if path not in _library:
        _library[path] = [entry["name"] for entry in program.ask(path, "materials")]
    return _library[path]


def _suggest(_: object, context: bpy.types.Context, typed: str) -> list[str]:
    try:
        names = ["rigid", *library(context)]
    except program.ProgramError:
        names = ["rigid"]
    return [name for name in names if typed.lower() in name.lower()]


_ABOUT_MATERIAL = (
    "An entry of the library, 'rigid', or absorption coefficients: one, six (125 to 4000 Hz), seven (125 to 8000 Hz) "
    "or eight (63 to 8000 Hz)"
)


class FdtdPreferences(bpy.types.AddonPreferences):
    bl_idname = __package__

    program: bpy.props.StringProperty(  # type: ignore[valid-type]
        name="Program", subtype="FILE_PATH", description="The program fdtd; empty: that of the PATH"
    )

    def draw(self, _: bpy.types.Context) -> None:
        self.layout.prop(self, "program")


class FdtdObject(bpy.types.PropertyGroup):
    role: bpy.props.EnumProperty(  # type: ignore[valid-type]
        name="Role",
        items=[
            ("AUTO", "By its kind and name", "Speakers, and empties named source, speaker or S1, are sources; empties "
             "named receiver, mic, seat or R1 are receivers; objects with faces are surfaces"),
            ("SURFACE", "Surface", "Its faces are walls"),
            ("SOURCE", "Source", "Sound leaves from its origin"),
            ("RECEIVER", "Receiver", "Sound is recorded at its origin"),
            ("IGNORE", "None", "It is left out"),
        ],
        default="AUTO",
    )  # fmt: skip
    pattern: bpy.props.EnumProperty(  # type: ignore[valid-type]
        name="Pattern", items=PATTERNS, description="Directivity; its front is the object's Z, of a speaker its -Z"
    )
    order: bpy.props.IntProperty(name="Order", default=1, min=1, max=9)  # type: ignore[valid-type]
    file: bpy.props.StringProperty(  # type: ignore[valid-type]
        name="SOFA file", subtype="FILE_PATH",
        description="Of a source, its measured directivity; of a receiver, the responses of a head, for both ears",
    )  # fmt: skip


class FdtdScene(bpy.types.PropertyGroup):
    folder: bpy.props.StringProperty(  # type: ignore[valid-type]
        name="Folder", subtype="DIR_PATH", default="//fdtd", description="Where scene.toml, room.obj and results go"
    )
    collection: bpy.props.PointerProperty(  # type: ignore[valid-type]
        name="Room", type=bpy.types.Collection, description="Objects of the room; empty: all that are visible"
    )
    default: bpy.props.StringProperty(  # type: ignore[valid-type]
        name="Other faces", default="plasterboard", search=_suggest, search_options={"SUGGESTION"},
        description="Of materials that name none. " + _ABOUT_MATERIAL,
    )  # fmt: skip
    duration: bpy.props.FloatProperty(  # type: ignore[valid-type]
        name="Duration (s)", default=0.0, min=0.0, soft_max=10.0, description="Length of the responses; 0: by the plan"
    )
    max_frequency: bpy.props.FloatProperty(  # type: ignore[valid-type]
        name="Waves to (Hz)", default=500.0, min=20.0, max=20000.0,
        description="Highest frequency of the waves; 710 Hz for the octave of 500 Hz. Geometry goes on to 20 kHz",
    )  # fmt: skip
    above: bpy.props.BoolProperty(  # type: ignore[valid-type]
        name="Geometry above", default=True, description="Image sources and rays above the waves, to 20 kHz"
    )
    seal: bpy.props.FloatProperty(  # type: ignore[valid-type]
        name="Close gaps to (m)", default=0.0, min=0.0, max=1.0, description="Openings to the outside that are narrower"
    )
    device: bpy.props.StringProperty(name="Device", default="auto")  # type: ignore[valid-type]
    figure: bpy.props.EnumProperty(name="Figure", items=FIGURES, default="T20")  # type: ignore[valid-type]
    octave: bpy.props.EnumProperty(name="Octave", items=OCTAVES, default="500")  # type: ignore[valid-type]


CLASSES = (FdtdPreferences, FdtdObject, FdtdScene)
_register_classes, _unregister_classes = bpy.utils.register_classes_factory(CLASSES)


def register() -> None:
    _register_classes()
    bpy.types.Scene.fdtd = bpy.props.PointerProperty(type=FdtdScene)
    bpy.types.Object.fdtd = bpy.props.PointerProperty(type=FdtdObject)
    bpy.types.Material.fdtd_material = bpy.props.StringProperty(
        name="Surface", search=_suggest, search_options={"SUGGESTION"}, description=_ABOUT_MATERIAL
    )


def unregister() -> None:
    del bpy.types.Material.fdtd_material
    del bpy.types.Object.fdtd
    del bpy.types.Scene.fdtd
    _unregister_classes()
