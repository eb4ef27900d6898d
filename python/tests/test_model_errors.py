"""Models that cannot be read: every error has the file's name and a remedy."""

import re
import sys
import types
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import roomfdtd as rf
from roomfdtd.models import import_model


def test_files_that_are_none(tmp_path: Path) -> None:
    with pytest.raises(rf.FileError, match="there is no such file"):
        import_model(tmp_path / "room.ifc")
    with pytest.raises(rf.SceneError, match="room.dwg: the format .dwg is not read here\n.*known: .ifc"):
        import_model(tmp_path / "room.dwg")
    with pytest.raises(rf.SceneError, match="room: its name has no suffix, which states the format\n.*known: .ifc"):
        import_model(tmp_path / "room")
    (tmp_path / "folder.obj").mkdir()
    with pytest.raises(rf.FileError, match="folder.obj: it is a folder"):
        import_model(tmp_path / "folder.obj")
    for options, words in (({"up": "w"}, "up: 'w' is no axis\n.*give x"), ({"units": "yd"}, "units: 'yd' is no unit of a model\n.*give one of m")):
        with pytest.raises(rf.SceneError, match=words):
            (tmp_path / "room.obj").write_text("")
            import_model(tmp_path / "room.obj", **options)
    (tmp_path / "room.xml").write_text("<osm/>")
    with pytest.raises(rf.FileError, match="it is no gbXML: its root is osm"):
        import_model(tmp_path / "room.xml")
    with pytest.raises(rf.SceneError, match="the format states both"):
        import_model(tmp_path / "room.xml", units="cm")
    (tmp_path / "room.off").write_text("OFF\n")
    with pytest.raises(rf.SceneError, match="only IFC and gbXML have spaces"):
        import_model(tmp_path / "room.off", space="Hall")


def _refused(path: Path, content: str | bytes, *words: str) -> None:
    """An error with the file's name and a remedy, which says nothing of the code that has read it."""
    path.write_bytes(content if isinstance(content, bytes) else content.encode())
    with pytest.raises(rf.FdtdError) as caught:
        import_model(path)
    text = str(caught.value)
    assert text.startswith(f"{path}: ") and caught.value.hint, text
    assert all(word in text for word in words) and text.count(path.name) == 1, text
    assert not re.search(r"unpack|NoneType|object has no|invalid literal|could not convert", text), text


@pytest.mark.parametrize("error", [ValueError("not enough values to unpack (expected 3, got 1)"), KeyError("asset"), AttributeError("x")])
def test_errors_of_libraries_are_those_of_files(error: Exception, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def load_scene(*given: Any, **options: Any) -> Any:
        raise error

    monkeypatch.setitem(sys.modules, "trimesh", types.SimpleNamespace(load_scene=load_scene))
    _refused(tmp_path / "e.off", "e", "e.off: trimesh cannot read it\n  hint: export it again")
    denied = PermissionError(13, "Permission denied")
    monkeypatch.setitem(sys.modules, "trimesh", types.SimpleNamespace(load_scene=lambda *given, **options: (_ for _ in ()).throw(denied)))
    _refused(tmp_path / "e.off", "e", "e.off: Permission denied")


def test_models_of_corners_that_are_not_finite(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    mesh = types.SimpleNamespace(vertices=np.array([[0, 0, 0], [1, 0, 0], [0, np.nan, 0]]), faces=np.array([[0, 1, 2]]))
    graph = type("Graph", (), {"nodes_geometry": ["f"], "__getitem__": lambda self, name: (np.eye(4), name)})()
    scene = types.SimpleNamespace(graph=graph, geometry={"f": mesh})
    monkeypatch.setitem(sys.modules, "trimesh", types.SimpleNamespace(load_scene=lambda *given, **options: scene))
    _refused(tmp_path / "f.off", "OFF", "f.off: corner 2 has a coordinate that is not finite")


@pytest.mark.parametrize("module, suffix, content, words", [
    ("trimesh", "off", "e", "trimesh cannot read it"),
    ("trimesh", "off", "OFF\n3 1 0\n0 0 0\n1 0 0\n0 1 0\n3 0 1 7\n", "trimesh cannot read it"),
    ("trimesh", "off", "OFF\n3 1 0\n0 0 0\n1 0 0\n0 nan 0\n3 0 1 2\n", "corner 2 has a coordinate that is not finite"),
    ("trimesh", "ply", b"\x00" * 50, "trimesh cannot read it"),
    ("trimesh", "glb", "x", "trimesh cannot read it"),
    ("trimesh", "gltf", "{}", "it has no triangles"),
    ("trimesh", "obj", "v a b c\nf 1 1 1\n", "trimesh cannot read it"),
    ("trimesh", "stl", "solid\nfacet", "it has no triangles"),
    ("ifcopenshell", "ifc", "nonsense", "ifcopenshell cannot read it: Unable to parse"),
    ("ifcopenshell", "ifczip", "PK", "ifcopenshell cannot read it"),
    ("openskp", "skp", "no model", "openskp cannot read it"),
    ("gmsh", "msh", "$MeshFormat\nnonsense\n", "gmsh cannot read it"),
    ("gmsh", "msh", "", "it has no surface elements"),
    ("gmsh", "geo", "Point(1) = {0,", "gmsh cannot read it"),
    ("assimp_py", "3ds", "nothing", "assimp cannot read it: 3DS file is either empty or corrupt"),
    ("assimp_py", "fbx", "; FBX", "assimp cannot read it"),
    ("assimp_py", "ac", "AC3D", "assimp cannot read it"),
    ("", "xml", "<a", "it is no XML"),
    ("", "xml", "<osm/>", "it is no gbXML: its root is osm"),
    ("", "xml", "<?xml version='1.0' encoding='ell'?><gbXML/>", "the reader of XML cannot read it"),
    ("", "xml", "<gbXML lengthUnit='Ell'/>", "lengthUnit: 'Ell' is no unit of gbXML"),
    ("", "xml", "<gbXML/>", "it has no spaces"),
    ("", "xml", "<gbXML><Space id='s'/><Surface id='w'><AdjacentSpaceId spaceIdRef='s'/><PlanarGeometry><PolyLoop><CartesianPoint>"
                "<Coordinate>a</Coordinate></CartesianPoint></PolyLoop></PlanarGeometry></Surface></gbXML>", "surface 'w': three or more corners"),
])  # fmt: skip
def test_files_that_cannot_be_read(module: str, suffix: str, content: str | bytes, words: str, tmp_path: Path) -> None:
    if module:
        pytest.importorskip(module)
    _refused(tmp_path / f"broken.{suffix}", content, words)
