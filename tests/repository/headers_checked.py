"""The check that headers compile alone finds a planted violation, also one that comes later. Usage:
headers_checked.py HEADERS COMPILER
"""

import json
import os
import pathlib
import subprocess
import sys
import tempfile

with tempfile.TemporaryDirectory() as folder:
    root = pathlib.Path(folder)
    build = root / "build"
    for made in ("engine/walls", "build/generated"):
        (root / made).mkdir(parents=True)
    command = f"{sys.argv[2]} -O2 -DFDTD_ISA=x -I{root} -I{build}/generated -std=gnu++20 -o a.o -c engine/a.cpp"
    entry = {"directory": folder, "command": command, "file": f"{root}/engine/a.cpp"}
    (build / "compile_commands.json").write_text(json.dumps([entry]))
    (build / "generated" / "made.hpp").write_text("using Made = int;\n")
    base = root / "engine" / "base.hpp"
    base.write_text("#pragma once\n#include <cstddef>\n")
    (root / "engine" / "good.hpp").write_text(
        '#pragma once\n#include "engine/base.hpp"\n#include "made.hpp"\nMade f(std::size_t);\n'
    )

    def check(share="1/1"):
        outcome = subprocess.run(
            [sys.executable, sys.argv[1], str(root), str(build)],
            capture_output=True,
            text=True,
            check=False,
            env={**os.environ, "FDTD_HEADERS": share},
        )
        return outcome.returncode, outcome.stdout.splitlines()

    # In shares: none is noted as passed before its own share has been compiled.
    assert check("2/2") == (0, ["2 headers, 1 compiled, 0 do not compile alone"]), check("2/2")
    assert check() == (0, ["2 headers, 1 compiled, 0 do not compile alone"]), check()
    assert check() == (0, ["2 headers, 0 compiled, 0 do not compile alone"]), check()

    # Without its own include, though a source that includes <vector> first would compile.
    planted = root / "engine" / "walls" / "planted.hpp"
    planted.write_text("#pragma once\nstd::vector<int> f();\n")
    for _ in range(2):  # a failure is not remembered as passed
        status, lines = check()
        assert status == 1 and lines[0].startswith("engine/walls/planted.hpp: does not compile alone: "), lines
        assert lines[1] == "3 headers, 1 compiled, 1 do not compile alone", lines
    planted.unlink()

    # A header that loses what it had through another one.
    base.write_text("#pragma once\n")
    status, lines = check()
    assert status == 1 and lines[0].startswith("engine/good.hpp: does not compile alone: "), lines
print("headers: every claim holds")
