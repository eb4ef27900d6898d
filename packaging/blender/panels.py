"""The panels: fdtd in the sidebar of the 3-D view, and the surface of a material in its properties."""

from __future__ import annotations

import textwrap

import bpy

from . import geometry, results
from .operators import state


class _Sidebar(bpy.types.Panel):
    """The tab fdtd in the sidebar of the 3-D view."""

    bl_space_type = "VIEW_3D"
    bl_region_type = "UI"
    bl_category = "fdtd"


class FDTD_PT_room(_Sidebar):
    bl_label = "Room acoustics"

    def draw(self, context: bpy.types.Context) -> None:
        layout, options = self.layout, context.scene.fdtd
        layout.use_property_split = True
        for name in ("folder", "collection", "default", "max_frequency", "duration", "above", "seal", "device"):
            layout.prop(options, name)
        row = layout.row(align=True)
        row.operator("fdtd.write")
        row.operator("fdtd.plan")
        row.operator("fdtd.run")
        if state.job is not None:
            layout.progress(factor=state.job.fraction, text=state.job.line)
            layout.operator("fdtd.cancel")
        column = layout.column(align=True)
        for line in state.lines:
            for part in textwrap.wrap(line, max(int(context.region.width / 7), 20)):
                column.label(text=part)


class FDTD_PT_object(_Sidebar):
    bl_label = "Active object"

    @classmethod
    def poll(cls, context: bpy.types.Context) -> bool:
        return context.object is not None

    def draw(self, context: bpy.types.Context) -> None:
        layout, options = self.layout, context.object.fdtd
        layout.use_property_split = True
        layout.prop(options, "role")
        role = geometry.role_of(context.object)
        layout.label(text=f"{context.object.name}: {'left out' if role == 'ignore' else role}")
        if role in ("source", "receiver"):
            layout.prop(options, "pattern")
            if options.pattern == "ambisonic":
                layout.prop(options, "order")
            layout.prop(options, "file")


class FDTD_PT_results(_Sidebar):
    bl_label = "Results"

    @classmethod
    def poll(cls, _: bpy.types.Context) -> bool:
        return state.figures is not None

    def draw(self, context: bpy.types.Context) -> None:
        layout, options, figures = self.layout, context.scene.fdtd, state.figures
        layout.prop(options, "figure")
        grid = layout.column(align=True)
        for head, cells in table(figures, options.figure):
            row = grid.row(align=True)
            row.label(text=head)
            for cell in cells:
                row.label(text=cell)
        layout.prop(options, "octave")
        row = layout.row(align=True)
        row.operator("fdtd.colour")
        row.operator("fdtd.report")


def table(figures: results.Figures, figure: str) -> list[tuple[str, list[str]]]:
    """Rows of a table by octave: its head, then each receiver."""
    receivers = figures.receivers[:40]  # a longer panel is not read; the report has all receivers
    octaves = figures.octaves(receivers[0])
    rows = [("Hz", [f"{octave:g}" for octave in octaves])]
    return rows + [
        (name, [results.text(figures.value(name, figure, octave)) for octave in octaves]) for name in receivers
    ]


class FDTD_PT_material(bpy.types.Panel):
    bl_label = "Room acoustics"
    bl_space_type = "PROPERTIES"
    bl_region_type = "WINDOW"
    bl_context = "material"

    @classmethod
    def poll(cls, context: bpy.types.Context) -> bool:
        return context.material is not None

    def draw(self, context: bpy.types.Context) -> None:
        self.layout.prop(context.material, "fdtd_material")


CLASSES = (FDTD_PT_room, FDTD_PT_object, FDTD_PT_results, FDTD_PT_material)
register, unregister = bpy.utils.register_classes_factory(CLASSES)
