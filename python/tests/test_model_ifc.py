"""Rooms of IFC: a space by its boundaries, by its shape, and building elements without a space."""

import math
import zipfile
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import roomfdtd as rf
from roomfdtd.models import import_model
from test_models import check


class Ifc:
    """A file with an L-shaped space in mm, and what bounds it."""

    def __init__(self) -> None:
        pytest.importorskip("ifcopenshell")
        import ifcopenshell.api.context
        import ifcopenshell.api.material
        import ifcopenshell.api.project
        import ifcopenshell.api.root
        import ifcopenshell.api.unit

        self.api = ifcopenshell.api
        self.file = self.api.project.create_file()
        self.api.root.create_entity(self.file, ifc_class="IfcProject", name="p")
        self.api.unit.assign_unit(self.file, length={"is_metric": True, "raw": "MILLIMETERS"})
        context = self.api.context.add_context(self.file, context_type="Model")
        self.body = self.api.context.add_context(
            self.file, context_type="Model", context_identifier="Body", target_view="MODEL_VIEW", parent=context
        )
        self.outline = [(0.0, 0.0), (5000.0, 0.0), (5000.0, 3000.0), (3000.0, 3000.0), (3000.0, 4000.0), (0.0, 4000.0)]
        self.height = 2500.0
        self.space = self.api.root.create_entity(self.file, ifc_class="IfcSpace", name="1.01")
        self.space.LongName = "Hall"
        f = self.file
        self.space.ObjectPlacement = f.createIfcLocalPlacement(
            None,
            f.createIfcAxis2Placement3D(
                self.point(1000.0, 2000.0, 300.0), f.createIfcDirection((0.0, 0.0, 1.0)), f.createIfcDirection((0.6, 0.8, 0.0))
            ),
        )
        profile = f.createIfcArbitraryClosedProfileDef("AREA", None, self.polyline(self.outline))
        solid = f.createIfcExtrudedAreaSolid(
            profile, f.createIfcAxis2Placement3D(self.point(0.0, 0.0, 0.0)), f.createIfcDirection((0.0, 0.0, 1.0)), self.height
        )
        shape = f.createIfcShapeRepresentation(self.body, "Body", "SweptSolid", [solid])
        self.space.Representation = f.createIfcProductDefinitionShape(None, None, [shape])

    def point(self, *values: float) -> Any:
        return self.file.createIfcCartesianPoint(values)

    def polyline(self, points: Any) -> Any:
        return self.file.createIfcPolyline([self.point(*one) for one in [*points, points[0]]])

    def bound(self, kind: str, material: str, origin: Any, normal: Any, along: Any, outline: Any, holes: Any = (), way: str = "plane") -> None:
        """By a plane with a border and holes, a line that is swept, or a face; the latter two of a rectangle."""
        f = self.file
        element = self.api.root.create_entity(f, ifc_class=kind, name=material)
        made = self.api.material.add_material(f, name=material)
        self.api.material.assign_material(f, products=[element], material=made)
        axes = f.createIfcAxis2Placement3D(self.point(*origin), f.createIfcDirection(normal), f.createIfcDirection(along))
        plane = f.createIfcCurveBoundedPlane(f.createIfcPlane(axes), self.polyline(outline), [self.polyline(one) for one in holes])
        (x, y), (other, _), (_, top), *_ = outline
        if way == "swept":
            line = f.createIfcArbitraryOpenProfileDef("CURVE", None, f.createIfcPolyline([self.point(x, 0.0), self.point(other, 0.0)]))
            upright = f.createIfcAxis2Placement3D(self.point(origin[0], origin[1], origin[2] + y), None, f.createIfcDirection(along))
            plane = f.createIfcSurfaceOfLinearExtrusion(line, upright, f.createIfcDirection((0.0, 0.0, 1.0)), top - y)
        elif way == "face":
            corners = [(*(a + u * b for a, b in zip(origin[:2], along[:2])), origin[2] + v) for u, v in ((x, y), (other, y), (other, top), (x, top))]
            face = f.createIfcFace([f.createIfcFaceOuterBound(f.createIfcPolyLoop([self.point(*one) for one in corners]), True)])
            plane = f.createIfcFaceBasedSurfaceModel([f.createIfcConnectedFaceSet([face])])
        f.createIfcRelSpaceBoundary(
            GlobalId=__import__("ifcopenshell").guid.new(), RelatingSpace=self.space, RelatedBuildingElement=element,
            ConnectionGeometry=f.createIfcConnectionSurfaceGeometry(plane), PhysicalOrVirtualBoundary="PHYSICAL",
            InternalOrExternalBoundary="INTERNAL",
        )  # fmt: skip

    def layer_walls(self, sense: str, offset: float) -> None:
        """Walls whose axes lie on the outline, y inwards: plaster, then concrete, along y or against it."""
        f = self.file
        layers = [f.createIfcMaterialLayer(f.createIfcMaterial(name), thickness) for name, thickness in (("plaster", 15.0), ("concrete", 185.0))]
        usage = f.createIfcMaterialLayerSetUsage(f.createIfcMaterialLayerSet(layers), "AXIS2", sense, offset)
        walls = f.by_type("IfcWall")
        self.api.material.unassign_material(f, products=walls)
        f.createIfcRelAssociatesMaterial(__import__("ifcopenshell").guid.new(), RelatedObjects=walls, RelatingMaterial=usage)
        for wall, start, stop in zip(walls, self.outline, [*self.outline[1:], self.outline[0]]):
            length = math.dist(start, stop)
            along = f.createIfcDirection(((stop[0] - start[0]) / length, (stop[1] - start[1]) / length, 0.0))
            axes = f.createIfcAxis2Placement3D(self.point(*start, 0.0), f.createIfcDirection((0.0, 0.0, 1.0)), along)
            wall.ObjectPlacement = f.createIfcLocalPlacement(self.space.ObjectPlacement, axes)

    def bound_all(self, holes: bool = True) -> None:
        window = [(1000.0, 900.0), (2000.0, 900.0), (2000.0, 2000.0), (1000.0, 2000.0)]
        for i, start in enumerate(self.outline):
            stop = self.outline[(i + 1) % 6]
            length = math.dist(start, stop)
            along = ((stop[0] - start[0]) / length, (stop[1] - start[1]) / length, 0.0)
            outwards = (along[1], -along[0], 0.0)
            wall = [(0.0, 0.0), (length, 0.0), (length, self.height), (0.0, self.height)]
            self.bound("IfcWall", "brick", (*start, 0.0), outwards, along, wall, [window] if i == 0 and holes else [])
            if i == 0:
                self.bound("IfcWindow", "glass", (*start, 0.0), outwards, along, window)
        self.bound("IfcSlab", "parquet", (0.0, 0.0, 0.0), (0.0, 0.0, 1.0), (1.0, 0.0, 0.0), self.outline)
        self.bound("IfcSlab", "tiles", (0.0, 0.0, self.height), (0.0, 0.0, 1.0), (1.0, 0.0, 0.0), self.outline)


def test_a_space_of_ifc_by_its_boundaries(tmp_path: Path) -> None:
    made = Ifc()
    made.bound_all()
    made.file.write(str(tmp_path / "room.ifc"))
    model = import_model(tmp_path / "room.ifc")
    check(model, {"brick": 18 * 2.5 - 1.1, "glass": 1.1, "parquet": 18.0, "tiles": 18.0}, 18 * 2.5)
    assert model.notes == [] and import_model(tmp_path / "room.ifc", space="1.01").areas() == model.areas()
    with zipfile.ZipFile(tmp_path / "room.ifczip", "w") as packed:
        packed.write(tmp_path / "room.ifc", "room.ifc")
    assert import_model(tmp_path / "room.ifczip").areas() == model.areas()
    with pytest.raises(rf.SceneError, match="no spaces are named 'Bar'\n.*'Hall'"):
        import_model(tmp_path / "room.ifc", space="Bar")


def test_openings_that_boundaries_of_walls_cover(tmp_path: Path) -> None:
    """Walls without holes, as many programs write them: the area of a window, and of a door on the floor, is theirs alone."""
    made = Ifc()
    made.bound_all(holes=False)
    start, along, outwards = made.outline[1], (0.0, 1.0, 0.0), (1.0, 0.0, 0.0)
    door = [(500.0, 0.0), (1500.0, 0.0), (1500.0, 2100.0), (500.0, 2100.0)]
    made.bound("IfcDoor", "oak", (*start, 0.0), outwards, along, door, way="swept")
    made.file.write(str(tmp_path / "room.ifc"))
    areas = {"brick": 18 * 2.5 - 1.1 - 2.1, "glass": 1.1, "oak": 2.1, "parquet": 18.0, "tiles": 18.0}
    model = import_model(tmp_path / "room.ifc")
    check(model, areas, 18 * 2.5)
    assert model.notes == []
    pane = [(700.0, 1000.0), (1300.0, 1000.0), (1300.0, 1500.0), (700.0, 1500.0)]
    made.bound("IfcWindow", "pane", (*start, 0.0), outwards, along, pane, way="face")  # in the door
    made.bound("IfcOpeningElement", "void", (*start, 0.0), outwards, along, door)
    made.bound("IfcDoor", "oak", (*start, 0.0), outwards, along, door)  # of another level of boundaries
    made.file.write(str(tmp_path / "room.ifc"))
    model = import_model(tmp_path / "room.ifc")
    check(model, areas | {"oak": 1.8, "pane": 0.3}, 18 * 2.5)
    assert model.notes == ["space Hall: of boundaries that lie on one another one is taken (2 left out)"]


def test_a_boundary_that_fits_no_wall_spoils_its_own_plane_alone(tmp_path: Path) -> None:
    made = Ifc()
    made.bound_all(holes=False)
    start, along, outwards = made.outline[1], (0.0, 1.0, 0.0), (1.0, 0.0, 0.0)
    pane = [(2500.0, 900.0), (3500.0, 900.0), (3500.0, 2000.0), (2500.0, 2000.0)]  # the wall ends at 3000
    made.bound("IfcWindow", "pane", (*start, 0.0), outwards, along, pane)
    made.bound("IfcWall", "line", (*start, 0.0), outwards, along, [(0.0, 0.0), (1000.0, 0.0), (2000.0, 0.0)])
    made.file.write(str(tmp_path / "room.ifc"))
    model = import_model(tmp_path / "room.ifc")
    check(model, {"brick": 18 * 2.5 - 1.1, "glass": 1.1, "parquet": 18.0, "tiles": 18.0}, 18 * 2.5)
    assert model.notes == [
        "a space boundary: its 3 corners enclose no area; it is left out",
        "space Hall: its boundaries have 82.1 m2 and its shape 81 m2: 2 of its 20 triangles have the material of the boundary at their middle",
    ]
    made = Ifc()
    made.bound_all()
    made.bound("IfcWindow", "pane", (9000.0, 0.0, 0.0), outwards, along, pane)
    made.file.write(str(tmp_path / "room.ifc"))
    model = import_model(tmp_path / "room.ifc")
    check(model, {"brick": 18 * 2.5 - 1.1, "glass": 1.1, "parquet": 18.0, "tiles": 18.0}, 18 * 2.5)
    assert model.notes == ["space Hall: its boundaries have 82.1 m2 and its shape 81 m2: 1 boundary beside its faces left out"]


def test_boundaries_within_others_are_found_without_all_pairs(monkeypatch: pytest.MonkeyPatch) -> None:
    """400 walls beside one another on two sides of a building, each with a window."""
    pytest.importorskip("mapbox_earcut")
    from roomfdtd.models import _openings

    def rectangle(x: float, y: float, z: float, width: float, height: float) -> _openings.Bound:
        ring = np.array([(x, y, z), (x + width, y, z), (x + width, y, z + height), (x, y, z + height)])
        return _openings.Bound(ring, np.array([[0, 1, 2], [0, 2, 3]]), "wall", [ring])

    asked: list[int] = []
    lies_on = _openings._lies_on
    monkeypatch.setattr(_openings, "_lies_on", lambda *pair: asked.append(1) or lies_on(*pair))
    walls = [rectangle(4.0 * i, y, 0.0, 4.0, 3.0) for i in range(200) for y in (0.0, 20.0)]
    windows = [rectangle(4.0 * i + 1, y, 1.0, 1.5, 1.2) for i in range(200) for y in (0.0, 20.0)]
    made, double = _openings.apart(walls + windows)
    assert double == 0 and len(asked) == 400  # each window and the wall that its box lies in
    areas = [np.linalg.norm(np.cross(a[:, 1] - a[:, 0], a[:, 2] - a[:, 0]), axis=1).sum() / 2 for a in (one.corners[one.faces] for one in made)]
    assert areas == pytest.approx([12.0 - 1.8] * 400 + [1.8] * 400, rel=1e-12)


def test_layers_are_named_once_for_all_elements_that_have_them(tmp_path: Path) -> None:
    made = Ifc()
    made.bound_all()
    layers = made.api.material.add_material_set(made.file, name="cavity wall", set_type="IfcMaterialLayerSet")
    for name in ("plaster", "concrete"):
        layer = made.api.material.add_layer(made.file, layer_set=layers, material=made.api.material.add_material(made.file, name=name))
        made.api.material.edit_layer(made.file, layer=layer, attributes={"LayerThickness": 100.0})
    walls = made.file.by_type("IfcWall")
    made.api.material.unassign_material(made.file, products=walls)
    made.api.material.assign_material(made.file, products=walls, type="IfcMaterialLayerSet", material=layers)
    made.file.write(str(tmp_path / "room.ifc"))
    model = import_model(tmp_path / "room.ifc")
    check(model, {"plaster": 18 * 2.5 - 1.1, "glass": 1.1, "parquet": 18.0, "tiles": 18.0}, 18 * 2.5)
    assert model.notes == ["of the materials plaster, concrete the first is taken: IfcWall brick and 5 more"]


def test_names_of_faces_are_found_by_the_boxes_of_boundaries(monkeypatch: pytest.MonkeyPatch) -> None:
    """1000 faces on 1000 boundaries beside one another, and a large one behind them all."""
    from roomfdtd.models import _ifc

    def rectangle(x: float, width: float, name: str) -> _ifc.Part:
        return np.array([(x, 0, 0), (x + width, 0, 0), (x + width, 0, 3), (x, 0, 3)]), np.array([[0, 1, 2], [0, 2, 3]]), [name, name]

    bounds = [rectangle(0, 10, "wall"), *(rectangle(i / 100, 0.01, f"panel {i}") for i in range(990))]
    faces = np.array([[(x, 0, z), (x + 0.004, 0, z), (x, 0, z + 0.1)] for x, z in np.random.default_rng(1).random((1000, 2)) * [9.99, 2.8]])
    asked: list[int] = []
    holds = _ifc._holds
    monkeypatch.setattr(_ifc, "_holds", lambda *given: asked.append(1) or holds(*given))
    middles = faces.mean(axis=1)[:, 0]
    assert _ifc._names_at(faces, bounds) == [f"panel {int(x * 100)}" if x < 9.9 else "wall" for x in middles]
    assert len(asked) < 2500  # not the million of all pairs


@pytest.mark.parametrize("sense, offset, name", [
    ("NEGATIVE", 0.0, "plaster"), ("POSITIVE", -200.0, "concrete"), ("NEGATIVE", 200.0, "concrete"), ("POSITIVE", 0.0, "plaster"),
])  # fmt: skip
def test_the_layer_toward_the_space_is_taken_where_the_file_says_how_layers_lie(sense: str, offset: float, name: str, tmp_path: Path) -> None:
    made = Ifc()
    made.bound_all()
    made.layer_walls(sense, offset)
    made.file.write(str(tmp_path / "room.ifc"))
    model = import_model(tmp_path / "room.ifc")
    check(model, {name: 18 * 2.5 - 1.1, "glass": 1.1, "parquet": 18.0, "tiles": 18.0}, 18 * 2.5)
    assert model.notes == []


def test_a_unit_that_ifc_states_and_does_not_mean(tmp_path: Path) -> None:
    made = Ifc()
    made.bound_all()
    for unit in made.file.by_type("IfcSIUnit"):
        if unit.UnitType == "LENGTHUNIT":
            unit.Prefix = None  # metres
    made.file.write(str(tmp_path / "room.ifc"))
    note = "in the unit that the file states: are its numbers millimetres? Then it is 6.2 x 5.8 x 2.5 m: export it again with that unit"
    model = import_model(tmp_path / "room.ifc")
    assert len(model.notes) == 1 and model.notes[0].endswith(note)


def test_a_space_of_ifc_by_its_shape(tmp_path: Path) -> None:
    made = Ifc()
    made.file.write(str(tmp_path / "bare.ifc"))
    model = import_model(tmp_path / "bare.ifc")
    check(model, {"walls": 18 * 2.5, "floor": 18.0, "ceiling": 18.0}, 18 * 2.5)
    assert "no boundaries" in model.notes[0]
    made.bound("IfcSlab", "parquet", (0.0, 0.0, 0.0), (0.0, 0.0, 1.0), (1.0, 0.0, 0.0), made.outline)
    made.file.write(str(tmp_path / "floor.ifc"))
    model = import_model(tmp_path / "floor.ifc")
    check(model, {"walls": 18 * 2.5, "parquet": 18.0, "ceiling": 18.0}, 18 * 2.5)
    assert "boundaries have 18 m2 and its shape 81 m2" in model.notes[0]


def test_building_elements_of_ifc_where_there_are_no_spaces(tmp_path: Path) -> None:
    made = Ifc()
    slab = made.api.root.create_entity(made.file, ifc_class="IfcSlab", name="s")
    slab.ObjectPlacement, slab.Representation = made.space.ObjectPlacement, made.space.Representation
    made.api.material.assign_material(made.file, products=[slab], material=made.api.material.add_material(made.file, name="concrete"))
    made.file.remove(made.space)
    made.file.write(str(tmp_path / "elements.ifc"))
    model = import_model(tmp_path / "elements.ifc")
    check(model, {"concrete": 18 * 2.5 + 36}, 18 * 2.5)
    assert "there are no spaces" in model.notes[0]
    with pytest.raises(rf.SceneError, match="it has no spaces with a shape"):
        import_model(tmp_path / "elements.ifc", space="Hall")
