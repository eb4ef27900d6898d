"""The buttons: write, plan, run, cancel, show."""

from __future__ import annotations

import re
import webbrowser
from pathlib import Path

import bpy

from . import export, geometry, results, settings
from .program import Job, ProgramError, ask

MARKERS = "fdtd results"  # the collection of coloured markers, which is no part of a room
_PLACE = re.compile(r"\((-?[\d.e+-]+), (-?[\d.e+-]+), (-?[\d.e+-]+)\)")
POLL = 0.2  # s


class State:
    """The one run at a time, and what the panel shows of it."""

    job: Job | None = None
    kind = ""
    made: export.Export | None = None
    lines: list[str] = []
    figures: results.Figures | None = None
    folder: Path | None = None


state = State()


def named(text: str, surfaces: geometry.Surfaces) -> str:
    """A message with the objects that are nearest to each place in it."""
    return _PLACE.sub(lambda found: f"{found[0]} at {surfaces.at(tuple(float(x) for x in found.groups()))}", text)


def report() -> Path:
    """The report of the latest run."""
    return state.folder / "out" / "report.html"


def begin(context: bpy.types.Context, kind: str) -> None:
    """Write the scene and start ``fdtd plan`` or ``fdtd run``; :func:`poll` looks for its end."""
    program = settings.program_path(context)
    state.made = export.write(context, settings.library(context))
    state.kind, state.lines, state.folder = kind, list(state.made.notes), state.made.scene.parent
    command = [program, kind, str(state.made.scene), "--json"]
    if kind == "run":
        state.figures = None
        command += ["-o", str(state.folder / "out"), "--force"]
    state.job = Job(command, state.folder)


def poll() -> float | None:
    """The timer: seconds to its next call; None once the program has ended."""
    job = state.job
    if job is None:
        return None
    done = job.poll()
    for window in bpy.context.window_manager.windows if bpy.context.window_manager else ():
        for area in window.screen.areas:
            area.tag_redraw()
    if not done:
        return POLL
    state.job = None
    try:
        _finish(job)
    except ProgramError as error:
        state.lines += str(error).splitlines()
    return None


def _finish(job: Job) -> None:
    made, folder = state.made, state.folder
    if job.status != 0:
        said = "cancelled" if job.cancelled else named(job.message, made.surfaces)
        state.lines += said.splitlines()
        return
    plan = job.document if state.kind == "plan" else job.document["plan"]
    state.lines += _plan_lines(plan)
    state.lines += [named(text, made.surfaces) for text in plan["warnings"]]
    if state.kind == "run":
        state.lines.append(f"results: {folder / 'out'}")
        program = settings.program_path(bpy.context)
        state.figures = results.Figures(ask(program, "metrics", str(folder / "out" / "result.h5")))
        store(state.figures, made.objects)
        colour(bpy.context)


def _plan_lines(plan: dict) -> list[str]:
    memory = plan["memory_bytes"] / 2**20
    return [
        f"{plan['predicted_seconds']:.3g} s predicted, {memory:.3g} MiB, {plan['nodes']:.3g} nodes",
        f"room {plan['mesh']['volume']:.4g} m3, waves to {plan['valid_bandwidth']:.3g} Hz, {plan['duration']:.3g} s long",
    ]


def store(figures: results.Figures, objects: dict[str, str]) -> None:
    """Figures by octave as custom properties of the receivers' objects, which the file keeps."""
    for name, of in objects.items():
        channels = results.named_of(figures.receivers, name)
        item = bpy.data.objects.get(of)
        if not channels or item is None:
            continue
        octaves = figures.octaves(channels[0])
        item["fdtd octaves"] = octaves
        for figure, _, _ in settings.FIGURES:
            values = [figures.value(channels[0], figure, octave) for octave in octaves]
            item[f"fdtd {figure}"] = [float("nan") if value is None else value for value in values]


def colour(context: bpy.types.Context) -> None:
    """A marker at each receiver, coloured by the figure and the octave of the panel."""
    figures, made, options = state.figures, state.made, context.scene.fdtd
    if figures is None or made is None:
        return
    octave = min((o for r in figures.receivers[:1] for o in figures.octaves(r)), key=lambda o: abs(o - float(options.octave)))
    values = {}
    for name, of in made.objects.items():
        channels = results.named_of(figures.receivers, name)
        values[of] = figures.value(channels[0], options.figure, octave) if channels else None
    collection = bpy.data.collections.get(MARKERS) or bpy.data.collections.new(MARKERS)
    if collection.name not in context.scene.collection.children:
        context.scene.collection.children.link(collection)
    for old in list(collection.objects):
        mesh = old.data
        bpy.data.objects.remove(old)
        bpy.data.meshes.remove(mesh)
    for of, shade in results.colours(values).items():
        item = bpy.data.objects.get(of)
        if item is None:
            continue
        item.color = shade
        _marker(collection, item, of, shade, results.text(values[of]))


def _marker(
    collection: bpy.types.Collection, item: bpy.types.Object, of: str, shade: tuple[float, ...], value: str
) -> None:
    size = 0.1 / geometry.unit_scale(bpy.context.scene)
    corners = [(size, 0, 0), (-size, 0, 0), (0, size, 0), (0, -size, 0), (0, 0, size), (0, 0, -size)]
    faces = [(a, b, c) for a in (0, 1) for b in (2, 3) for c in (4, 5)]
    mesh = bpy.data.meshes.new(f"{of} {value}")
    mesh.from_pydata(corners, [], faces)
    paint = bpy.data.materials.get(f"fdtd {of}") or bpy.data.materials.new(f"fdtd {of}")
    paint.diffuse_color = shade
    mesh.materials.append(paint)
    marker = bpy.data.objects.new(f"{of}: {value}", mesh)
    marker.location = item.matrix_world.translation
    marker.color = shade
    marker.show_name = True
    marker.fdtd.role = "IGNORE"
    collection.objects.link(marker)


class _Command(bpy.types.Operator):
    """Starts the program; in the background, without a window, it waits for the end."""

    kind = ""

    @classmethod
    def poll(cls, _: bpy.types.Context) -> bool:
        return state.job is None

    def execute(self, context: bpy.types.Context) -> set[str]:
        try:
            begin(context, self.kind)
        except ProgramError as error:
            state.lines = str(error).splitlines()
            self.report({"ERROR"}, str(error))
            return {"CANCELLED"}
        if bpy.app.background:
            state.job.wait()
            poll()
        else:
            bpy.app.timers.register(poll, first_interval=POLL)
        return {"FINISHED"}


class FDTD_OT_write(bpy.types.Operator):
    bl_idname = "fdtd.write"
    bl_label = "Write Scene"
    bl_description = "Write scene.toml and room.obj into the folder"

    def execute(self, context: bpy.types.Context) -> set[str]:
        try:
            made = export.write(context, settings.library(context))
        except ProgramError as error:
            self.report({"ERROR"}, str(error))
            return {"CANCELLED"}
        state.lines = [*made.notes, f"wrote {made.scene}"]
        self.report({"INFO"}, f"wrote {made.scene}")
        return {"FINISHED"}


class FDTD_OT_plan(_Command):
    bl_idname = "fdtd.plan"
    bl_label = "Plan"
    bl_description = "Check the room, and predict time and memory"
    kind = "plan"


class FDTD_OT_run(_Command):
    bl_idname = "fdtd.run"
    bl_label = "Run"
    bl_description = "Compute the responses; the results of an earlier run in the folder are replaced"
    kind = "run"


class _Action(bpy.types.Operator):
    """Acts at once; it can be pressed while ``ready`` is true."""

    @classmethod
    def poll(cls, _: bpy.types.Context) -> bool:
        return cls.ready()

    def execute(self, context: bpy.types.Context) -> set[str]:
        self.act(context)
        return {"FINISHED"}


class FDTD_OT_cancel(_Action):
    bl_idname = "fdtd.cancel"
    bl_label = "Cancel"
    bl_description = "Stop the program"
    ready = staticmethod(lambda: state.job is not None)
    act = staticmethod(lambda _: state.job.cancel())


class FDTD_OT_report(_Action):
    bl_idname = "fdtd.report"
    bl_label = "Open Report"
    bl_description = "Show report.html of the latest run in the browser"
    ready = staticmethod(lambda: state.folder is not None and report().exists())
    act = staticmethod(lambda _: webbrowser.open(report().as_uri()))


class FDTD_OT_colour(_Action):
    bl_idname = "fdtd.colour"
    bl_label = "Colour Receivers"
    bl_description = "Mark each receiver with the colour and the value of the figure"
    ready = staticmethod(lambda: state.figures is not None)
    act = staticmethod(colour)


CLASSES = (FDTD_OT_write, FDTD_OT_plan, FDTD_OT_run, FDTD_OT_cancel, FDTD_OT_report, FDTD_OT_colour)
register, _unregister_classes = bpy.utils.register_classes_factory(CLASSES)


def unregister() -> None:
    if state.job is not None:
        state.job.cancel()
    if bpy.app.timers.is_registered(poll):
        bpy.app.timers.unregister(poll)
    _unregister_classes()
