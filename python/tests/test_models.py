"""Rooms of other programs: each format as its own library writes it, with the areas and the volume of the source."""

import math
import re
import struct
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import roomfdtd as rf
from roomfdtd.models import SUFFIXES, Model, import_model
from roomfdtd.models.__main__ import main
from roomfdtd.models._model import model_of

SIDES = (5.1, 4.0, 2.7)
CORNERS = [(i * SIDES[0], j * SIDES[1], k * SIDES[2]) for k in (0, 1) for j in (0, 1) for i in (0, 1)]
FACES = {  # of a box, facing outwards
    "floor": (0, 2, 3, 1), "ceiling": (4, 5, 7, 6), "front": (0, 1, 5, 4), "back": (2, 6, 7, 3), "left": (0, 4, 6, 2),
    "right": (1, 3, 7, 5),
}  # fmt: skip
AREAS = {
    "floor": SIDES[0] * SIDES[1], "ceiling": SIDES[0] * SIDES[1], "front": SIDES[0] * SIDES[2], "back": SIDES[0] * SIDES[2],
    "left": SIDES[1] * SIDES[2], "right": SIDES[1] * SIDES[2],
}  # fmt: skip
VOLUME = SIDES[0] * SIDES[1] * SIDES[2]


def check(model: Model, areas: dict[str, float], volume: float, rel: float = 1e-9) -> None:
    assert model.areas() == pytest.approx(areas, rel=rel)
    assert model.volume() == pytest.approx(volume, rel=rel)


def _triangles() -> tuple[list[Any], list[str]]:
    faces, names = [], []
    for name, (a, b, c, d) in FACES.items():
        faces += [(a, b, c), (a, c, d)]
        names += [name, name]
    return faces, names


def test_off_and_gltf_by_trimesh(tmp_path: Path) -> None:
    trimesh = pytest.importorskip("trimesh")
    faces, _ = _triangles()
    box = trimesh.Trimesh(CORNERS, faces, process=False)
    box.export(tmp_path / "room.off")
    check(import_model(tmp_path / "room.off"), {"room": sum(AREAS.values())}, VOLUME, 1e-7)  # eight decimals
    (tmp_path / "cm.off").write_text(
        "OFF\n8 12 0\n" + "\n".join(" ".join(repr(100 * x) for x in (p[1], p[2], p[0])) for p in CORNERS) + "\n"
        + "\n".join("3 " + " ".join(map(str, face)) for face in faces)
    )  # fmt: skip
    check(import_model(tmp_path / "cm.off", units="cm", up="y"), {"cm": sum(AREAS.values())}, VOLUME)
    upright = import_model(tmp_path / "cm.off", units="cm", up="y").surface.vertices
    assert np.ptp(upright, axis=0) == pytest.approx([SIDES[1], SIDES[0], SIDES[2]])
    # A scene of parts with transforms, one of which mirrors; trimesh writes it as it is in memory, z up.
    scene = trimesh.Scene()
    shell = box.copy()
    shell.visual = trimesh.visual.TextureVisuals(material=trimesh.visual.material.PBRMaterial(name="plaster"))
    turn = np.diag([-1.0, 1.0, 1.0, 1.0])
    scene.add_geometry(shell, transform=turn)
    scene.export(tmp_path / "room.glb")
    model = import_model(tmp_path / "room.glb")
    check(model, {"plaster": sum(AREAS.values())}, VOLUME, 1e-6)  # single precision
    assert np.ptp(model.surface.vertices, axis=0) == pytest.approx(SIDES, rel=1e-6)
    for up, other in (("y", "room.glb"), (None, "other.glb")):  # by the format y is up
        data = (tmp_path / "room.glb").read_bytes().replace(b"mikedh/trimesh", b"khronosgroup/x")
        (tmp_path / "other.glb").write_bytes(data)
        lying = import_model(tmp_path / other, up=up).surface.vertices
        assert np.ptp(lying, axis=0) == pytest.approx([SIDES[0], SIDES[2], SIDES[1]], rel=1e-6)


@pytest.mark.parametrize("key", ["usemtl", "g"])
def test_surfaces_of_obj_are_materials_else_groups(tmp_path: Path, key: str) -> None:
    """Without the library of materials, at the coordinates of a map."""
    pytest.importorskip("trimesh")
    text = "mtllib absent.mtl\ng part\n" if key == "usemtl" else ""
    text += "".join(f"v {x + 431200.5!r} {y + 5411900.25!r} {z!r}\n" for x, y, z in CORNERS)
    for name, face in FACES.items():
        text += f"{key} {name} [1]\nf {' '.join(str(i + 1) for i in face)}\n"
    (tmp_path / "room.obj").write_text(text)
    model = import_model(tmp_path / "room.obj")
    check(model, {f"{name} [1]": area for name, area in AREAS.items()}, VOLUME)


def test_formats_of_the_program_by_trimesh(tmp_path: Path) -> None:
    trimesh = pytest.importorskip("trimesh")
    box = trimesh.Trimesh(CORNERS, _triangles()[0], process=False)
    for suffix in ("obj", "stl", "ply", "gltf"):
        box.export(tmp_path / f"room.{suffix}") if suffix != "gltf" else trimesh.Scene(box).export(tmp_path / "room.gltf")
        check(import_model(tmp_path / f"room.{suffix}"), {"room": sum(AREAS.values())}, VOLUME, 1e-6)


def test_a_model_in_a_session_shows_its_surfaces() -> None:
    faces, names = _triangles()
    text = repr(model_of(CORNERS, faces, names, ["it is a box"]))
    assert text.startswith("Model: 12 triangles, 5.1 x 4 x 2.7 m\n  floor: 20.4 m2\n") and text.endswith("\n  note: it is a box")


def test_sketchup(tmp_path: Path) -> None:
    openskp = pytest.importorskip("openskp")

    def inches(points: Any) -> list[tuple[float, ...]]:
        return [tuple(x / 0.0254 for x in point) for point in points]

    builder = openskp.create()
    paints = {name: builder.add_material(name, (9 * i, 99, 9)) for i, name in enumerate(("carpet", "plaster", "wood"))}
    with builder.add_component_definition("Chair") as chair:
        for face in FACES.values():
            chair.add_face(inches((CORNERS[i][0] / 10, CORNERS[i][1] / 10, CORNERS[i][2] / 10) for i in face), material=paints["wood"])
    builder.add_instance(chair, translation=inches([(1, 1, 0.2)])[0])
    builder.add_instance(chair, translation=inches([(2, 1, 0.2)])[0], rotation=((0, 0, 1), math.radians(30)))
    builder.add_instance(chair, translation=inches([(3, 1, 0.2)])[0], hidden=True)
    for name, face in FACES.items():
        ring = inches(CORNERS[i] for i in face)
        if name == "ceiling":  # with a hole, in which another face lies
            hole = inches([(1, 1, SIDES[2]), (1, 2, SIDES[2]), (2, 2, SIDES[2]), (2, 1, SIDES[2])])
            builder.add_face(ring, material=paints["plaster"], holes=[hole])
            builder.add_face(hole[::-1])
        else:
            builder.add_face(ring, material=paints["carpet" if name == "floor" else "plaster"])
    builder.save(str(tmp_path / "room.skp"))
    model = import_model(tmp_path / "room.skp")
    total = sum(AREAS.values())
    areas = {"carpet": AREAS["floor"], "plaster": total - AREAS["floor"] - 1, "default": 1.0, "wood": 2 * total / 100}
    assert model.areas() == pytest.approx(areas, rel=1e-9)
    (tmp_path / "broken.skp").write_bytes(b"no model")
    with pytest.raises(rf.FileError, match="broken.skp: openskp cannot read it"):
        import_model(tmp_path / "broken.skp")


def _record(number: int, *parts: bytes) -> bytes:
    body = b"".join(parts)
    return struct.pack("<HI", number, 6 + len(body)) + body


def test_3ds(tmp_path: Path) -> None:
    pytest.importorskip("assimp_py")
    faces, names = _triangles()
    used = list(dict.fromkeys(names))
    paints = [_record(0xAFFF, _record(0xA000, name.encode() + b"\0")) for name in used]
    lists = [
        _record(0x4130, name.encode() + b"\0", struct.pack("<H", 2), struct.pack("<2H", 2 * i, 2 * i + 1))
        for i, name in enumerate(used)
    ]
    places = struct.pack("<H", 8) + b"".join(struct.pack("<3f", *corner) for corner in CORNERS)
    listed = struct.pack("<H", 12) + b"".join(struct.pack("<4H", *face, 7) for face in faces)
    mesh = _record(0x4100, _record(0x4110, places), _record(0x4120, listed, *lists))
    editor = _record(0x3D3D, *paints, _record(0x4000, b"box\0", mesh))
    (tmp_path / "room.3ds").write_bytes(_record(0x4D4D, _record(0x0002, struct.pack("<I", 3)), editor))
    model = import_model(tmp_path / "room.3ds")
    check(model, AREAS, VOLUME, 1e-6)
    assert model.notes == ["coordinates are of single precision: seven digits"]


def test_ac3d(tmp_path: Path) -> None:
    pytest.importorskip("assimp_py")
    lines = ["AC3Db", *(f'MATERIAL "{name}" rgb 1 1 1 amb 0 0 0 emis 0 0 0 spec 0 0 0 shi 0 trans 0' for name in FACES)]
    lines += ["OBJECT world", "kids 1", "OBJECT poly", 'name "box"', "loc 1 2 3", "numvert 8"]
    lines += [f"{x!r} {y!r} {z!r}" for x, y, z in CORNERS] + ["numsurf 6"]
    for i, face in enumerate(FACES.values()):
        lines += ["SURF 0x10", f"mat {i}", "refs 4", *(f"{corner} 0 0" for corner in face)]
    (tmp_path / "room.ac").write_text("\n".join([*lines, "kids 0", ""]))
    model = import_model(tmp_path / "room.ac")
    check(model, AREAS, VOLUME, 1e-6)
    assert model.surface.vertices.min(axis=0) == pytest.approx([1, 2, 3], rel=1e-6)


def _fbx() -> str:
    """A box in cm with y up as FBX 7.4 in text, moved by its node, a material for each face."""
    places = ",".join(repr(100 * x) for corner in CORNERS for x in (corner[0], corner[2], -corner[1]))
    rings = ",".join(str(corner if i < 3 else ~corner) for face in FACES.values() for i, corner in enumerate(face))
    paints = "".join(f'Material: {30 + i}, "Material::{name}", "" {{\nVersion: 102\n}}\n' for i, name in enumerate(FACES))
    links = "".join(f'C: "OO",{30 + i},20\n' for i in range(6))
    return f"""; FBX 7.4.0 project file
FBXHeaderExtension: {{
FBXHeaderVersion: 1003
FBXVersion: 7400
}}
GlobalSettings: {{
Version: 1000
Properties70: {{
P: "UpAxis", "int", "Integer", "",1
P: "UnitScaleFactor", "double", "Number", "",1
}}
}}
Objects: {{
Geometry: 10, "Geometry::box", "Mesh" {{
Vertices: *24 {{
a: {places}
}}
PolygonVertexIndex: *24 {{
a: {rings}
}}
LayerElementMaterial: 0 {{
MappingInformationType: "ByPolygon"
ReferenceInformationType: "IndexToDirect"
Materials: *6 {{
a: 0,1,2,3,4,5
}}
}}
Layer: 0 {{
LayerElement: {{
Type: "LayerElementMaterial"
TypedIndex: 0
}}
}}
}}
Model: 20, "Model::box", "Mesh" {{
Properties70: {{
P: "Lcl Translation", "Lcl Translation", "", "A",10,20,30
}}
}}
{paints}}}
Connections: {{
C: "OO",20,0
C: "OO",10,20
{links}}}
"""


def test_fbx(tmp_path: Path) -> None:
    pytest.importorskip("assimp_py")
    (tmp_path / "room.fbx").write_text(_fbx())
    model = import_model(tmp_path / "room.fbx", units="cm", up="y")
    check(model, AREAS, VOLUME, 1e-6)
    assert model.surface.vertices.min(axis=0) == pytest.approx([0.1, -0.3, 0.2], rel=1e-6)


def test_gmsh(tmp_path: Path) -> None:
    gmsh = pytest.importorskip("gmsh")
    gmsh.initialize(interruptible=False)
    try:
        gmsh.option.setNumber("General.Terminal", 0)
        box = gmsh.model.occ.addBox(0, 0, 0, *SIDES)
        gmsh.model.occ.synchronize()
        groups: dict[str, list[int]] = {}
        for _, tag in gmsh.model.getBoundary([(3, box)], oriented=False):
            _, _, z = gmsh.model.occ.getCenterOfMass(2, tag)
            name = "floor" if z < 1e-9 else "ceiling" if z > SIDES[2] - 1e-9 else "wall"
            groups.setdefault(name, []).append(tag)
        for name, tags in groups.items():
            gmsh.model.addPhysicalGroup(2, tags, name=name)
        gmsh.option.setNumber("Mesh.MeshSizeMin", 1.5)
        gmsh.model.mesh.generate(2)
        gmsh.write(str(tmp_path / "room.msh"))
    finally:
        gmsh.finalize()
    areas = {"floor": AREAS["floor"], "ceiling": AREAS["ceiling"], "wall": sum(AREAS.values()) - 2 * AREAS["floor"]}
    check(import_model(tmp_path / "room.msh"), areas, VOLUME)
    lines = [f"Point({i + 1}) = {{{', '.join(repr(x) for x in corner)}, 2}};" for i, corner in enumerate(CORNERS)]
    edges = {(a, b): i + 1 for i, (a, b) in enumerate((a, b) for a in range(8) for b in range(a) if bin(a ^ b).count("1") == 1)}
    lines += [f"Line({i}) = {{{a + 1}, {b + 1}}};" for (a, b), i in edges.items()]
    for i, (name, face) in enumerate(FACES.items(), 1):
        ends = zip(face, (*face[1:], face[0]))
        loop = ", ".join(str(edges[a, b] if (a, b) in edges else -edges[b, a]) for a, b in ends)
        lines += [f"Curve Loop({i}) = {{{loop}}};", f"Plane Surface({i}) = {{{i}}};", f'Physical Surface("{name}") = {{{i}}};']
    (tmp_path / "room.geo").write_text("\n".join(lines) + "\n")
    check(import_model(tmp_path / "room.geo"), AREAS, VOLUME)
    assert import_model(tmp_path / "room.geo").notes == []
    box = 'SetFactory("OpenCASCADE"); Box(1) = {0, 0, 0, 6, 4, 3}; Cylinder(2) = {3, 2, 0, 0, 0, 1.5, 0.3};'
    cut = "BooleanDifference(3) = {Volume{1}; Delete;}{Volume{2}; Delete;};"
    (tmp_path / "column.geo").write_text(box + cut + 'Physical Surface("column") = {7};')
    model = import_model(tmp_path / "column.geo")
    note = "curved surfaces become plane facets ('column'): a smaller Mesh.MeshSizeMax in the geometry makes finer ones"
    assert model.notes == [note] and model.areas()["column"] < 0.99 * 2 * math.pi * 0.3 * 1.5
    (tmp_path / "fine.geo").write_text(box + cut + 'Physical Surface("column") = {7}; Mesh.MeshSizeMax = 0.1;')
    model = import_model(tmp_path / "fine.geo")
    assert model.areas()["column"] == pytest.approx(2 * math.pi * 0.3 * 1.5, rel=0.01)
    assert model.volume() == pytest.approx(72 - math.pi * 0.09 * 1.5, rel=1e-3)
    assert not gmsh.isInitialized()
    (tmp_path / "merged.geo").write_text(f'Merge "{tmp_path}/room.msh";')
    with pytest.raises(rf.FileError, match="merged.geo: its last line has no line break, and gmsh would leave it out\n.*add a line break"):
        import_model(tmp_path / "merged.geo")
    (tmp_path / "broken.msh").write_text("$MeshFormat\nnonsense\n")
    with pytest.raises(rf.FileError, match="gmsh cannot read it"):
        import_model(tmp_path / "broken.msh")


def _loop(points: Any) -> str:
    corners = "".join(
        "<CartesianPoint>" + "".join(f"<Coordinate>{x!r}</Coordinate>" for x in point) + "</CartesianPoint>" for point in points
    )
    return f"<PlanarGeometry><PolyLoop>{corners}</PolyLoop></PlanarGeometry>"


def _gbxml(door: Any) -> str:
    surfaces = ""
    for name, face in FACES.items():
        opening = f'<Opening id="d" openingType="NonSlidingDoor">{_loop(door)}</Opening>' if name == "front" else ""
        surfaces += (
            f'<Surface id="{name}" surfaceType="InteriorWall" constructionIdRef="c-{name}"><AdjacentSpaceId spaceIdRef="s1"/>'
            f"{_loop(tuple(x / 0.3048 for x in CORNERS[i]) for i in face)}{opening}</Surface>"
        )
    constructions = "".join(f'<Construction id="c-{name}"><Name>{name}</Name></Construction>' for name in FACES if name != "back")
    return (
        '<?xml version="1.0"?><gbXML xmlns="http://www.gbxml.org/schema" lengthUnit="Feet"><Campus id="c"><Building id="b">'
        f'<Space id="s1"><Name>Hall</Name></Space><Space id="s2"><Name>Foyer</Name></Space></Building>{surfaces}</Campus>'
        f"{constructions}</gbXML>"
    )


def test_gbxml(tmp_path: Path) -> None:
    pytest.importorskip("mapbox_earcut")
    door = [(x / 0.3048, 0.0, z / 0.3048) for x, z in ((1, 0), (2, 0), (2, 2.1), (1, 2.1))]  # stands on the floor
    (tmp_path / "room.xml").write_text(_gbxml(door))
    model = import_model(tmp_path / "room.xml", space="Hall")
    areas = AREAS | {"front": AREAS["front"] - 2.1, "InteriorWall": AREAS["back"], "NonSlidingDoor": 2.1}
    del areas["back"]
    check(model, areas, VOLUME)
    with pytest.raises(rf.SceneError, match="several spaces\n.*'Foyer', 'Hall'"):
        import_model(tmp_path / "room.xml")
    with pytest.raises(rf.FileError, match="no surface bounds Foyer"):
        import_model(tmp_path / "room.xml", space="s2")
    # Two spaces side by side: the wall between them bounds each, and lies inside both together.
    text = _gbxml(door)
    begin = text.index('<Surface id="right"')
    right = text[begin : text.index("</Surface>", begin)]
    text = text.replace(right, right.replace('"s1"/>', '"s1"/><AdjacentSpaceId spaceIdRef="s2"/>', 1))
    (tmp_path / "two.xml").write_text(text)
    assert import_model(tmp_path / "two.xml", space="s1").areas() == model.areas()
    assert import_model(tmp_path / "two.xml", space="Foyer").areas() == pytest.approx({"right": AREAS["right"]})
    assert "right" not in import_model(tmp_path / "two.xml", space="*").areas()


@pytest.mark.parametrize("door, area, note", [
    ([(4, 0, 1), (60, 0, 1), (60, 0, 6), (4, 0, 6)], 0, "opening 'd' of surface 'front' has no area, or does not lie in the surface: it is left out"),
    ([(4, 0, 1), (5, 0, 1), (6, 0, 1)], 0, "opening 'd' of surface 'front' has no area, or does not lie in the surface: it is left out"),
    ([(4, 0.5, 1), (6, 0.5, 1), (6, 0.5, 6), (4, 0.5, 6)], 10, "opening 'd' of surface 'front' lies 152 mm off its plane: it is moved into it"),
    ([(4, 1e-4, 1), (6, 1e-4, 1), (6, 1e-4, 6), (4, 1e-4, 6)], 10, None),
])  # fmt: skip
def test_openings_of_gbxml_that_do_not_fit(door: Any, area: float, note: str | None, tmp_path: Path) -> None:
    pytest.importorskip("mapbox_earcut")
    (tmp_path / "room.xml").write_text(_gbxml(door))
    model = import_model(tmp_path / "room.xml", space="Hall")
    assert model.notes == ([note] if note else [])
    assert model.areas()["front"] == pytest.approx(AREAS["front"] - area * 0.3048**2, rel=1e-9)
    assert model.areas().get("NonSlidingDoor", 0) == pytest.approx(area * 0.3048**2, rel=1e-9)
    assert model.volume() == pytest.approx(VOLUME, rel=1e-9)


def test_a_unit_that_gbxml_states_and_does_not_mean(tmp_path: Path) -> None:
    pytest.importorskip("mapbox_earcut")
    text = _gbxml([(4, 0, 1), (6, 0, 1), (6, 0, 6), (4, 0, 6)])
    (tmp_path / "room.xml").write_text(text.replace('lengthUnit="Feet"', 'lengthUnit="Miles"'))
    model = import_model(tmp_path / "room.xml", space="Hall")
    assert model.notes == [
        "its bounding box is 2.693e+04 x 2.112e+04 x 1.426e+04 m in the unit that the file states: are its numbers feet? Then it is "
        "5.1 x 4 x 2.7 m: export it again with that unit"
    ]


def test_a_surface_of_gbxml_without_an_area_is_left_out(tmp_path: Path) -> None:
    pytest.importorskip("mapbox_earcut")
    text = _gbxml([(4, 0, 1), (6, 0, 1), (6, 0, 6), (4, 0, 6)])
    sliver = f'<Surface id="sliver" surfaceType="InteriorWall"><AdjacentSpaceId spaceIdRef="s1"/>{_loop([(0, 0, 0), (1, 0, 0), (2, 0, 0)])}</Surface>'
    (tmp_path / "room.xml").write_text(text.replace("</Campus>", f"{sliver}</Campus>"))
    model = import_model(tmp_path / "room.xml", space="Hall")
    assert model.notes == ["surface 'sliver' has no area, or crosses itself: it is left out"]
    assert model.volume() == pytest.approx(VOLUME, rel=1e-9)


def test_spaces_of_one_name_are_listed_by_identifier(tmp_path: Path) -> None:
    text = _gbxml([(4, 0, 1), (6, 0, 1), (6, 0, 6), (4, 0, 6)]).replace("<Name>Foyer<", "<Name>Hall<")
    (tmp_path / "same.xml").write_text(text)
    with pytest.raises(rf.SceneError, match=r"2 spaces are named 'Hall'\n.*space = one of 's1' \(Hall\), 's2' \(Hall\), or an identifier"):
        import_model(tmp_path / "same.xml", space="Hall")
    spaces = "".join(f'<Space id="o{i:02}"><Name>Office {i:02}</Name></Space>' for i in range(60))
    (tmp_path / "many.xml").write_text(text.replace("</Building>", f"{spaces}</Building>"))
    with pytest.raises(rf.SceneError, match=r"it has several spaces\n.*one of 'Office 00', .*'Office 39' and 22 more, or an identifier"):
        import_model(tmp_path / "many.xml")


def test_a_scene_to_begin_from(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    trimesh = pytest.importorskip("trimesh")
    faces, names = _triangles()
    scene = trimesh.Scene()
    for name, new in {"floor": "Heavy carpet", "ceiling": "Plasterboard", "front": 'brick "painted"'}.items():
        kept = [face for face, one in zip(faces, names) if one == name or (name == "front" and one not in ("floor", "ceiling"))]
        part = trimesh.Trimesh(CORNERS, kept, process=False)
        part.visual = trimesh.visual.TextureVisuals(material=trimesh.visual.material.PBRMaterial(name=new))
        scene.add_geometry(part, geom_name=new, node_name=new)
    scene.export(tmp_path / "room.glb")
    arguments = [str(tmp_path / "room.glb"), "-o", str(tmp_path / "room.toml"), "--up", "z"]
    assert main(arguments) == 0
    said = capsys.readouterr().out
    assert "room.toml" in said and "Heavy carpet" in said
    made = rf.Scene.from_toml(tmp_path / "room.toml")
    assert made.document["room"]["walls"] == {
        "Heavy carpet": "carpet-heavy", "Plasterboard": "plasterboard", 'brick "painted"': "brick-painted",
    }  # fmt: skip
    source, receiver = (made.document[kind][0]["position"] for kind in ("source", "receiver"))
    assert all(0.3 < x < side - 0.3 for place in (source, receiver) for x, side in zip(place, SIDES)) and source != receiver
    assert main(arguments) == 5 and "exists already" in capsys.readouterr().err
    assert main([str(tmp_path / "room.toml"), "-o", str(tmp_path / "a.toml")]) == 2
    assert "room.toml: the format .toml is not read here" in capsys.readouterr().err


def test_hints_of_the_command_are_its_options(tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    def said(*more: str) -> str:
        assert main([str(tmp_path / "room.xml"), "-o", str(tmp_path / "room.toml"), *more]) != 0
        text = capsys.readouterr().err
        assert "=True" not in text and "space =" not in text
        return text

    (tmp_path / "room.xml").write_text(_gbxml([(4, 0, 1), (6, 0, 1), (6, 0, 6), (4, 0, 6)]))
    assert "hint: --space, one of 'Foyer', 'Hall'" in said()
    faces, names = _triangles()
    monkeypatch.setattr("roomfdtd.models.__main__.import_model", lambda *given, **options: model_of(CORNERS, faces, names))
    for there in ("room.toml", "room.obj"):
        (tmp_path / there).write_text("kept")
        assert f"{there}: exists already and is kept" in (text := said()) and "use --force to replace it" in text
        (tmp_path / there).unlink()
    with pytest.raises(rf.FileError, match="use force=True to replace it"):
        (tmp_path / "room.obj").write_text("kept")
        model_of(CORNERS, faces, names).save(tmp_path / "room.toml")


def test_the_program_names_this_way(root: Path, tmp_path: Path) -> None:
    source = (root / "scenes/mesh/python_models.cpp").read_text(encoding="utf-8")
    listed = set(re.findall(r'"(\.\w+)"', source[source.index("suffixes = {") : source.index("};", source.index("suffixes = {"))]))
    own = {".obj", ".stl", ".ply", ".gltf", ".glb"}  # those that the program reads itself
    assert listed == set(SUFFIXES) - own


def test_the_page_runs_as_it_stands(root: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("mapbox_earcut")
    monkeypatch.chdir(tmp_path)
    text = _gbxml([(x, 0.0, z) for x, z in ((4, 1), (6, 1), (6, 6), (4, 6))]).replace("<Name>Hall<", "<Name>Auditorium<")
    (tmp_path / "hall.xml").write_text(text.replace("<Name>floor<", "<Name>Carpet<"))
    (tmp_path / "materials.csv").write_text("name,125,250,500,1000,2000,4000\nGypsum board,0.28,0.22,0.17,0.09,0.1,0.11\n")
    page = (root / "docs/how-to/models.md").read_text(encoding="utf-8")
    first, second = re.findall(r"```python\n(.*?)```", page, re.S)
    assert "hall.ifc" in first  # whose library ./go python does not install; gbXML has spaces as well
    names: dict[str, Any] = {}
    exec(first.replace("hall.ifc", "hall.xml"), names)
    exec(second, names)
    walls = names["room"].walls
    assert walls["Carpet"] == "carpet-heavy" and walls["default"] == "plasterboard"
    plan = rf.Scene.from_toml("hall.toml").plan(overrides=["simulation.max_frequency=100"])
    assert plan["mesh"]["volume"] == pytest.approx(VOLUME, rel=1e-6)
    assert "[materials." in (tmp_path / "hall.toml").read_text()
    listed = page.partition("## Materials")[0].lower()
    assert all(suffix[1:] in listed for suffix in SUFFIXES if suffix != ".glb")
