"""Models that state no unit or axis: a note where the size is that of no room, or the room lies on its side."""

from pathlib import Path
from typing import Any

import pytest
from roomfdtd.models import import_model
from roomfdtd.models.__main__ import main

pytest.importorskip("trimesh")
SIDES = ((0, 2, 3, 1), (4, 5, 7, 6), (0, 1, 5, 4), (2, 6, 7, 3), (0, 4, 6, 2), (1, 3, 7, 5))


def box(path: Path, *sides: float) -> Path:
    corners = [(i * sides[0], j * sides[1], k * sides[2]) for k in (0, 1) for j in (0, 1) for i in (0, 1)]
    lines = [f"v {x!r} {y!r} {z!r}" for x, y, z in corners] + ["f " + " ".join(str(i + 1) for i in side) for side in SIDES]
    path.write_text("\n".join(lines) + "\n")
    return path


@pytest.mark.parametrize("sides, options, note", [
    ((6000, 4000, 3000), {}, 'its bounding box is 6000 x 4000 x 3000 m: are its numbers millimetres? units = "mm" makes it 6 x 4 x 3 m'),
    ((6000, 3000, 4000), {"up": "y"}, 'its bounding box is 6000 x 4000 x 3000 m: are its numbers millimetres? units = "mm" makes it 6 x 4 x 3 m'),
    ((600, 400, 300), {}, 'its bounding box is 600 x 400 x 300 m: are its numbers centimetres? units = "cm" makes it 6 x 4 x 3 m'),
    ((236, 157, 118), {}, 'its bounding box is 236 x 157 x 118 m: are its numbers inches? units = "in" makes it 5.994 x 3.988 x 2.997 m'),
    ((6, 4, 3), {"units": "mm"}, 'its bounding box is 0.006 x 0.004 x 0.003 m: are its numbers metres? units = "m" makes it 6 x 4 x 3 m'),
    ((20, 3, 15), {}, "with z up, 120 m2 of its facets face up or down and 600 m2 face along y, like a floor and a ceiling: is that the axis "
     'that points up? up = "y" makes its bounding box 20 x 15 x 3 m'),
    ((20, 15, 3), {"up": "y"}, "with y up, 120 m2 of its facets face up or down and 600 m2 face along z, like a floor and a ceiling: is that the "
     'axis that points up? up = "z" makes its bounding box 20 x 15 x 3 m'),
    ((6, 4, 3), {}, None),
    ((19.7, 13.1, 9.8), {}, None),
    ((6000, 4000, 3000), {"units": "mm"}, None),
    ((120, 80, 25), {}, None),
    ((2.5, 30, 3), {}, None),
    ((20, 3, 15), {"up": "y"}, None),
    ((0.01, 0.01, 0.01), {}, None),  # of nothing like a room in any unit
])  # fmt: skip
def test_notes_on_units_and_axes(sides: Any, options: Any, note: str | None, tmp_path: Path) -> None:
    assert import_model(box(tmp_path / "room.obj", *sides), **options).notes == ([note] if note else [])


def test_notes_of_the_command_name_its_options(tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("roomfdtd.models._model.Model._begin", lambda *given: "wrote it")
    assert main([str(box(tmp_path / "room.obj", 6000, 4000, 3000)), "-o", str(tmp_path / "room.toml")]) == 0
    assert capsys.readouterr().out.endswith("are its numbers millimetres? --units mm makes it 6 x 4 x 3 m\n")
    assert main([str(box(tmp_path / "room.obj", 20, 3, 15)), "-o", str(tmp_path / "room.toml")]) == 0
    assert "points up? --up y makes its bounding box" in capsys.readouterr().out
