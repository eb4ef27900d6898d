"""Shared by the studies of rooms in Python: runs of the program, its octave figures, meshes, and documents of results."""

import json
import subprocess
import time

from result_lines import lines_of


def run(program, words, folder, env=None):
    """The JSON document that the program prints; RuntimeError with its message where it refuses."""
    done = subprocess.run([program, *words], cwd=folder, capture_output=True, text=True, check=False, env=env)
    if done.returncode != 0:
        raise RuntimeError(done.stderr.strip()[-600:])
    return json.loads(done.stdout)


def bands_in(document):
    """The first list of bands in a document of the program, by centre frequency."""
    if isinstance(document, dict):
        if document.get("bands") and isinstance(document["bands"][0], dict) and "T20" in document["bands"][0]:
            return {band["centre"]: band for band in document["bands"]}
        document = list(document.values())
    for one in document if isinstance(document, list) else ():
        found = bands_in(one)
        if found:
            return found
    return None


def receiver_tables(places):
    """TOML of receivers R0, R1, ... at the places."""
    return "".join(f'[[receiver]]\nname = "R{i}"\nposition = {list(at)}\n' for i, at in enumerate(places))


class Mesh:
    """Quadrilaterals by material, as OBJ."""

    def __init__(self):
        self.quads = {}

    def quad(self, material, *corners):
        self.quads.setdefault(material, []).append(corners)

    def block(self, material, low, high, inside=None):
        """A box; `inside`: materials of its six sides by name where the air is in it. A side on the floor is left out."""
        (a, b, c), (x, y, z) = low, high
        sides = {"x_min": ((a, b, c), (a, b, z), (a, y, z), (a, y, c)), "x_max": ((x, b, c), (x, y, c), (x, y, z), (x, b, z)),
                 "y_min": ((a, b, c), (x, b, c), (x, b, z), (a, b, z)), "y_max": ((a, y, c), (a, y, z), (x, y, z), (x, y, c)),
                 "z_min": ((a, b, c), (a, y, c), (x, y, c), (x, b, c)), "z_max": ((a, b, z), (x, b, z), (x, y, z), (a, y, z))}
        for name, corners in sides.items():
            if inside is None and name == "z_min" and c == 0.0:
                continue
            self.quad((inside or {}).get(name, material), *corners)

    def shell(self, x, y, z, floor="floor", ceiling="ceiling"):
        self.block("wall", (0.0, 0.0, 0.0), (x, y, z), {"z_min": floor, "z_max": ceiling})

    def moved(self, move):
        """The same surfaces with `move` of each corner."""
        other = Mesh()
        for material, quads in self.quads.items():
            for corners in quads:
                other.quad(material, *(move(corner) for corner in corners))
        return other

    def text(self):
        lines, count = [], 0
        for material, quads in self.quads.items():
            lines.append(f"usemtl {material}")
            for corners in quads:
                lines += ["v {:.9f} {:.9f} {:.9f}".format(*corner) for corner in corners]
                lines.append("f " + " ".join(str(count + i + 1) for i in range(len(corners))))
                count += len(corners)
        return "\n".join(lines) + "\n"


def begun_document(study, program, command):
    """The head of a document: what is measured, by which command, with which build, and when."""
    build = run(program, ["doctor", "--json"], None)["build"]
    return {"what": study.splitlines()[0], "command": command, "program": build,
            "date": time.strftime("%Y-%m-%d", time.gmtime())}


def write(document, file):
    file.write_text(lines_of(document), encoding="utf-8")
