"""Short uses of the package, and its agreement with another program."""

import re
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import roomfdtd as rf


def test_five_hundred_receivers_and_their_map_in_twelve_lines(
    root: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The page's example as it stands."""
    for module in ("matplotlib", "xarray"):
        pytest.importorskip(module)
    page = (root / "docs/how-to/python.md").read_text(encoding="utf-8")
    example = re.search(r"## A map of 500 receivers\n\n```python\n(.*?)```", page, re.S)
    assert example is not None
    assert len([line for line in example[1].splitlines() if line.strip()]) <= 12
    monkeypatch.chdir(tmp_path)
    names: dict[str, Any] = {}
    exec(example[1], names)
    result: rf.Result = names["result"]
    clarity = result.map("C50", 125)
    assert clarity.shape == (20, 25) and len(result.receivers) == 500
    assert float(np.isfinite(clarity).mean()) > 0.95
    near, far = clarity.sel(x=slice(None, 2.2)).mean(), clarity.sel(x=slice(4.0, None)).mean()
    assert float(near) > float(far)  # the direct sound is clearer near the source
    assert (tmp_path / "c50.png").stat().st_size > 5000


def test_agreement_with_image_sources() -> None:
    """A rigid box between 60 and 270 Hz against pyroomacoustics, for which image sources are exact."""
    pra = pytest.importorskip("pyroomacoustics")
    size, source, receiver, rate, seconds, limit = (4.0, 3.0, 2.5), (1.0, 1.2, 1.1), (3.0, 2.0, 1.4), 16000, 0.05, 300.0
    pra.constants.set("c", 343.0)
    pra.constants.set("rir_hpf_enable", False)
    room = pra.ShoeBox(size, fs=rate, materials=pra.Material(0.0), max_order=16)
    room.add_source(source)
    room.add_microphone(receiver)
    room.compute_rir()
    samples = int(rate * seconds)
    exact = room.rir[0][0][pra.constants.get("frac_delay_length") // 2 :][:samples]
    scene = rf.Scene(
        rf.Room.box(*size, rf.Material.rigid()),
        [source],
        [receiver],
        duration=seconds,
        max_frequency=limit,
        dispersion_error=0.0025,
        stencil="leggy-4",
        precision="f64",
        air={"sound_speed": 343.0},
        output={"sample_rate": rate, "low_cut": 0.0},
        above={"method": "none"},
    )
    ours = scene.run().response()

    def band(response: np.ndarray) -> np.ndarray:
        faded = response * np.minimum(1.0, np.arange(samples, 0, -1) / 300)
        frequencies = np.fft.rfftfreq(8192, 1 / rate)
        window = np.clip((0.9 * limit - frequencies) / 100, 0, 1) * np.clip((frequencies - 60) / 60, 0, 1)
        return np.fft.irfft(np.fft.rfft(faded, 8192) * window)[: int(0.03 * rate)]

    deviation = np.linalg.norm(band(ours) - band(exact)) / np.linalg.norm(band(exact))
    assert deviation < 0.04


def test_examples_make_valid_sofa_files(root: Path, tmp_path: Path) -> None:
    sofar = pytest.importorskip("sofar")
    coarse = {"simulation.max_frequency": 120.0, "simulation.duration": 0.05, "simulation.stencil": "leggy-2"}
    count = 0
    for path in sorted((root / "scenes/examples").glob("*.toml")):
        scene = rf.Scene.from_toml(path).replace(coarse | {"output.snapshots": []})
        for file in scene.run().to_sofa(tmp_path / path.stem):
            assert sofar.read_sofa(str(file), verify=False, verbose=False).verify(issue_handling="return") is None
            count += 1
    assert count >= 5
