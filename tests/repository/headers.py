#!/usr/bin/env python3
"""Every C++ header compiles alone: headers.py REPOSITORY BUILD

Each .hpp of the sources, tests and benchmarks goes to the compiler of BUILD/compile_commands.json by itself, for its syntax alone and
without precompiled headers, with the folders of includes that the build uses. A header that passes is noted in BUILD with a
digest of itself and of all headers of ours that it reaches, and not compiled again until one of them changes: some
eight minutes of one core the first time, seconds later. FDTD_HEADERS=K/N compiles every N-th header alone, from the
K-th one on. Headers of CUDA (.cuh) are left out, since they compile with nvcc alone.
Standard library only; prints each fault and ends with 1 where there is one.
"""

import concurrent.futures
import hashlib
import json
import os
import pathlib
import re
import shlex
import subprocess
import sys

FOLDERS = ("base", "bench", "cli", "engine", "python", "scenes", "stencils", "tests")
INCLUDE = re.compile(r'^\s*#\s*include\s*"([^"]+)"', re.MULTILINE)


def command_of(build):
    """The compiler, its standard, and every folder of includes and definition of a library that the build uses."""
    taken = {}  # in order, each once
    compiler = None
    for entry in json.loads((build / "compile_commands.json").read_text(encoding="utf-8")):
        if not entry["file"].endswith(".cpp"):
            continue
        words = shlex.split(entry["command"])
        if os.path.basename(words[0]) in ("ccache", "sccache"):
            words = words[1:]
        compiler = compiler or words[0]
        for word, after in zip(words, [*words[1:], ""]):
            if word == "-isystem":
                taken["-isystem", after] = True
            elif re.match(r"-I|-std=|-fopenmp$|-fPIC$|-D(?!FDTD_|NDEBUG|.*_EXPORTS)", word):
                taken[(word,)] = True
    if not compiler:
        sys.exit(f"{build}/compile_commands.json: no C++ source in it")
    return [compiler, *(word for words in taken for word in words), "-w", "-fsyntax-only", "-x", "c++", "-"]


def digest_of(header, root, command):
    """Of the command, and of the header with all files of ours that it reaches."""
    reached, next_files = {}, [header]
    while next_files:
        file = next_files.pop()
        if file in reached or not (root / file).is_file():
            continue
        reached[file] = (root / file).read_bytes()
        next_files += INCLUDE.findall(reached[file].decode("utf-8"))
    digest = hashlib.sha256(repr(command).encode())
    for file in sorted(reached):
        digest.update(file.encode() + b"\0" + reached[file] + b"\0")
    return digest.hexdigest()


def main(root, build):
    command = command_of(build)
    stamps = build / "headers-alone.json"
    passed = json.loads(stamps.read_text(encoding="utf-8")) if stamps.exists() else {}
    headers = sorted(
        p.relative_to(root).as_posix() for folder in FOLDERS for p in (root / folder).rglob("*.hpp") if p.is_file()
    )
    digests = {header: digest_of(header, root, command) for header in headers}
    first, of = map(int, os.environ.get("FDTD_HEADERS", "1/1").split("/"))
    due = [header for header in headers[first - 1 :: of] if passed.get(header) != digests[header]]

    def compile_alone(header):
        outcome = subprocess.run(
            command, input=f'#include "{header}"\n', cwd=root, capture_output=True, text=True, check=False
        )
        return header, outcome.returncode, outcome.stderr

    failed = []
    good = {header: digest for header, digest in digests.items() if passed.get(header) == digest}
    try:
        with concurrent.futures.ThreadPoolExecutor(int(os.environ.get("FDTD_JOBS", "1"))) as pool:
            for header, status, errors in pool.map(compile_alone, due):
                if status == 0:
                    good[header] = digests[header]
                    continue
                failed.append(header)
                error = next((line for line in errors.splitlines() if "error" in line), errors)
                print(f"{header}: does not compile alone: {error}", flush=True)
    finally:  # also where it is interrupted
        stamps.write_text(json.dumps(good, indent=0), encoding="utf-8")
    print(f"{len(headers)} headers, {len(due)} compiled, {len(failed)} do not compile alone")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main(pathlib.Path(sys.argv[1]).resolve(), pathlib.Path(sys.argv[2]).resolve()))
