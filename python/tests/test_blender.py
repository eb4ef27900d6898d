"""The Blender add-on of packaging/blender: its text and its program anywhere, all of it in a Python that has bpy."""

import importlib.util
import math
import sys
import time
import tomllib
import types
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import roomfdtd as rf
from roomfdtd import _engine

ADDON = Path(__file__).resolve().parents[2] / "packaging/blender"


def _module(name: str) -> Any:
    """A module of the add-on that needs no Blender."""
    spec = importlib.util.spec_from_file_location(f"fdtd_addon_{name}", ADDON / f"{name}.py")
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module
    spec.loader.exec_module(module)
    return module


def test_a_scene_as_text() -> None:
    document = _module("document")
    scene = {
        "schema": 1,
        "simulation": {"duration": "auto", "max_frequency": 500.0},
        "room": {"mesh": "room.obj", "walls": {'a "b" ä': "plaster"}},
        "materials": {"Wall_001": {"absorption": {"bands": [125.0], "alpha": [0.2]}}, "hard": {"rigid": True}},
        "source": [{"name": "S", "position": [1.0, -2e-7, 3.0]}],
    }
    assert tomllib.loads(document.dumps(scene)) == scene


def test_names_and_materials_of_a_user() -> None:
    document = _module("document")
    names = document.Names()
    assert [names.of(name, "wall") for name in ("Seat.001", "seat 001", "ä", "")] == [
        "Seat_001", "seat_001-2", "wall", "wall-2",
    ]  # fmt: skip
    library = ["carpet-heavy", "plasterboard"]
    table = document.material_table
    assert table("Carpet Heavy.002", library) == {"library": "carpet-heavy"}
    assert table("rigid", library) == {"rigid": True}
    octaves = [125.0, 250.0, 500.0, 1000.0, 2000.0, 4000.0, 8000.0]
    assert table("20 %", library) == {"absorption": {"bands": octaves, "alpha": [0.2] * 7}}
    assert table("0.1, 0.2; 0.3 0.4, 0.5 60%", library)["absorption"] == {
        "bands": octaves[:6], "alpha": [0.1, 0.2, 0.3, 0.4, 0.5, 0.6],
    }  # fmt: skip
    assert table("0 " * 8, library)["absorption"]["bands"] == [63.0, *octaves]
    assert all(table(wrong, library) is None for wrong in ("", "1.2", "0.1 0.2", "wallpaper"))


def test_a_run_is_cancelled_and_says_why(tmp_path: Path) -> None:
    program = _module("program")
    room, above = rf.Room.box(5, 4, 3, rf.Material.admittance(0.01)), {"method": "none"}
    rf.Scene(room, [(1, 1, 1)], [(4, 3, 2)], duration=60, max_frequency=800, above=above).save(tmp_path / "room.toml")
    command = [_engine.program(), "run", "room.toml", "-o", str(tmp_path / "out"), "--json"]
    begun = time.monotonic()
    job = program.Job(command, tmp_path)
    assert not job.poll()
    while job.fraction == 0.0 and time.monotonic() - begun < 60:
        time.sleep(0.05)
    assert 0.0 < job.fraction < 1.0 and "left" in job.line
    job.cancel()
    job.wait()
    assert job.cancelled and job.status == 130 and "interrupted" in job.message and "%" not in job.message
    with pytest.raises(program.ProgramError, match="no such program"):
        program.find(str(tmp_path / "fdtd"))


def test_figures_that_are_not_there() -> None:
    results = _module("results")
    rows = [
        {"source": source, "receiver": "A:00", "metrics": {"bands": [{"centre": 125.0, "T20": T20, "EDT": None}]}}
        for source, T20 in (("S1", 1.0), ("S2", 2.0), ("S3", None))
    ]
    figures = results.Figures({"responses": rows})
    assert figures.value("A:00", "T20", 125.0) == 1.5 and figures.value("A:00", "EDT", 125.0) is None
    assert figures.value("A:00", "T20", 250.0) is None and results.text(None) == "-"
    assert results.named_of(figures.receivers, "A") == ["A:00"]
    shades = results.colours({"low": 1.0, "none": None, "high": 2.0})
    assert shades["none"] == (0.5, 0.5, 0.5, 1.0) and sum(shades["low"]) < sum(shades["high"])
    assert set(results.colours({"one": 1.0}).values()) == {shades["low"]}


@pytest.fixture(scope="module")
def addon() -> Iterator[types.ModuleType]:
    pytest.importorskip("bpy", reason="no bpy: `pip install bpy` brings Blender as a module")
    spec = importlib.util.spec_from_file_location("fdtd_addon", ADDON / "__init__.py", submodule_search_locations=[str(ADDON)])
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules["fdtd_addon"] = module
    spec.loader.exec_module(module)
    module.register()
    yield module
    module.unregister()


@pytest.fixture()
def blend(addon: types.ModuleType, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Any:
    import bpy

    monkeypatch.setenv("FDTD_PROGRAM", _engine.program())
    for item in list(bpy.data.objects):
        bpy.data.objects.remove(item)
    for some in (bpy.data.meshes, bpy.data.materials, bpy.data.collections):
        for block in list(some):
            some.remove(block)
    bpy.context.scene.unit_settings.system = "METRIC"
    bpy.context.scene.unit_settings.scale_length = 1.0
    bpy.context.scene.fdtd.folder = str(tmp_path)
    bpy.context.scene.fdtd.collection = None
    return bpy


def _paint(bpy: Any, name: str) -> Any:
    return bpy.data.materials.get(name) or bpy.data.materials.new(name)


def _box(bpy: Any, name: str, sides: tuple[float, float, float], paint: Callable[[int], str], without: int = -1) -> Any:
    """A box from the origin; face 0 is the floor, 1 the ceiling."""
    x, y, z = sides
    corners = [(i * x, j * y, k * z) for k in (0, 1) for j in (0, 1) for i in (0, 1)]
    faces = [(0, 2, 3, 1), (4, 5, 7, 6), (0, 1, 5, 4), (2, 6, 7, 3), (0, 4, 6, 2), (1, 3, 7, 5)]
    mesh = bpy.data.meshes.new(name)
    mesh.from_pydata(corners, [], [face for i, face in enumerate(faces) if i != without])
    names = [paint(i) for i in range(6) if i != without]
    for one in dict.fromkeys(names):
        mesh.materials.append(_paint(bpy, one))
    for polygon, one in zip(mesh.polygons, names):
        polygon.material_index = list(dict.fromkeys(names)).index(one)
    item = bpy.data.objects.new(name, mesh)
    bpy.context.scene.collection.objects.link(item)
    return item


def _point(bpy: Any, name: str, place: tuple[float, float, float], data: Any = None) -> Any:
    item = bpy.data.objects.new(name, data)
    item.location = place
    bpy.context.scene.collection.objects.link(item)
    return item


def _walls(number: int) -> str:
    return {0: "Carpet Heavy", 1: "Ceiling.001"}.get(number, "Wall")


def _room(bpy: Any, **options: Any) -> Any:
    shell = _box(bpy, "Shell", (5, 4, 3), _walls, **options)
    _point(bpy, "Source", (1, 1, 1.5))
    _point(bpy, "Seat.001", (4, 3, 1.2))
    return shell


def test_area_and_volume_are_those_of_the_objects(addon: types.ModuleType, blend: Any) -> None:
    from fdtd_addon import geometry

    shell = _box(blend, "Shell", (500, 400, 300), _walls)
    blend.context.scene.unit_settings.scale_length = 0.01
    shell.scale = (-1, 1, 1)  # a mirror image
    shell.rotation_euler = (0.3, 0.2, 1.0)
    # Three chairs: an array modifier on one of a collection that is shown twice.
    chairs = blend.data.collections.new("chairs")
    chair = _box(blend, "Chair", (50, 40, 80), lambda _: "wood")
    blend.context.scene.collection.objects.unlink(chair)
    chairs.objects.link(chair)
    array = chair.modifiers.new("Array", "ARRAY")
    array.count, array.relative_offset_displace = 3, (2, 0, 0)
    for i in range(2):
        shown = _point(blend, f"Row {i}", (0, 100 * i, 10))
        shown.instance_type, shown.instance_collection = "COLLECTION", chairs
    hidden = _box(blend, "Hidden", (90, 90, 90), _walls)
    hidden.fdtd.role = "IGNORE"
    _point(blend, "Source", (120, 150, 90))
    found = geometry.surfaces_of(blend.context.evaluated_depsgraph_get())
    corner = 0.01 * np.array(shell.matrix_world @ shell.data.vertices[7].co)  # turned, mirrored, in m
    assert np.linalg.norm(found.vertices - corner, axis=1).min() < 1e-5
    (place,) = geometry.places_of(blend.context.evaluated_depsgraph_get())
    assert place.position == pytest.approx((1.2, 1.5, 0.9))
    areas = 2 * (20 + 15 + 12), 6 * 2 * (0.5 * 0.4 + 0.4 * 0.8 + 0.5 * 0.8)
    for owner, wanted in zip(("Shell", "Chair"), areas):
        part = found.object_of == found.objects.index(owner)
        one = geometry.Surfaces(found.vertices, found.faces[part], found.wall_of[part], found.object_of[part], [], [])
        assert one.area() == pytest.approx(wanted, rel=1e-6)
        assert one.volume() == pytest.approx({"Shell": 60, "Chair": 6 * 0.16}[owner], rel=1e-5)
    by_wall = {
        name: geometry.Surfaces(found.vertices, found.faces[found.wall_of == i], found.wall_of, found.object_of, [], []).area()
        for i, name in enumerate(found.walls)
    }
    assert by_wall == pytest.approx({"Carpet Heavy": 20, "Ceiling.001": 20, "Wall": 54, "wood": areas[1]}, rel=1e-6)
    blend.context.scene.fdtd.collection = chairs
    assert geometry.surfaces_of(blend.context.evaluated_depsgraph_get(), chairs).area() == pytest.approx(areas[1])


def test_the_scene_that_is_written(blend: Any, tmp_path: Path) -> None:
    _room(blend)
    blend.data.materials["Wall"]["fdtd_material"] = "0.1 0.1 0.1 0.1 0.1 0.1"
    blend.data.materials["Ceiling.001"].fdtd_material = "rigid"
    loud = _point(blend, "Loud", (2, 2, 2), blend.data.speakers.new("Loud"))
    loud.fdtd.pattern = "cardioid"
    loud.rotation_euler = (math.pi / 2, 0, 0)  # -Z turned to +Y
    aside = _point(blend, "Anything", (3, 3, 1))
    aside.fdtd.role, aside.fdtd.pattern, aside.fdtd.order = "RECEIVER", "ambisonic", 2
    assert blend.ops.fdtd.write() == {"FINISHED"}
    scene = tomllib.loads((tmp_path / "scene.toml").read_text())
    assert scene["materials"]["Carpet_Heavy"] == {"library": "carpet-heavy"}
    assert scene["materials"]["Ceiling_001"] == {"rigid": True}
    assert scene["materials"]["Wall"]["absorption"]["alpha"] == [0.1] * 6
    assert [source["name"] for source in scene["source"]] == ["Loud", "Source"]
    assert scene["source"][0]["direction"] == pytest.approx([0, 1, 0], abs=1e-6)
    assert scene["receiver"][0] == {"name": "Anything", "position": [3, 3, 1], "pattern": "ambisonic", "order": 2}
    assert scene["receiver"][1]["name"] == "Seat_001"
    loud.fdtd.file = str(tmp_path / "loud.sofa")
    blend.ops.fdtd.write()
    measured = tomllib.loads((tmp_path / "scene.toml").read_text())["source"][0]
    assert measured["directivity"] == str(tmp_path / "loud.sofa") and measured["direction"] == pytest.approx([0, 1, 0], abs=1e-6)
    assert measured["up"] == pytest.approx([0, 0, 1], abs=1e-6)  # +Y turned
    loud.fdtd.file = ""
    blend.ops.fdtd.write()
    plan = _engine.plan((tmp_path / "scene.toml").read_text(), str(tmp_path))
    assert plan["mesh"]["volume"] == pytest.approx(60, rel=1e-6)
    assert {one["name"]: one["area"] for one in plan["mesh"]["materials"]} == pytest.approx(
        {"Carpet_Heavy": 20, "Ceiling_001": 20, "Wall": 54}, rel=1e-6
    )


def test_a_hole_has_the_name_of_its_object(blend: Any) -> None:
    from fdtd_addon import operators

    _room(blend, without=1)
    blend.context.scene.fdtd.max_frequency = 200
    assert blend.ops.fdtd.plan() == {"FINISHED"}
    said = " ".join(operators.state.lines)
    assert "the room leaks" in said and "'Shell' (Wall)" in said and "plasterboard stands for: Wall" in said
    for item in list(blend.data.objects):
        if item.type == "EMPTY":
            blend.data.objects.remove(item)
    with pytest.raises(RuntimeError, match="there is no source"):
        blend.ops.fdtd.plan()


def test_a_run_and_its_results(addon: types.ModuleType, blend: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from fdtd_addon import operators, panels, results

    _room(blend)
    _point(blend, "Seat.002", (2, 3, 1.2))
    options = blend.context.scene.fdtd
    options.max_frequency, options.duration, options.above, options.octave = 180, 1.5, False, "125"
    assert blend.ops.fdtd.run() == {"FINISHED"}, operators.state.lines
    figures = operators.state.figures
    assert figures.receivers == ["Seat_001", "Seat_002"], operators.state.lines
    table = _engine.metrics_of_result(str(tmp_path / "out/result.h5"))["responses"]
    (bands,) = (row["metrics"]["bands"] for row in table if row["receiver"] == "Seat_002")
    (wanted,) = (band["T20"] for band in bands if band["centre"] == 125)
    assert figures.value("Seat_002", "T20", 125) == wanted > 0
    item = blend.data.objects["Seat.002"]
    octaves = list(item["fdtd octaves"])
    assert list(item["fdtd T20"])[octaves.index(125)] == wanted
    rows = dict(panels.table(figures, "T20"))
    assert f"{wanted:.2f}" in rows["Seat_002"] and len(rows["Hz"]) == len(rows["Seat_001"])
    markers = blend.data.collections[operators.MARKERS].objects
    assert sorted(marker.name.partition(":")[0] for marker in markers) == ["Seat.001", "Seat.002"]
    assert {tuple(np.round(marker.color, 3)) for marker in markers} == {(0.267, 0.005, 0.329, 1.0), (0.993, 0.906, 0.144, 1.0)}
    assert operators.FDTD_OT_report.poll(blend.context) and (tmp_path / "out/report.html").exists()
    # The buttons: another octave moves colours, the report opens, and nothing is left to cancel.
    opened: list[str] = []
    monkeypatch.setattr(operators.webbrowser, "open", opened.append)
    options.octave = "63"
    assert blend.ops.fdtd.colour() == {"FINISHED"} and blend.ops.fdtd.report() == {"FINISHED"}
    assert opened == [(tmp_path / "out/report.html").as_uri()] and not operators.FDTD_OT_cancel.poll(blend.context)
    assert f"Seat.002: {results.text(figures.value('Seat_002', 'T20', 63))}" in [marker.name for marker in blend.data.collections[operators.MARKERS].objects]
    # Markers are no part of the room, and a second run replaces the first.
    blend.ops.fdtd.write()
    assert "fdtd" not in (tmp_path / "room.obj").read_text()


class _Layout:
    """Stands in for a panel's layout, which Blender makes with a window alone: every name must be there."""

    def __init__(self, bpy: Any) -> None:
        self.bpy, self.shown = bpy, []

    def prop(self, data: Any, name: str) -> None:
        assert name in data.bl_rna.properties, name
        self.shown.append(name)

    def operator(self, name: str) -> None:
        assert getattr(self.bpy.ops.fdtd, name.removeprefix("fdtd.")).get_rna_type() is not None
        self.shown.append(name)

    def label(self, text: str) -> None:
        self.shown.append(text)

    def progress(self, factor: float, text: str) -> None:
        assert 0 <= factor <= 1
        self.shown.append(text)

    def row(self, align: bool = False) -> "_Layout":
        return self

    column = row


def test_panels(addon: types.ModuleType, blend: Any, tmp_path: Path) -> None:
    from fdtd_addon import operators, panels

    _room(blend)
    options = blend.context.scene.fdtd
    options.max_frequency, options.duration, options.above = 150, 0.4, False
    blend.ops.fdtd.run()
    operators.state.job = types.SimpleNamespace(fraction=0.5, line="3 s left")
    seat = blend.data.objects["Seat.001"]
    seat.fdtd.pattern = "ambisonic"
    context = types.SimpleNamespace(
        scene=blend.context.scene, region=types.SimpleNamespace(width=300), object=seat, material=blend.data.materials[0]
    )
    layout = _Layout(blend)
    try:
        for panel in panels.CLASSES:
            assert getattr(panel, "poll", lambda _: True)(context)
            panel.draw(types.SimpleNamespace(layout=layout), context)
    finally:
        operators.state.job = None
    shown = layout.shown
    assert {"fdtd.run", "fdtd.cancel", "3 s left", "pattern", "order", "fdtd_material", "Seat_001", "63"} <= set(shown)
    assert "Seat.001: receiver" in shown


def test_blender_accepts_the_extension(addon: types.ModuleType, tmp_path: Path) -> None:
    import subprocess
    import zipfile

    import bpy

    script = Path(bpy.utils.system_resource("SCRIPTS")) / "addons_core/bl_pkg/cli/blender_ext.py"
    built = tmp_path / "fdtd.zip"
    for command in (["build", "--source-dir", str(ADDON), "--output-filepath", str(built)], ["validate", str(built)]):
        ended = subprocess.run([sys.executable, str(script), *command], capture_output=True, text=True)
        assert ended.returncode == 0, ended.stdout + ended.stderr
    assert {"blender_manifest.toml", "__init__.py", "geometry.py"} <= set(zipfile.ZipFile(built).namelist())
