"""way.py counts the stays and climbs of a small tree, and refuses more than its limits. Usage: way_checked.py WAY"""

import pathlib
import subprocess
import sys
import tempfile

TREE = {
    "engine/plan.cpp": '#include "engine/choose.hpp"\n#include "engine/limits.hpp"\n#include "engine/build.hpp"\n'
    "int note(const Scene& scene, int x) {\n  return x + scene.n;\n}\n"
    "int make_plan(const Scene& scene, int target) {\n  // choose(scene) in a comment, and one that passes no scene:\n"
    "  size(1);\n  return choose(scene) + note(scene, 1) + build(scene, {1, 2});\n}\n",
    "engine/choose.cpp": '#include "engine/limits.hpp"\nint choose(const Scene& scene) {\n  Limits limits(scene);\n'
    "  return limits.wave();\n}\n",
    "engine/limits.hpp": "class Limits {\n public:\n  explicit Limits(const Scene& scene) : scene_(scene) {}\n"
    "  int wave() {\n    return channels(scene_);\n  }\n  const Scene& scene_;\n};\n",
    "engine/channels.cpp": "int channels(const Scene& scene) {\n  return scene.n;\n}\n"
    "int channels(const Scene& scene, int more) {\n  return scene.n + more;\n}\n",
    "engine/build.cpp": "int build(const Scene& scene, Pair pair) {\n  return pair.first;\n}\n",
    "scenes/scene.hpp": "struct Scene {\n  int n;\n};\n",
}


def count(tree, *options):
    with tempfile.TemporaryDirectory() as folder:
        for name, text in tree.items():
            path = pathlib.Path(folder, name)
            path.parent.mkdir(exist_ok=True)
            path.write_text(text)
        command = [sys.executable, sys.argv[1], folder, "make_plan", *options]
        outcome = subprocess.run(command, capture_output=True, text=True, check=False)
        return outcome.returncode, outcome.stdout.splitlines()


# make_plan -> choose, note, build; choose -> Limits; Limits -> channels.
assert count(TREE) == (0, ["make_plan: 5 stays in 5 sources, 0 climbs"]), count(TREE)
assert count(TREE, "--stays", "5", "--climbs", "0")[0] == 0
# build, which is read last, goes back to what stands above it.
build = TREE["engine/build.cpp"].replace("pair.first", "channels(scene, 1)")
up = {"engine/build.cpp": '#include "engine/channels.hpp"\n' + build}
counted = count(TREE | up, "--list")
assert counted[1][-2:] == [
    "engine/build.cpp:3: build -> channels, engine/channels climbs",
    "make_plan: 6 stays in 5 sources, 1 climbs",
], counted
for options in (("--stays", "5"), ("--climbs", "0"), ("--climbs-a-stay", "0.15")):
    code, lines = count(TREE | up, *options)
    assert code == 1 and f"is more than {options[0]}" in lines[-1], (options, code, lines)
assert count({"scenes/scene.hpp": TREE["scenes/scene.hpp"]})[0] == 1
