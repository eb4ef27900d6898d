"""Libraries of CATT and ODEON line by line, and the units and columns of tables."""

import warnings
from pathlib import Path
from typing import Any

import pytest
import roomfdtd as rf
from roomfdtd.models import import_materials

EIGHT = [63.0, 125.0, 250.0, 500.0, 1000.0, 2000.0, 4000.0, 8000.0]
ODEON = """Ceilings

100 Plaster, smooth
 0.02 0.02 0.03 0.03 0.04 0.04 0.03 0.03
; of a data sheet
2005\tFelt 20 mm
0,10 0,20 0,40 0,70 0,90 1,05 1,00 0,95
1 100% absorbent
1.0 1.0 1.0 1.0 1.0 1.0 1.0 1.0
"""


def read(path: Path, text: str) -> tuple[dict[str, Any], str]:
    """Tables of the materials of a text, and the notes in one."""
    path.write_text(text)
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        found = import_materials(path)
    assert len(caught) <= 1
    return {name: dict(one.table) for name, one in found.items()}, str(caught[0].message) if caught else ""


def alpha(table: Any) -> list[float]:
    return list(table["absorption"]["alpha"])


@pytest.mark.parametrize("name", ["Material.Li8", "materials.txt"])  # known by what it holds
def test_odeon(name: str, tmp_path: Path) -> None:
    found, note = read(tmp_path / name, ODEON)
    assert list(found) == ["Plaster, smooth", "Felt 20 mm", "100% absorbent"]
    assert found["Plaster, smooth"] == {"absorption": {"bands": EIGHT, "alpha": [0.02, 0.02, 0.03, 0.03, 0.04, 0.04, 0.03, 0.03]}}
    assert alpha(found["Felt 20 mm"]) == [0.1, 0.2, 0.4, 0.7, 0.9, 1.0, 1.0, 0.95]
    assert alpha(found["100% absorbent"]) == [1.0] * 8
    assert note == f"{tmp_path / name}: line 7: Felt 20 mm: coefficients up to 1.05 become 1"


def test_odd_entries_of_odeon_are_named_by_their_lines(tmp_path: Path) -> None:
    good = "7 Brick\n0.1 0.1 0.1 0.1 0.1 0.1 0.1 0.1\n"
    cases = {
        "8 Wood\n9 Cork\n0.2 0.2 0.2 0.2 0.2 0.2 0.2 0.2\n": "line 3 is left out: '8 Wood' is not of the form",
        "0.2 0.2 0.2 0.2 0.2 0.2 0.2 0.2\n": "line 3 is left out: '0.2 0.2 0.2",
        "8 Wood\n": "line 3 is left out: '8 Wood' is not",
        "0 Transparent\n0.0 0.0 0.0 0.0 0.0 0.0 0.0 0.0\n": "line 3: Transparent is left out: the number 0 is a transparent surface",
        "7 Wood\n0.2 0.2 0.2 0.2 0.2 0.2 0.2 0.2\n": "lines 1 and 3 have the number 7",
        "8 Wood\n0.2 0.2 0.2 0.2 0.2 0.2 0.2 0.2 0.5 Normal\n": "after the eighth coefficient, such as scattering, are not read",
    }
    for text, words in cases.items():
        found, note = read(tmp_path / "odd.li8", good + text)
        assert alpha(found["Brick"]) == [0.1] * 8
        assert words in note, note
    assert list(read(tmp_path / "odd.li8", good + good.replace("7", "8"))[0]) == ["Brick", "Brick (2)"]
    for text, words in {
        good + "8 Wood\n10 20 20 20 20 20 20 20\n": "line 4: Wood: 20 is no coefficient\n.*0 to 1",
        good + "8 Wood\n0.1 0.1 x 0.1 0.1 0.1 0.1 0.1\n": "line 4: Wood: 2 coefficients, 8 from 63 Hz on are needed",
        good + "8 Wood\n0.1\n": "line 4: Wood: 1 coefficient, 8 from",
        good + "8 Wood\n-0.1 0.2 0.2 0.2 0.2 0.2 0.2 0.2\n": "line 4: Wood: the coefficient -0.1 is negative",
        "nothing\n": "odd.li8: it holds no material",
        "8 Wood\n": "it holds no material: line 1 is left out: '8 Wood'",
    }.items():
        (tmp_path / "odd.li8").write_text(text)
        with pytest.raises(rf.SceneError, match=words):
            import_materials(tmp_path / "odd.li8")


def test_odd_lines_of_catt_are_named(tmp_path: Path) -> None:
    good = "; head\nABS wood = <10 10 10 10 10 10>\n"
    cases = {
        "ABS wool = 10 20 30 40 50 60": "line 3 is left out: 'ABS wool = 10 20 30 40 50 60' is not of the form ABS name = <12",
        "ABS bad <1 2 3 4 5 6>": "line 3 is left out: 'ABS bad <1 2",
        "ABS = <1 2 3 4 5 6>": "line 3 is left out",
        "ABS open <1 2": "line 3 is left out",
        "ABS half = <1 2 3 4 5 6\nABS next = <2 2 2 2 2 2>": "line 3 is left out: 'ABS half = <1 2 3 4 5 6' is not",
        "ABS door = oak {1 2 3}": "line 3: door is left out: oak is not stated before it",
        "ABS wood = <20 20 20 20 20 20>": "wood is stated in lines 2 and 3: the latter counts",
        "ABS wool = <1 2 3 4 5 6> L 10 20 30 40 50 60": "line 3: wool: 'L 10 20 30 40 50 60' is not read",
    }
    for text, words in cases.items():
        found, note = read(tmp_path / "hall.lib", good + text + "\n")
        assert words in note and "wood" in found, note
        assert ("next" in found) == ("next" in text)
    assert read(tmp_path / "hall.lib", good + "ABS door = wood {1 2 3}\nABS a = <1 2 3\n 4 5 6>\nABSENT\n")[1] == ""
    fractions = "ABS wood = <0.1 0.2 0.3 0.4 0.5 0.6>\n"
    found, note = read(tmp_path / "hall.lib", fractions)
    assert alpha(found["wood"])[0] == 0.001 and "coefficients up to 0.6 are percent, as CATT has them" in note
    for text, words in {
        "\nABS a = <1 2 3 4 5 6> L <10 20 30>\n": "line 2: a: 3 scattering coefficients, 6 to 8",
        "ABS a <1 2 3 4 5 6>\n": "it holds no material: line 1 is left out",
    }.items():
        (tmp_path / "hall.lib").write_text(text)
        with pytest.raises(rf.SceneError, match=words):
            import_materials(tmp_path / "hall.lib")


def test_columns_of_one_frequency_are_refused(tmp_path: Path) -> None:
    for head, words in {
        "name,125,250,500,500": "columns 4 and 5 are both of 500 Hz",
        "name,125,250 Hz,500,0.5k": "columns 4 and 5 are both of 500 Hz",
        "name,125,250,500,125,250,500": "columns 2 and 5 are both of 125 Hz",
    }.items():
        (tmp_path / "twice.csv").write_text(f"{head}\na,0.1,0.2,0.3,0.9,0.9,0.9\n")
        with pytest.raises(rf.SceneError, match=f"twice.csv: {words}\n.*one column a frequency"):
            import_materials(tmp_path / "twice.csv")


@pytest.mark.parametrize("text, first, words", [
    ("name,125,250,500\nopen,1,1,1\nb,5,10,20\n", 0.01, "coefficients up to 20 are percent"),
    ("name,125,250,500\nopen,1,1,1\nb,0.5,0.1,0.2\n", 1.0, ""),
    ("name,125,250,500\nopen,1,1,1\nb,0,1,1\n", 1.0, "all numbers are 0 or 1: 1 absorbs all sound"),
    ("name,125,250,500\nopen,1,1,1\nb,50 %,90 %,100 %\n", 1.0, "beside cells with a % sign, are 0 or 1"),
    ("name,125,250,500\nrock,1,1,2\nb,2,2,2\n", 0.01, "coefficients up to 2 are percent"),
    ("name,125,250,500\nfoam,1,1.2,2\n", 1.0, "foam: coefficients up to 2 become 1"),
    ("name (%),125,250,500\nrock,1,1,1\n", 0.01, "up to 1 are percent, as the head of the table says"),
    ("absorption in %\nname,125,250,500\nrock,1,1.5,2\n", 0.01, "coefficients up to 2 are percent"),
    ("name,125,250,500\n,%,%,%\nrock,1,1,1\n", 0.01, "as the head of the table says"),
    ("name,125,250,500\nPerforated 20 %,,,\nfoam,0.1,1,1\n", 0.1, ""),
])  # fmt: skip
def test_the_unit_is_that_of_the_whole_table(text: str, first: float, words: str, tmp_path: Path) -> None:
    found, note = read(tmp_path / "unit.csv", text)
    assert alpha(next(iter(found.values())))[0] == first
    assert words in note if words else note == ""
    assert "left out" not in note
