#!/usr/bin/env python3
"""Halves and doubles the constants of fits, one after the other: what each of them decides.

    bench/constants.py BUILD_FOLDER > bench/results/constants.json

Sources of the list below are compiled once more with their constants read from the environment and linked before the
library; bench_constants then prints the figures of each variant. Nothing is timed: any machine gives the same figures,
but for rounding. A row has the constant, its factor, and the figures; the first row is the program as it is.
"""

import datetime
import json
import os
import pathlib
import re
import shlex
import subprocess
import sys
import tempfile

from result_lines import lines_of

ROOT = pathlib.Path(__file__).resolve().parent.parent
CONSTANTS = {
    "engine/walls/wall_taps.cpp": ("pull", "reweightings", "negligible", "enough"),
    "engine/walls/grid_fit.cpp": (
        "floor_of_start",
        "phase_weight",
        "grazing_weight",
        "grazing_cosine",
        "long_wave",
        "max_of_long",
        "faint",
        "tolerable",
        "enough",
        "gain",
        "poor",
        "sharp",
        "sharp_weight",
        "reweightings",
    ),
    "engine/transducers/tap_weights.cpp": (
        "long_waves",
        "ridge",
        "velocity",
        "inside_ridge",
        "far_ridge",
        "far_away",
        "good_enough",
    ),
}
READ = """
double changed(const char* name, double value) {
  const char* const one = std::getenv("CHANGED");
  return one != nullptr && std::string(name) == one ? value * std::stod(std::getenv("FACTOR")) : value;
}
"""


def command_of(build, target):
    lines = subprocess.run(["ninja", "-C", build, "-t", "commands", target], capture_output=True, text=True, check=True)
    return lines.stdout.splitlines()[-1]


def variable(source, names):
    """The source with these constants read from the environment: {(constant): value}, text."""
    text, values = (ROOT / source).read_text(), {}
    for line in re.findall(r"^constexpr (?:double|int) .*;.*$", text, re.M):
        new = line.replace("constexpr", "const", 1)
        for name in names:
            for value in re.findall(rf"\b{name} = ([\d.e+-]+)", line):
                values[name] = float(value)
                read = f'static_cast<decltype({value})>(changed("{source}:{name}", {value}))'
                new = re.sub(rf"\b{name} = [\d.e+-]+", f"{name} = {read}", new)
        if "changed(" in new:
            text = text.replace(line, new)
    missing = set(names) - values.keys()
    if missing:
        sys.exit(f"{source} has no constants {', '.join(sorted(missing))}")
    head = "#include <cstdlib>\n#include <string>\n"
    return values, head + text.replace("namespace {\n", "namespace {\n" + READ, 1)


def program_of(build, folder):
    objects, values = [], {}
    for source, names in CONSTANTS.items():
        found, text = variable(source, names)
        values |= {(source, name): value for name, value in found.items()}
        copy = pathlib.Path(folder, source.replace("/", "_"))
        copy.write_text(text)
        compiled = command_of(build, f"engine/CMakeFiles/fdtd_engine.dir/{source.removeprefix('engine/')}.o")
        words = shlex.split(compiled.replace(str(ROOT / source), str(copy)))
        words[words.index("-o") + 1] = f"{copy}.o"
        subprocess.run(words, cwd=build, check=True)
        objects.append(f"{copy}.o")
    linked = command_of(build, "bench/bench_constants").split(" && ")
    words = next(shlex.split(part) for part in linked if " -o " in part)
    at = words.index("-o")
    words[at + 1] = f"{folder}/bench_constants"
    subprocess.run(words[:at] + objects + words[at:], cwd=build, check=True)
    return words[at + 1], values


def figures(program, constant=None, factor=1.0):
    environment = os.environ | ({"CHANGED": ":".join(constant), "FACTOR": str(factor)} if constant else {})
    outcome = subprocess.run(
        [program, str(ROOT / "bench/results/walls.json")], env=environment, capture_output=True, text=True, check=True
    )
    return json.loads(outcome.stdout)


def main(build):
    with tempfile.TemporaryDirectory() as folder:
        program, values = program_of(build, folder)
        rows = [{"source": "", "constant": "as it is", "value": None, "factor": 1.0} | figures(program)]
        for (source, name), value in values.items():
            for factor in (0.5, 2.0):
                row = {"source": source, "constant": name, "value": value, "factor": factor}
                rows.append(row | figures(program, (source, name), factor))
                print(json.dumps(rows[-1]), file=sys.stderr)
    document = {
        "what": "Figures of walls and transducers with one constant of a fit halved or doubled: bench/constants.cpp "
        "has the meaning of each.",
        "commit": subprocess.run(
            ["git", "-C", str(ROOT), "describe", "--always", "--abbrev=10"], capture_output=True, text=True
        ).stdout.strip(),
        "date": str(datetime.date.today()),
        "command": "bench/constants.py BUILD_FOLDER",
        "results": rows,
    }
    print(lines_of(document), end="")


if __name__ == "__main__":
    main(sys.argv[1])
