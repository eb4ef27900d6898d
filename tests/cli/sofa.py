"""Reads SOFA files that fdtd has written with h5py and holds them against SingleRoomSRIR 1.0 (AES69-2022): mandatory
attributes, variables, dimensions, values. usage: sofa.py FDTD. Ends with 77 where there is no h5py."""
import os
import subprocess
import sys
import tempfile

try:
    import h5py
    import numpy as np
except ImportError:
    # The distribution's interpreter may have what the first on the path has not.
    other = "/usr/bin/python3"
    if os.path.exists(other) and os.environ.get("FDTD_SOFA_AGAIN") is None:
        os.environ["FDTD_SOFA_AGAIN"] = "1"
        os.execv(other, [other] + sys.argv)
    print("skipped: no h5py")
    sys.exit(77)

SCENE = """schema = 1
[simulation]
duration = 0.03
max_frequency = 700.0
stencil = "leggy-3"
[room]
box = [2.3, 1.9, 1.4]
[room.walls]
default = "plaster"
[materials.plaster]
admittance = 0.1
[[source]]
name = "S1"
position = [0.5, 0.6, 0.7]
[[source]]
name = "S2"
position = [1.0, 0.3, 1.1]
pattern = "cardioid"
direction = [0, 1, 0]
[[receiver]]
name = "R1"
position = [1.7, 1.1, 0.4]
[[receiver]]
name = "R2"
position = [2.2, 1.8, 1.3]
pattern = "figure-eight"
direction = [0, 1, 1]
[[receiver]]
name = "A"
position = [1.2, 1.1, 0.8]
pattern = "ambisonic"
order = 2
[[receiver]]
name = "H"
position = [1.2, 1.1, 0.8]
pattern = "binaural"
order = 2
hrtf = "head.sofa"
direction = [0, 1, 0]
rotations = [0, 90]
"""

ATTRIBUTES = {
    "Conventions": "SOFA", "Version": None, "SOFAConventions": "SingleRoomSRIR", "SOFAConventionsVersion": "1.0",
    "DataType": "FIR", "RoomType": "shoebox", "Title": None, "DateCreated": None, "DateModified": None,
    "APIName": None, "APIVersion": None, "AuthorContact": None, "Organization": None, "License": None,
    "DatabaseName": None, "ListenerDescription": None, "SourceDescription": None,
}

# Dimensions by their letters, type and units.
VARIABLES = {
    "ListenerPosition": ("MC", "cartesian", "metre"), "ListenerView": ("MC", "cartesian", "metre"),
    "ListenerUp": ("IC", None, None), "SourcePosition": ("MC", "cartesian", "metre"),
    "SourceView": ("MC", "cartesian", "metre"), "SourceUp": ("IC", None, None),
    "EmitterPosition": ("ECI", "cartesian", "metre"), "ReceiverPosition": ("RCI", "?", "?"),
    "RoomCornerA": ("IC", None, None), "RoomCornerB": ("IC", None, None), "RoomCorners": ("II", "cartesian", "metre"),
    "Data.IR": ("MRN", None, None), "Data.SamplingRate": ("I", None, "hertz"), "Data.Delay": ("IR", None, None),
}


def text(value):
    return value.decode() if isinstance(value, bytes) else str(value)


def check(condition, what):
    if not condition:
        sys.exit("sofa.py: " + what)


def attributes_of(thing):
    return {name: text(value) for name, value in thing.attrs.items() if isinstance(value, (bytes, str))}


def write_head(path):
    """Two ears without a head between them, from 60 directions all round."""
    i = np.arange(60) + 0.5
    z, turn = 1 - i / 30, np.pi * (1 + 5**0.5) * i
    towards = np.stack([np.sqrt(1 - z * z) * np.cos(turn), np.sqrt(1 - z * z) * np.sin(turn), z], axis=1)
    samples = np.zeros((60, 2, 64))
    for ear, side in enumerate((1, -1)):
        late = 30 - side * towards[:, 1] * 0.0875 / 343 * 44100
        samples[:, ear] = np.sinc(np.arange(64) - late[:, np.newaxis])
    with h5py.File(path, "w") as file:
        file.attrs.update({name: np.bytes_(value) for name, value in {
            "Conventions": "SOFA", "SOFAConventions": "SimpleFreeFieldHRIR", "DataType": "FIR"}.items()})
        for name, value in {"SourcePosition": 1.5 * towards, "ListenerPosition": np.zeros((1, 3)),
                            "ReceiverPosition": np.array([[[0.0], [0.09], [0.0]], [[0.0], [-0.09], [0.0]]])}.items():
            file[name] = value
            file[name].attrs.update({"Type": np.bytes_("cartesian"), "Units": np.bytes_("metre")})
        file["Data.IR"] = samples
        file["Data.SamplingRate"] = np.array([44100.0])
        file["Data.Delay"] = np.zeros((1, 2))


def read(path, sizes, receiver, up="IC"):
    file = h5py.File(path, "r")
    found = attributes_of(file)
    for name, value in ATTRIBUTES.items():
        check(name in found and found[name], f"{path}: no attribute {name}")
        check(value is None or found[name] == value, f"{path}: {name} is {found[name]}")
    for name, size in sizes.items():
        check(name in file and file[name].shape == (size,), f"{path}: dimension {name} is not {size}")
        check(text(file[name].attrs["CLASS"]) == "DIMENSION_SCALE", f"{path}: {name} is no dimension scale")
    for name, (letters, kind, units) in (VARIABLES | {"ListenerUp": (up, None, None)}).items():
        check(name in file, f"{path}: no variable {name}")
        data = file[name]
        check(data.dtype == np.float64, f"{path}: {name} is {data.dtype}")
        check(data.shape == tuple(sizes[d] for d in letters), f"{path}: {name} has the shape {data.shape}")
        scales = "".join(dim[0].name.strip("/") for dim in data.dims)
        check(scales == letters, f"{path}: {name} lies on {scales}")
        if name == "ReceiverPosition":
            kind, units = receiver
        found = attributes_of(data)
        check(kind is None or found.get("Type") == kind, f"{path}: type of {name} is {found.get('Type')}")
        check(units is None or found.get("Units") == units, f"{path}: units of {name} are {found.get('Units')}")
        check(np.all(np.isfinite(data[()])), f"{path}: {name} is not finite")
    return file


def main():
    with tempfile.TemporaryDirectory() as folder:
        check_run(folder)
        check_mesh(folder)


def check_mesh(folder):
    """A room that is no box names the file with its geometry."""
    corners = [(x, y, z) for x in (0, 2) for y in (0, 1.5) for z in (0, 1.2)]
    faces = [(1, 2, 4, 3), (5, 6, 8, 7), (1, 2, 6, 5), (3, 4, 8, 7), (1, 3, 7, 5), (2, 4, 8, 6)]
    with open(os.path.join(folder, "room.obj"), "w") as out:
        out.writelines(f"v {x} {y} {z}\n" for x, y, z in corners)
        out.writelines(f"f {a} {b} {c} {d}\n" for a, b, c, d in faces)
    scene = os.path.join(folder, "mesh.toml")
    with open(scene, "w") as out:
        out.write("""schema = 1
simulation = { duration = 0.02, max_frequency = 500.0, stencil = "leggy-2" }
room = { mesh = "room.obj", walls = { default = "plasterboard" } }
source = [{ name = "S", position = [0.5, 0.5, 0.5] }]
receiver = [{ name = "R", position = [1.5, 1.0, 0.7] }]
""")
    subprocess.run([sys.argv[1], "run", scene, "-o", os.path.join(folder, "mesh"), "--sofa", "--quiet"], check=True,
                   stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    with h5py.File(os.path.join(folder, "mesh", "responses.sofa"), "r") as file:
        check(text(file.attrs["RoomType"]) == "dae", "a mesh is a shoebox")
        geometry = text(file.attrs.get("RoomGeometry", ""))
        check(os.path.exists(os.path.join(folder, "mesh", geometry or "?")), "no file has the geometry of the room")


def check_run(folder):
    scene = os.path.join(folder, "scene.toml")
    with open(scene, "w") as out:
        out.write(SCENE)
    write_head(os.path.join(folder, "head.sofa"))
    subprocess.run([sys.argv[1], "run", scene, "-o", os.path.join(folder, "out"), "--sofa", "--quiet"], check=True,
                   stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    samples = 1440
    one = read(os.path.join(folder, "out", "responses.sofa"),
               {"I": 1, "C": 3, "E": 1, "R": 1, "M": 4, "N": samples}, ("cartesian", "metre"))
    check(one["Data.SamplingRate"][0] == 48000.0, "the sampling rate is not 48000 Hz")
    listeners = [[1.7, 1.1, 0.4], [2.2, 1.8, 1.3]] * 2
    check(np.allclose(one["ListenerPosition"][()], listeners), "listeners are elsewhere")
    check(np.allclose(one["SourcePosition"][()], [[0.5, 0.6, 0.7]] * 2 + [[1.0, 0.3, 1.1]] * 2), "sources are elsewhere")
    view = one["ListenerView"][1]
    check(np.allclose(view / np.linalg.norm(view), [0, 0.5**0.5, 0.5**0.5]), "R2 looks elsewhere")
    check(np.allclose(one["SourceView"][2], [0, 1, 0]), "S2 looks elsewhere")
    check(np.allclose(one["RoomCornerB"][0], [2.3, 1.9, 1.4]), "the room has another size")
    many = read(os.path.join(folder, "out", "responses_ambisonic_2.sofa"),
                {"I": 1, "C": 3, "E": 1, "R": 9, "M": 2, "N": samples},
                ("spherical harmonics", "degree, degree, metre"))
    ears = read(os.path.join(folder, "out", "responses_binaural.sofa"),
                {"I": 1, "C": 3, "E": 1, "R": 2, "M": 4, "N": samples}, ("cartesian", "metre"), "MC")
    check(np.allclose(ears["ListenerView"][()], [[0, 1, 0], [-1, 0, 0]] * 2), "the head looks elsewhere")
    check(ears["ReceiverPosition"][0, 1, 0] > 0 > ears["ReceiverPosition"][1, 1, 0], "the ears are elsewhere")
    # The same responses as in the result.
    with h5py.File(os.path.join(folder, "out", "result.h5"), "r") as result:
        def heard(name, source):
            return result[f"receivers/{name}/pressure"][source]

        for measurement, (source, name) in enumerate([(0, "R1"), (0, "R2"), (1, "R1"), (1, "R2")]):
            check(np.array_equal(one["Data.IR"][measurement, 0], heard(name, source)), f"another response of {name}")
        for source in range(2):
            for acn in range(9):
                check(np.array_equal(many["Data.IR"][source, acn], heard(f"A:{acn:02}", source)), f"another channel {acn}")
        for measurement in range(4):
            heard_there = result["ears/H/pressure"][measurement // 2, measurement % 2]
            check(np.array_equal(ears["Data.IR"][measurement], heard_there), f"other ears in measurement {measurement}")
    check(np.max(np.abs(one["Data.IR"][()])) > 1e-3, "silence")
    print("four files, as SingleRoomSRIR 1.0 asks")


main()
