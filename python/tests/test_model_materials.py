"""Materials of other programs: text libraries of CATT, and tables."""

import warnings
from pathlib import Path
from typing import Any

import pytest
import roomfdtd as rf
from roomfdtd.models import import_materials

OCTAVES = [125.0, 250.0, 500.0, 1000.0, 2000.0, 4000.0]


def _quiet(path: Path) -> dict[str, rf.Material]:
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        return import_materials(path)


def _alpha(material: rf.Material) -> list[float]:
    found: Any = material.table["absorption"]["alpha"]
    return list(found)


def test_catt(tmp_path: Path) -> None:
    (tmp_path / "hall.geo").write_text(
        "; general\nABS wood   = <12 10 8 7 5 4>  {213 220 160}\n"
        ";ABS wood = < 1 1 1 1 1 1 >\n"
        "ABS audience = <68 75 82 85 86 86 : 87 88> L <30 40 50 60 70 80> {128 128 0} ; seats\n"
        "ABS door = wood\nABS hard = <0 0 0 0 0 0>\n"
    )
    with pytest.warns(UserWarning, match="hall.geo: bands above 8 kHz are left out$"):
        found = import_materials(tmp_path / "hall.geo")
    assert list(found) == ["wood", "audience", "door", "hard"]
    assert found["wood"].table == {"absorption": {"bands": OCTAVES, "alpha": [0.12, 0.1, 0.08, 0.07, 0.05, 0.04]}}
    assert _alpha(found["audience"])[-1] == 0.87 and found["audience"].table["absorption"]["bands"][-1] == 8000.0
    assert found["door"] == found["wood"] and found["hard"].table == {"rigid": True}
    assert found["audience"].table["scattering"]["s"] == [0.3, 0.4, 0.5, 0.6, 0.7, 0.8]
    scene = rf.Scene(rf.Room.box(5, 4, 3, {"default": found["audience"], "floor": found["hard"]}), [(1, 1, 1)], [(3, 2, 1)],
                     duration=0.1, max_frequency=100, stencil="leggy-1")  # fmt: skip
    scene.check()


def test_tables(tmp_path: Path) -> None:
    (tmp_path / "comma.csv").write_text("Nr;Name;125 Hz;250 Hz;500 Hz;1 kHz;2 kHz;4k\n1;Teppich;0,05;0,1;0,2;0,35;0,5;\n2;Vorhänge;0;0,1;0,2;0,3;0,4;0,5\n", encoding="utf-8-sig")
    found = _quiet(tmp_path / "comma.csv")
    assert found["Teppich"].table["absorption"] == {"bands": OCTAVES[:5], "alpha": [0.05, 0.1, 0.2, 0.35, 0.5]}
    assert _alpha(found["Vorhänge"]) == [0.0, 0.1, 0.2, 0.3, 0.4, 0.5]
    (tmp_path / "percent.csv").write_text("data of 2024\nname,125,250,500,1000\ncarpet,5,10,20,35\ncarpet,6 %,11 %,21 %,36 %\n")
    with pytest.warns(UserWarning, match="coefficients up to 35 are percent"):
        found = import_materials(tmp_path / "percent.csv")
    assert _alpha(found["carpet"]) == [0.05, 0.1, 0.2, 0.35] and _alpha(found["carpet (2)"]) == [0.06, 0.11, 0.21, 0.36]
    (tmp_path / "cp1252.csv").write_bytes("name,125,250,500\nHöhe,0.1,1.12,0.3\n".encode("cp1252"))
    with pytest.warns(UserWarning, match="cp1252.csv: Höhe: coefficients up to 1.12 become 1") as caught:
        assert _alpha(import_materials(tmp_path / "cp1252.csv")["Höhe"]) == [0.1, 1.0, 0.3]
    assert len(caught) == 1
    (tmp_path / "signs.tsv").write_text("name\t125\t250\t500\nfelt\t6 %\t11%\t21 %\n")
    assert _alpha(_quiet(tmp_path / "signs.tsv")["felt"]) == [0.06, 0.11, 0.21]
    (tmp_path / "twice.csv").write_text("name,125,250,500\nfelt,0.1,0.1,0.1\nfelt (3),0.3,0.3,0.3\nfelt,0.2,0.2,0.2\n")
    twice = _quiet(tmp_path / "twice.csv")
    assert {name: _alpha(one)[0] for name, one in twice.items()} == {"felt": 0.1, "felt (3)": 0.3, "felt (2)": 0.2}
    thirds = [100, 125, 160, 200, 250, 315, 400, 500, 630]
    (tmp_path / "thirds.csv").write_text("name," + ",".join(map(str, thirds)) + "\nfoam," + ",".join(str(i / 10) for i in range(9)) + "\n")
    with pytest.warns(UserWarning, match="thirds of an octave become octaves"):
        found = import_materials(tmp_path / "thirds.csv")
    assert found["foam"].table["absorption"] == {"bands": OCTAVES[:3], "alpha": [0.1, 0.4, 0.7]}


def test_a_spreadsheet(tmp_path: Path) -> None:
    openpyxl = pytest.importorskip("openpyxl")
    book = openpyxl.Workbook()
    sheet = book.active
    for row in (["Absorption"], [], ["Material", "63", 125, "250 Hz", "500 Hz"], ["Rug", 0.1, 0.25, 0.3, 1.05], ["Felt", 0.2, 0.3, 0.4, 0.5]):
        sheet.append(row)
    for cell in sheet[5][1:]:
        cell.number_format = "0 %"
    book.save(tmp_path / "lab.xlsx")
    with pytest.warns(UserWarning, match="Rug: coefficients up to 1.05 become 1"):
        found = import_materials(tmp_path / "lab.xlsx")
    assert _alpha(found["Rug"]) == [0.1, 0.25, 0.3, 1.0] and found["Rug"].table["absorption"]["bands"][0] == 63.0
    assert _alpha(found["Felt"]) == [0.2, 0.3, 0.4, 0.5]
    (tmp_path / "no.xlsx").write_bytes(b"no sheet")
    with pytest.raises(rf.FileError, match="openpyxl cannot read it"):
        import_materials(tmp_path / "no.xlsx")


def test_files_without_materials(tmp_path: Path) -> None:
    with pytest.raises(rf.FileError, match="none.csv: No such file"):
        import_materials(tmp_path / "none.csv")
    for text in ("", "a,b,c\n1,2,3\n", "ABS wood = {1 2 3}\n"):
        (tmp_path / "text.txt").write_text(text)
        with pytest.raises(rf.SceneError, match="it holds no material"):
            import_materials(tmp_path / "text.txt")
    (tmp_path / "text.txt").write_text("ABS wood = <1 2 3>\n")
    with pytest.raises(rf.SceneError, match="wood: 3 coefficients, 6 to 8"):
        import_materials(tmp_path / "text.txt")
    for words, line in {
        "text.txt: line 1: a: 'nan' is no coefficient": "ABS a = <nan 2 3 4 5 6>",
        "a: 'wide' is no scattering coefficient": "ABS a = <1 2 3 4 5 6> L <wide 1>",
        "a: the scattering coefficient -0.1 is negative": "ABS a = <1 2 3 4 5 6> L <-10 0 0 0 0 0>",
    }.items():
        (tmp_path / "text.txt").write_text(line)
        with pytest.raises(rf.SceneError, match=words):
            import_materials(tmp_path / "text.txt")
    (tmp_path / "text.csv").write_text("name,125,250,500\nodd,-0.1,0.2,0.3\n")
    with pytest.raises(rf.SceneError, match="odd: the coefficient -0.1 is negative"):
        import_materials(tmp_path / "text.csv")


@pytest.mark.parametrize("text, words", [
    ("name,125,250\na,0.1,0.2\n", r"text.csv: it has 2 frequencies \(125, 250 Hz\)\n.*3 or more are needed"),
    ("name,125,250\na,-0.1,0.2\n", "has 2 frequencies"),
    ("name,125\na,0.1\n", r"has 1 frequency \(125 Hz\)"),
    ("name,500,250,125\na,0.1,0.2,0.3\n", "its frequencies do not increase: 500, 250, 125 Hz"),
    ("name,125,250,500\na,0.1,,0.3\n", "it holds no material: a: 2 coefficients of at least 3: it is left out"),
    ("name,125,250,500\na,x,y,z\n", "it holds no material: a is left out: it has no coefficient"),
    ("name,125,250,500\n", "no row below its frequencies has coefficients"),
    ("name,12500,16000,20000\na,0.1,0.2,0.3\n", "a: it has no band up to 8 kHz"),
    ("a,b,c\n1,2,3\n", "it holds no material: no line has frequencies"),
])  # fmt: skip
def test_tables_that_cannot_be_read(text: str, words: str, tmp_path: Path) -> None:
    (tmp_path / "text.csv").write_text(text)
    with pytest.raises(rf.SceneError, match=words):
        import_materials(tmp_path / "text.csv")


def test_one_warning_names_all_that_is_left_out(tmp_path: Path) -> None:
    (tmp_path / "table.csv").write_text(
        "name,125,250,500,1000,16000\na,nan,0.2,.3,.4,\nb,-,n/a,0.3,0.4,\n,0.1,0.2,0.3,0.4,\nc,0.1,0.2,1e999,0.4,0.5\nd,x,x,x,x,\n"
        "Floors,,,,,\ne,0.1,0.2,0.3,,\n"
    )
    with pytest.warns(UserWarning) as caught:
        found = import_materials(tmp_path / "table.csv")
    assert {name: one.table["absorption"]["bands"] for name, one in found.items()} == {
        "a": [250.0, 500.0, 1000.0], "c": [125.0, 250.0, 1000.0], "e": [125.0, 250.0, 500.0],
    }  # fmt: skip
    (warning,) = caught
    for words in (
        "a: cells without a number are left out: 'nan' at 125 Hz;",
        "b: cells without a number are left out: '-' at 125 Hz, 'n/a' at 250 Hz;",
        "b: 2 coefficients of at least 3: it is left out",
        "a row has no name: it is left out",
        "c: cells without a number are left out: '1e999' at 500 Hz",
        "d is left out: it has no coefficient",
        "bands above 8 kHz are left out",
    ):
        assert words in str(warning.message)
    assert "Floors" not in str(warning.message) and "; e:" not in str(warning.message)
    (tmp_path / "one-third.csv").write_text("name,100,200,400\nfoam,0.1,0.2,0.3\n")
    with pytest.warns(UserWarning, match="thirds of an octave become octaves"):
        assert import_materials(tmp_path / "one-third.csv")["foam"].table["absorption"]["bands"] == [125.0, 250.0, 500.0]
    (tmp_path / "hall.lib").write_text("ABS door = oak\nABS wood = <1 2 3 4 5 6> L <110 0 0 0 0 0>\n")
    with pytest.warns(UserWarning, match="line 1: door is left out: oak is not stated before it; line 2: wood: scattering coefficients up to 1.1 become 1$"):
        assert list(import_materials(tmp_path / "hall.lib")) == ["wood"]
