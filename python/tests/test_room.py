"""Rooms from meshes: arrays, trimesh, files."""

import threading
from pathlib import Path

import numpy as np
import pytest
import roomfdtd as rf

CORNERS = np.array([(x, y, z) for x in (0, 2.0) for y in (0, 1.8) for z in (0, 1.6)])
# Two triangles of each side: x = 0, x = 2, y = 0, y = 1.8, z = 0, z = 1.6.
SIDES = [(0, 1, 3, 2), (4, 6, 7, 5), (0, 4, 5, 1), (2, 3, 7, 6), (0, 2, 6, 4), (1, 5, 7, 3)]
FACES = np.array([(a, b, c) for a, b, c, d in SIDES for a, b, c in ((a, b, c), (a, c, d))])
NAMES = [name for name in ("left", "right", "front", "back", "floor", "ceiling") for _ in range(2)]
POINTS = {"sources": [(0.5, 0.6, 0.7)], "receivers": [(1.4, 1.2, 0.9)]}
HOW = {"duration": 0.1, "max_frequency": 500.0, "stencil": "leggy-2"}


def test_arrays_give_the_response_of_the_box() -> None:
    walls = {"default": rf.Material.admittance(0.1), "floor": "carpet-heavy"}
    mesh = rf.Scene(rf.Room.from_mesh((CORNERS, FACES), walls, face_materials=NAMES), **POINTS, **HOW)
    materials = {entry["name"]: entry["material"] for entry in mesh.plan()["mesh"]["materials"]}
    assert materials["floor"] == "carpet-heavy" and materials["left"] == "default"
    box = rf.Scene(rf.Room.box(2.0, 1.8, 1.6, walls), **POINTS, **HOW)
    ours, theirs = mesh.run().response(), box.run().response()
    assert np.max(np.abs(theirs)) > 0.01
    assert np.max(np.abs(ours - theirs)) < 0.05 * np.max(np.abs(theirs))  # one grid has cut voxels at its walls


def test_one_mesh_a_surface() -> None:
    parts = {name: (CORNERS, FACES[[n == name for n in NAMES]]) for name in dict.fromkeys(NAMES)}
    walls = {"default": "plasterboard", "ceiling": rf.Material.rigid()}
    scene = rf.Scene(rf.Room.from_mesh(parts, walls), **POINTS, **HOW)
    areas = {entry["name"]: entry["area"] for entry in scene.plan()["mesh"]["materials"]}
    assert areas["ceiling"] == pytest.approx(2.0 * 1.8) and areas["left"] == pytest.approx(1.8 * 1.6)
    assert "<polyline" in scene._repr_html_()


def test_trimesh() -> None:
    trimesh = pytest.importorskip("trimesh")
    shell = trimesh.creation.box(bounds=[(0, 0, 0), (2.0, 1.8, 1.6)])
    assert rf.Scene(rf.Room.from_mesh(shell, "plasterboard"), **POINTS, **HOW).plan()["mesh"]["volume"] == (
        pytest.approx(2.0 * 1.8 * 1.6, rel=0.05)
    )
    furnished = trimesh.Scene()
    furnished.add_geometry(shell, geom_name="shell")
    furnished.add_geometry(trimesh.creation.box(extents=(0.4, 0.4, 0.4)), geom_name="block", node_name="first")
    for node, x in (("first", 0.5), ("second", 1.5)):  # one geometry at two places
        place = trimesh.transformations.translation_matrix((x, 1.4, 0.3))
        furnished.graph.update(frame_to=node, geometry="block", matrix=place)
    room = rf.Room.from_mesh(furnished, {"shell": "plasterboard", "block": "carpet-heavy"})
    areas = {entry["name"]: entry["area"] for entry in rf.Scene(room, **POINTS, **HOW).plan()["mesh"]["materials"]}
    assert areas["block"] == pytest.approx(2 * 6 * 0.16)
    assert len(room.surface.faces) == 12 + 2 * 12


def test_a_glb_of_trimesh_stands_upright(tmp_path: Path) -> None:
    trimesh = pytest.importorskip("trimesh")
    trimesh.creation.box(bounds=[(0, 0, 0), (5.0, 4.0, 3.0)]).export(tmp_path / "room.glb")

    def sides(name: str, up: str | None = None) -> list[float]:
        scene = rf.Scene(
            rf.Room.from_file(name, "plasterboard", up=up), [(1.0, 1.5, 0.5)], [(2.0, 2.5, 0.6)],
            duration=0.05, max_frequency=100.0, above={"method": "none"}, folder=tmp_path,
        )  # fmt: skip
        return [float(side) for side in np.ptp(scene.run().surface[0], axis=0)]

    assert sides("room.glb") == pytest.approx([5.0, 4.0, 3.0])
    data = (tmp_path / "room.glb").read_bytes().replace(b"mikedh/trimesh", b"khronosgroup/x")
    (tmp_path / "other.glb").write_bytes(data)
    with pytest.raises(rf.SceneError, match="outside"):  # y is up: from -4 to 0 m along y
        sides("other.glb")
    assert sides("other.glb", "z") == pytest.approx([5.0, 4.0, 3.0])


def test_saved_with_its_scene(tmp_path: Path) -> None:
    scene = rf.Scene(rf.Room.from_mesh((CORNERS, FACES), "plasterboard"), **POINTS, **HOW)
    path = scene.save(tmp_path / "room.toml")
    assert rf.Scene.from_toml(path).plan()["grid"] == scene.plan()["grid"]
    from_file = rf.Scene(
        rf.Room.from_file(scene.document["room"]["mesh"], "plasterboard", units="m", up="z"),
        **POINTS,
        **HOW,
        folder=tmp_path,
    )
    assert from_file.plan()["grid"] == scene.plan()["grid"]


@pytest.mark.parametrize(
    ("mesh", "message"),
    [
        (({"x": 1}, FACES), "vertices: real numbers are needed"),
        (None, "a trimesh or"),
        ((CORNERS[:, :2], FACES), "shape"),
        ((CORNERS, FACES.astype(float)), "integers"),
        ((CORNERS, FACES + 1), "vertices from 0 to 7"),
        ((CORNERS * np.nan, FACES), "finite"),
        ((CORNERS, FACES[:0]), "no faces"),
        ({}, "no surfaces"),
        ("hall.obj", "is a path"),
        ({"a\nb": (CORNERS, FACES)}, "cannot name"),
    ],
)
def test_bad_meshes_are_refused(mesh: object, message: str) -> None:
    with pytest.raises(rf.SceneError, match=message):
        rf.Room.from_mesh(mesh, "plasterboard")


def test_numbers_name_surfaces() -> None:
    numbers = [int(name in ("floor", "ceiling")) for name in NAMES]
    room = rf.Room.from_mesh((CORNERS, FACES), {0: "plasterboard", 1: "carpet-heavy"}, face_materials=np.array(numbers))
    found = rf.Scene(room, **POINTS, **HOW).plan()["mesh"]["materials"]
    assert {entry["name"]: entry["material"] for entry in found} == {"0": "plasterboard", "1": "carpet-heavy"}


def test_materials_that_no_surface_has_are_refused() -> None:
    with pytest.raises(rf.SceneError, match="'flor'") as caught:
        rf.Room.from_mesh((CORNERS, FACES), {"flor": "carpet-heavy"}, face_materials=NAMES)
    assert "floor" in caught.value.hint
    with pytest.raises(rf.SceneError, match="3 names for 12 faces"):
        rf.Room.from_mesh((CORNERS, FACES), "plasterboard", face_materials=["a"] * 3)


def test_threads_share_a_mesh_in_memory(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Its file is there whole, and as long as any of them runs."""
    many = np.concatenate([CORNERS, np.random.default_rng(1).uniform(0.1, 1.5, (40000, 3))])
    scene = rf.Scene(rf.Room.from_mesh((many, FACES), "plasterboard"), **POINTS, **HOW)
    seen: list[str] = []

    def read() -> None:
        place = Path(scene._place())
        seen.append((place / scene.document["room"]["mesh"]).read_text())

    threads = [threading.Thread(target=read) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(seen) == 8 and len(set(seen)) == 1 and scene._surface is not None
    assert seen[0] == scene._surface.obj()


def test_a_number_is_a_material() -> None:
    table = rf.Material(0.25).table["absorption"]
    assert table["alpha"] == [0.25] * 7 and table["bands"] == [125.0, 250.0, 500.0, 1000.0, 2000.0, 4000.0, 8000.0]
    assert rf.Material(0).table == {"rigid": True} and rf.Material({"rigid": True}) == rf.Material.rigid()
    assert rf.Material(np.float32(0.5)) == rf.Material(0.5)
    for wrong, hint in (("carpet", "library"), (1.2, "0 to 1"), (float("nan"), "0 to 1")):
        with pytest.raises(rf.SceneError, match=f"a material is no .*\n.*{hint}"):
            rf.Material(wrong)  # type: ignore[arg-type]


def test_a_box_by_its_reverberation_time() -> None:
    room = rf.Room.box(5, 4, 3, rt60=0.5)
    material = room.walls["default"]
    assert isinstance(material, rf.Material)
    alpha = material.table["absorption"]["alpha"][0]
    # Eyring: T = 0.161 s/m V / (-S ln(1 - alpha)).
    assert 0.1611 * 60 / (-94 * np.log(1 - alpha)) == pytest.approx(0.5, rel=1e-3)
    rf.Scene(room, **POINTS, **HOW).check()
    with pytest.raises(rf.SceneError, match="0.02 s cannot be reached.*\n.*0.034 s or more"):
        rf.Room.box(5, 4, 3, rt60=0.02)
    for wrong, why in (({}, "not None"), ({"walls": "plasterboard", "rt60": 0.5}, "one of them")):
        with pytest.raises(rf.SceneError, match=f"or rt60 is needed, {why}"):
            rf.Room.box(5, 4, 3, **wrong)  # type: ignore[arg-type]
