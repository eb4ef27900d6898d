"""Writes l_room.obj and studio.obj: rooms as a drawing program would export them, in metres, z up.

usage: make_meshes.py [FOLDER]    the scenes' own folder by default
"""

import pathlib
import sys


class Obj:
    """Facets by material, as OBJ groups them."""

    def __init__(self, about):
        self.about, self.vertices, self.facets = about, [], {}

    def facet(self, material, *corners):
        places = []
        for corner in corners:
            corner = tuple(round(x, 6) for x in corner)
            if corner not in self.vertices:
                self.vertices.append(corner)
            places.append(self.vertices.index(corner) + 1)
        self.facets.setdefault(material, []).append(places)

    def prism(self, outline, low, high, side, bottom, top):
        """An outline in x and y from z = low to high; `side` names a material, or tells it of the edge's number."""
        for i, (x, y) in enumerate(outline):
            u, v = outline[(i + 1) % len(outline)]
            self.facet(side if isinstance(side, str) else side(i), (x, y, low), (u, v, low), (u, v, high), (x, y, high))
        if bottom:
            self.facet(bottom, *((x, y, low) for x, y in reversed(outline)))
        if top:
            self.facet(top, *((x, y, high) for x, y in outline))

    def text(self):
        lines = [f"# {self.about}. Made by make_meshes.py."]
        lines += ["v " + " ".join(f"{x:g}" for x in vertex) for vertex in self.vertices]
        for material, facets in self.facets.items():
            lines.append(f"usemtl {material}")
            lines += ["f " + " ".join(map(str, facet)) for facet in facets]
        return "\n".join(lines) + "\n"


def l_room():
    obj = Obj("An L-shaped living room of 92 cubic metres with a column")
    outline = [(0, 0), (7, 0), (7, 3), (4, 3), (4, 6), (0, 6)]
    obj.prism(outline, 0, 2.8, lambda edge: "window" if edge == 5 else "wall", "floor", "ceiling")
    obj.prism([(2.8, 2.4), (3.2, 2.4), (3.2, 2.8), (2.8, 2.8)], 0, 2.8, "column", "column", "column")
    return obj


def studio():
    """A quadratic-residue diffuser of order 7 (M. R. Schroeder, JASA 65, 1979): wells as deep as n^2 mod 7 units."""
    obj = Obj("A small studio with a diffuser on its rear wall and a cloud of absorber under its ceiling")
    obj.prism([(0, 0), (4.2, 0), (4.2, 3.2), (0, 3.2)], 0, 2.6, lambda edge: "absorber" if edge == 3 else "plaster",
              "parquet", "plaster")
    unit, well, rear = 0.05, 0.1, 4.2
    profile = []
    for n in range(14):
        front = rear - 0.25 + unit * (n * n % 7)
        y = 0.9 + well * n
        if profile and profile[-1][0] == front:
            profile.pop()
            profile.append((front, y + well))
        else:
            profile += [(front, y), (front, y + well)]
    obj.prism([(rear, 0.9), *profile, (rear, 0.9 + 14 * well)], 0.6, 2.0, "wood", "wood", "wood")
    obj.prism([(0.8, 0.8), (2.4, 0.8), (2.4, 2.4), (0.8, 2.4)], 2.25, 2.4, "absorber", "absorber", "absorber")
    return obj


def main():
    folder = pathlib.Path(sys.argv[1] if len(sys.argv) > 1 else __file__)
    folder = folder if folder.is_dir() else folder.parent
    for name, obj in (("l_room.obj", l_room()), ("studio.obj", studio())):
        (folder / name).write_text(obj.text())


main()
