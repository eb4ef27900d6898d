#!/usr/bin/env python3
"""Every test case of a program is a test of ctest: discovered.py CTEST BUILD-FOLDER PROGRAM...

CMake reads a list of names at semicolons, but not behind a bracket that is not closed: one such name takes all that
follow into a single test, which no program knows and which passes. Prints the programs with other numbers of both, and
ends with 1 where there is one. Standard library only.
"""

import json
import re
import subprocess
import sys


def printed(*command):
    return subprocess.run(command, check=False, capture_output=True, text=True).stdout  # Catch2 2 ends with a count


def main(ctest, build, *programs):
    tests = json.loads(printed(ctest, "--test-dir", build, "--show-only=json-v1"))["tests"]
    status = 0
    for program in programs:
        cases = int(re.findall(r"^(\d+) test cases?$", printed(program, "--list-tests"), re.M)[-1])
        known = sum(one.get("command", [""])[0] == program for one in tests)
        if known != cases:
            print(f"{program}: {cases} test cases, {known} of them tests of ctest: is there a name with a lone bracket?")
            status = 1
    return status


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
