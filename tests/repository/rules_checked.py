"""The rules of form find each planted violation, and nothing in sources that keep them. Usage: rules_checked.py RULES"""

import pathlib
import subprocess
import sys
import tempfile

GOOD = {
    "engine/a.hpp": '#pragma once\n#include "engine/b.hpp"  // b.hpp, engine/b.cpp and engine/table.cu say why\n',
    "engine/b.hpp": "#pragma once\n// Of those that end, not so many; one of those that stay. Why? It does so.\n",
    "engine/b.cpp": '#include "engine/b.hpp"\n\nint f(int x) {\n' + "  ++x;\n" * 57 + "  return x;\n}\n",
    "engine/table.cu.in": "",
    "engine/checkpoint/c.cpp": "x = read_channel_names(names);\n",
    "python/a.py": 'from . import b\n\n\ndef f():\n    """See b.py."""\n    x = 1  # as python/b.py has it\n'
    + "    x += 1\n" * 58,
    "python/b.py": "def f():\n    from . import a\n",  # not where it is loaded
    "docs/a.md": "# What binds\n\nWhat is a stencil? As above:\nwhat it reads.\n\n```\nWhat is code.\n```\n",
    **{f"cli/file{number}.cpp": "" for number in range(39)},
}


def check(**changes):
    with tempfile.TemporaryDirectory() as folder:
        root = pathlib.Path(folder)
        for name, text in (GOOD | changes.get("files", {})).items():
            (root / name).parent.mkdir(parents=True, exist_ok=True)
            (root / name).write_text(text)
        outcome = subprocess.run([sys.executable, sys.argv[1], folder], capture_output=True, text=True)
        return outcome.returncode, outcome.stdout.splitlines()


THOSE = "the subject of a sentence is 'those that': name it"
SO = "'so' stands for a condition: state it"
assert check() == (0, []), check()
function = "void g(\n    int x) {\n" + "  ++x;\n" * 60 + "}\n"
for files, fault in (
    ({"cli/long.cpp": "\n" * 451}, "cli/long.cpp: 451 lines, more than 450"),
    ({"engine/c.cpp": function}, "engine/c.cpp:2: g has 62 lines, more than 60"),
    (
        {"engine/b.cpp": '#include "engine/a.hpp"\n'},
        "engine/a.hpp:2: engine/a and engine/b include each other (there: engine/b.cpp:1)",
    ),
    ({"scenes/d.hpp": "// as in engine/gone.hpp\n"}, "scenes/d.hpp:1: engine/gone.hpp: there is no such file"),
    ({"scenes/d.hpp": "int x;  // see gone.cpp\n"}, "scenes/d.hpp:1: gone.cpp: there is no such file"),
    ({"scenes/d.hpp": "// What is read.\n"}, "scenes/d.hpp:1: a sentence begins with 'What': name its subject"),
    ({"scenes/d.hpp": "// Kept; what is not.\n"}, "scenes/d.hpp:1: a sentence begins with 'What': name its subject"),
    ({"bench/c.py": "x = 1  # What is read.\n"}, "bench/c.py:1: a sentence begins with 'What': name its subject"),
    ({"docs/b.md": "# B\n\nIt is\nkept. What is\nnot goes.\n"}, "docs/b.md:3: a sentence begins with 'What': name its subject"),
    ({"docs/b.md": "- kept; what is\n  not goes.\n"}, "docs/b.md:1: a sentence begins with 'What': name its subject"),
    ({"README.md": "Kept. Those that end stay.\n"}, f"README.md:1: {THOSE}"),
    ({"scenes/d.hpp": "// Kept. Those that end stay.\n"}, f"scenes/d.hpp:1: {THOSE}"),
    ({"scenes/d.hpp": "int x;  // kept; the ones that end stay\n"}, f"scenes/d.hpp:1: {THOSE}"),
    ({"scenes/d.hpp": "int x;  // not so where the grid is coarse\n"}, f"scenes/d.hpp:1: {SO}"),
    ({"bench/c.py": "x = 1  # until that is so: see below\n"}, f"bench/c.py:1: {SO}"),
    (
        {"engine/run/c.cpp": "\nx = read_channel_name(tap.name);\n"},
        "engine/run/c.cpp:2: ask ChannelId::kind: names are read where files are",
    ),
    (
        {"cli/c.cpp": "x = read_channel_names(names);\n"},
        "cli/c.cpp:1: ask ChannelId::kind: names are read where files are",
    ),
    ({"cli/file39.cpp": "", "cli/file40.hpp": ""}, "cli: 41 sources, more than 40"),
    ({"bench/long.py": "\n" * 451}, "bench/long.py: 451 lines, more than 450"),
    ({"bench/c.py": "def g():\n" + "    x = 1\n" * 60}, "bench/c.py:1: g has 61 lines, more than 60"),
    ({"bench/c.py": '"""As in\ngone.hpp."""\n'}, "bench/c.py:2: gone.hpp: there is no such file"),
    ({"bench/c.py": "x = 1  # see gone.cpp\n"}, "bench/c.py:1: gone.cpp: there is no such file"),
    (
        {"python/b.py": "from .a import f\n"},
        "python/a.py:1: python/a and python/b include each other (there: python/b.py:1)",
    ),
):
    assert check(files=files) == (1, [fault]), (fault, check(files=files))

# A known violation that is gone has to be struck out.
with tempfile.TemporaryDirectory() as folder:
    planted = pathlib.Path(folder) / "tests" / "repository" / "rules.py"
    planted.parent.mkdir(parents=True)
    planted.write_text(pathlib.Path(sys.argv[1]).read_text())
    outcome = subprocess.run([sys.executable, str(planted), folder], capture_output=True, text=True)
    assert outcome.returncode == 1 and "is no longer so: strike it out" in outcome.stdout, outcome
print("rules: every claim holds")
