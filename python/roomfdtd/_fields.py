"""Units of fields of the program's JSON documents. Written by python/json_units.py from docs/reference/json.md."""

# Figures of merit: the numbers in bands[] of `fdtd metrics --json` that result.h5 has too.
FIGURES = {
    "EDT": "s",
    "T20": "s",
    "T30": "s",
    "C50": "dB",
    "C80": "dB",
    "D50": "1",
    "Ts": "s",
    "G": "dB",
    "curvature": "%",
    "nonlinearity_T20": "‰",
    "nonlinearity_T30": "‰",
    "range": "dB",
}

# Numbers of `fdtd plan --json` and `fdtd metrics --json` in no list, and of speech.
FIELDS = {
    "courant": "1",
    "spacing": "m",
    "time_step": "s",
    "sample_rate": "Hz",
    "duration": "s",
    "max_frequency": "Hz",
    "valid_bandwidth": "Hz",
    "dispersion_error": "1",
    "points_per_wavelength": "1",
    "wall_bandwidth": "Hz",
    "wall_displacement": "m",
    "wall_error": "1",
    "sound_speed": "m/s",
    "schroeder_frequency": "Hz",
    "predicted_seconds": "s",
    "expected_efficiency": "1",
    "expected_efficiency_error": "1",
    "onset": "s",
    "analysis_low_cut": "Hz",
    "offset": "1",
    "STI": "1",
    "speech_level": "dB(A)",
    "MTI": "1",
}
