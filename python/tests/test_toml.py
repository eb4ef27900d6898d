"""Scenes as TOML: what is written is what is read."""

import tomllib

import numpy as np
import pytest
from roomfdtd import SceneError, _toml


def test_documents_come_back() -> None:
    document = {
        "schema": 1,
        "simulation": {"duration": 0.5, "max_frequency": 1e3, "stop": {"decay_db": 60}},
        "room": {"box": [5.0, 4.0, 3.0], "walls": {"default": "plaster", "left wall": "a \"quoted\" \\ name"}},
        "materials": {"a.b": {"absorption": {"bands": [125, 250], "alpha": [0.1, 0.2]}}, "rigid": {"rigid": True}},
        "source": [{"name": "S1", "position": [1.0, 2.0, 1.5]}, {"name": "S2", "position": [0.1, 1e-9, 3.0]}],
        "receiver": [{"name": "\u00fc\t\x7f", "grid": {"from": [0, 0, 0], "count": [1, 2, 3]}}],
        "output": {"snapshots": [{"plane": "z", "every": 0.001}], "raw": False},
    }
    assert tomllib.loads(_toml.dumps(document)) == document


def test_numbers_keep_every_bit() -> None:
    values = [0.1, 1 / 3, 1e300, -5e-324, float("inf")]
    assert tomllib.loads(_toml.dumps({"values": np.array(values)}))["values"] == values
    assert _toml.dumps({"one": np.float64(2.0), "two": np.int64(3)}) == "one = 2.0\ntwo = 3\n"


def test_other_values_are_refused() -> None:
    with pytest.raises(TypeError, match="no value of a scene"):
        _toml.value_text([1, {2}])
    with pytest.raises(SceneError, match=r"simulation\.max_frequency: 3j of type complex is no value of a scene"):
        _toml.dumps({"simulation": {"max_frequency": 3j}})
