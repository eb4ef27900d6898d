"""The edited scene: comments stay, steps go back and forward, a file of another program is not overwritten."""

import os

import pytest

tomlkit = pytest.importorskip("tomlkit")

from roomfdtd.errors import FileError, SceneError  # noqa: E402
from roomfdtd.studio import edits  # noqa: E402
from roomfdtd.studio.begin import box_scene  # noqa: E402
from roomfdtd.studio.document import ChangedOnDisk, SceneDocument  # noqa: E402

DOTTED = """schema = 1
simulation = { duration = 1.2, max_frequency = 1000.0 }   # s, Hz
room.box = [5.0, 4.0, 3.0]                                # m
room.walls = { default = "plaster", z_min = "carpet" }    # the floor
materials.plaster = { library = "plasterboard" }
source = [{ name = "S1", position = [1, 1, 1] }]
[[receiver]]
name = "R1"       # at the desk
position = [2, 2, 1]   # ears
"""


def test_comments_and_order_stay_where_a_value_changes(root):
    for name in ("hall", "shoebox", "l_room", "studio", "slice"):
        before = (root / f"scenes/examples/{name}.toml").read_text()
        document = SceneDocument(before)
        receiver = document.tables["receiver"][0]["name"]
        assert document.edit("move", lambda doc, at=receiver: edits.move(doc, "receiver", at, (1.25, 0.5, 1.1)))
        changed = [(a, b) for a, b in zip(before.splitlines(), document.text.splitlines(), strict=True) if a != b]
        assert len(changed) == 1 and "[1.25, 0.5, 1.1]" in changed[0][1]


def test_scenes_with_dotted_keys_and_inline_tables_are_edited():
    document = SceneDocument(DOTTED)

    def change(doc):
        edits.assign(doc, "x_max", "brick-painted")
        edits.set_key(doc, "simulation.max_frequency", 250.0)
        edits.set_key(doc, "air.temperature", 22.0)
        edits.move(doc, "receiver", "R1", (3, 3, 1))
        assert edits.add_point(doc, "source", (2, 1, 1)) == "S2"
        assert edits.add_point(doc, "receiver", (2, 1, 1)) == "R2"
        edits.define_material(doc, "felt", {"absorption": {"bands": [125, 250], "alpha": [0.1, 0.2]}})
        edits.define_material(doc, "plaster", {"rigid": True})

    assert document.edit("all", change)
    tables = document.tables
    assert tables["room"]["walls"] == {"default": "plaster", "z_min": "carpet", "x_max": "brick-painted"}
    assert tables["simulation"] == {"duration": 1.2, "max_frequency": 250.0}
    assert tables["air"] == {"temperature": 22.0}
    assert [one["name"] for one in tables["source"]] == ["S1", "S2"]
    assert tables["receiver"][0] == {"name": "R1", "position": [3.0, 3.0, 1.0]}
    assert tables["materials"] == {
        "plaster": {"rigid": True},
        "felt": {"absorption": {"bands": [125, 250], "alpha": [0.1, 0.2]}},
    }
    for comment in ("# s, Hz", "# the floor", "# at the desk", "# ears"):
        assert comment in document.text


def test_a_material_is_added_after_dotted_keys():
    dotted = DOTTED.replace("{ library = \"plasterboard\" }", "0").replace("materials.plaster =", "materials.plaster.admittance =")
    document = SceneDocument(dotted)
    document.edit("felt", lambda doc: edits.define_material(doc, "felt", {"library": "carpet-heavy"}))
    assert document.tables["materials"] == {"plaster": {"admittance": 0}, "felt": {"library": "carpet-heavy"}}
    assert document.tables["source"] == [{"name": "S1", "position": [1, 1, 1]}]


def test_points_are_renamed_and_removed_but_not_the_last_one():
    document = SceneDocument(box_scene((5, 4, 3)))
    document.edit("add", lambda doc: edits.add_point(doc, "receiver", (1, 1, 1)))
    with pytest.raises(SceneError, match="already"):
        document.edit("rename", lambda doc: edits.rename_point(doc, "receiver", "R2", "R1"))
    document.edit("rename", lambda doc: edits.rename_point(doc, "receiver", "R2", "desk"))
    document.edit("remove", lambda doc: edits.remove_point(doc, "receiver", "R1"))
    assert [one["name"] for one in document.tables["receiver"]] == ["desk"]
    with pytest.raises(SceneError, match="needs one"):
        document.edit("remove", lambda doc: edits.remove_point(doc, "receiver", "desk"))


def test_a_material_that_is_defined_again_keeps_its_scattering():
    document = SceneDocument(box_scene((5, 4, 3)) + '\n[materials.wood]\nlibrary = "wood-lining"\nscattering = 0.3\n')
    document.edit("define", lambda doc: edits.define_material(doc, "wood", {"admittance": 0.1}))
    assert document.tables["materials"]["wood"] == {"admittance": 0.1, "scattering": 0.3}


def test_edits_are_taken_back_and_made_again():
    document = SceneDocument(box_scene((5, 4, 3)))
    first = document.text
    document.edit("move S1", lambda doc: edits.move(doc, "source", "S1", (1, 1, 1)))
    document.edit("carpet", lambda doc: edits.assign(doc, "floor", "carpet-heavy"))
    last = document.text
    assert document.undo_label == "carpet" and document.redo_label == ""
    assert document.undo() == "carpet" and document.undo() == "move S1" and document.undo() == ""
    assert document.text == first and document.redo_label == "move S1"
    assert document.redo() == "move S1" and document.redo() == "carpet" and document.redo() == ""
    assert document.text == last
    document.undo()
    document.edit("other", lambda doc: edits.assign(doc, "floor", "linoleum"))
    assert document.redo_label == "", "an edit ends what could be made again"


def test_an_edit_that_fails_or_changes_nothing_leaves_no_step():
    document = SceneDocument(box_scene((5, 4, 3)))
    before, revision = document.text, document.revision
    with pytest.raises(SceneError, match="no source 'S9'"):
        document.edit("move", lambda doc: edits.move(doc, "source", "S9", (1, 1, 1)))
    assert not document.edit("same", lambda doc: edits.assign(doc, "default", "plasterboard"))
    with pytest.raises(SceneError, match="no TOML"):
        document.replace_text("typed", "schema = ")
    assert (document.text, document.revision, document.undo_label) == (before, revision, "")


def test_a_file_that_another_program_has_written_is_kept(tmp_path):
    path = tmp_path / "room.toml"
    path.write_text(box_scene((5, 4, 3)))
    document = SceneDocument.open(path)
    assert not document.dirty and not document.changed_on_disk()
    document.edit("carpet", lambda doc: edits.assign(doc, "floor", "carpet-heavy"))
    assert document.dirty
    theirs = path.read_text().replace("250.0", "300.0")
    path.write_text(theirs)
    assert document.changed_on_disk()
    with pytest.raises(ChangedOnDisk):
        document.save()
    assert path.read_text() == theirs
    assert document.reload() and "300.0" in document.text and not document.dirty
    document.undo()
    assert "carpet-heavy" in document.text, "a reload is taken back like any edit"
    document.save()
    assert path.read_text() == document.text and not document.dirty


def test_a_file_is_written_whole_with_its_permissions_and_not_over_another(tmp_path):
    path = tmp_path / "room.toml"
    path.write_text(box_scene((5, 4, 3)))
    path.chmod(0o640)
    document = SceneDocument.open(path)
    document.edit("carpet", lambda doc: edits.assign(doc, "floor", "carpet-heavy"))
    document.save()
    assert path.stat().st_mode & 0o777 == 0o640
    (tmp_path / "other.toml").write_text("schema = 1\n")
    with pytest.raises(FileError, match="exists already"):
        document.save(tmp_path / "other.toml")
    with pytest.raises(FileError, match="cannot be written"):
        document.save(tmp_path / "none/room.toml")
    assert sorted(os.listdir(tmp_path)) == ["other.toml", "room.toml"]
    assert SceneDocument(box_scene((5, 4, 3))).dirty, "a scene without a file is not saved"


def test_lines_end_as_they_did(tmp_path):
    path = tmp_path / "dos.toml"
    path.write_bytes(box_scene((5, 4, 3)).replace("\n", "\r\n").encode())
    document = SceneDocument.open(path)
    document.edit("move", lambda doc: edits.move(doc, "source", "S1", (1, 1, 1)))
    document.save()
    assert path.read_bytes().count(b"\r\n") == path.read_bytes().count(b"\n")


def test_a_scene_to_begin_from_is_planned(tmp_path):
    import roomfdtd as rf

    plan = rf.Scene.parse(box_scene((3, 2.5, 2.2)), tmp_path).plan(overrides=["simulation.max_frequency=150"])
    assert plan["valid_bandwidth"] > 100
