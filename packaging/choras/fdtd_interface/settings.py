"""The settings of a simulation, checked: each fault is one ConfigurationError with the setting and what to write."""

from __future__ import annotations

import difflib
import math
from collections.abc import Mapping
from typing import Any

from choras_simulation_core import exceptions

DEFAULTS: dict[str, Any] = {
    "fdtd_max_frequency": 500.0,
    "fdtd_above": "auto",
    "fdtd_rays": 0,
    "fdtd_ir_length": 0.0,
    "sampling_rate": 44100,
    "fdtd_temperature": 20.0,
    "fdtd_humidity": 50.0,
    "fdtd_scattering": 0.1,
    "fdtd_seal": 0.02,
    "fdtd_sound_power": 0.01,
    "fdtd_device": "auto",
}
# As fdtd_setting.json has them, by which CHORAS' page asks; a file may come from elsewhere.
RANGES: dict[str, tuple[float, float, str]] = {
    "fdtd_max_frequency": (50, 8000, "Hz"),
    "fdtd_rays": (0, 10_000_000, ""),
    "fdtd_ir_length": (0, 20, "s"),
    "sampling_rate": (8000, 96000, "Hz"),
    "fdtd_temperature": (-20, 50, "°C"),
    "fdtd_humidity": (0, 100, "%"),
    "fdtd_scattering": (0, 1, ""),
    "fdtd_seal": (0, 0.5, "m"),
    "fdtd_sound_power": (1e-9, 100, "W"),
    "speed_of_sound": (50, 10000, "m/s"),  # of CHORAS itself
}
CHOICES = {"fdtd_above": ("auto", "none"), "fdtd_device": ("auto", "cpu")}
LEAST_RAYS = 1000


def warn(text: str) -> None:
    """CHORAS' backend logs what its container prints; its JSON file has a place for errors alone."""
    print(f"fdtd: warning: {text}", flush=True)


def number(name: str, value: Any) -> float:
    """A number that is finite, as such or as a text."""
    try:
        found = math.nan if isinstance(value, bool) else float(value)
    except (TypeError, ValueError, OverflowError):
        found = math.nan
    if not math.isfinite(found):
        raise exceptions.ConfigurationError(f"{name}: {value!r} is no number")
    return found


def read_settings(config: Mapping[str, Any]) -> dict[str, Any]:
    """Those of the file, else the defaults: texts of the choices that there are, and numbers within their ranges."""
    stated = config.get("simulationSettings") or {}
    if not isinstance(stated, dict):
        raise exceptions.ConfigurationError("simulationSettings: write an object of settings by name")
    stated = {key: value for key, value in stated.items() if value is not None and value != ""}
    for key in stated:
        if key not in DEFAULTS and key not in RANGES:
            _unknown(key)
    settings = DEFAULTS | stated
    for key in CHOICES:
        settings[key] = _choice(key, settings[key])
    for key in RANGES:
        if key in settings:
            settings[key] = _within(key, number(key, settings[key]), isinstance(DEFAULTS.get(key), int))
    if 0 < settings["fdtd_rays"] < LEAST_RAYS and settings["fdtd_above"] != "none":
        warn(f"fdtd_rays: {settings['fdtd_rays']} become {LEAST_RAYS}")
        settings["fdtd_rays"] = LEAST_RAYS
    return settings


def _unknown(key: str) -> None:
    """An error for a setting that this method might have, a warning for one of CHORAS or another method."""
    alike = difflib.get_close_matches(key, [*DEFAULTS, *RANGES], 1, 0.8)
    if not key.startswith("fdtd_"):
        warn(f"simulationSettings: {key!r} is no setting of this method and has no effect")
        return
    remedy = f"write {alike[0]}" if alike else f"known: {', '.join(sorted(DEFAULTS))}"
    raise exceptions.ConfigurationError(f"{key}: there is no such setting; {remedy}")


def _choice(key: str, value: Any) -> str:
    if value not in CHOICES[key]:
        raise exceptions.ConfigurationError(f"{key}: {value!r} is not known; write one of {', '.join(CHOICES[key])}")
    return str(value)


def _within(key: str, value: float, whole: bool) -> float:
    low, high, unit = RANGES[key]
    unit = f" {unit}" if unit else ""
    if not low <= value <= high:
        raise exceptions.ConfigurationError(f"{key}: {value:g}{unit} is out of range; write {low:g} to {high:.10g}{unit}")
    if whole and value != int(value):
        raise exceptions.ConfigurationError(f"{key}: {value!r} is no whole number")
    return int(value) if whole else value
