#!/usr/bin/env python3
"""Every test case of a program is a test of ctest that runs it: discovered.py CTEST BUILD-FOLDER PROGRAM...

CMake reads a list of names at semicolons, but not behind a bracket that is not closed; Catch2 takes what follows a quote
at the beginning for a name of its own. A test of ctest whose name is read otherwise runs no test case, and passes.
Prints the names that are, and ends with 1 where there is one. Standard library only.
"""

import collections
import json
import re
import subprocess
import sys


def printed(*command):
    return subprocess.run(command, check=False, capture_output=True, text=True).stdout  # Catch2 2 ends with a count


def cases_of(*command):
    """How many test cases the command would run."""
    counts = re.findall(r"^(\d+) (?:matching )?test cases?$", printed(*command, "--list-tests"), re.M)
    return int(counts[-1]) if counts else 0


def main(ctest, build, *programs):
    tests = json.loads(printed(ctest, "--test-dir", build, "--show-only=json-v1"))["tests"]
    run = collections.Counter()
    status = 0
    for one in tests:
        command = one.get("command", [""])
        if command[0] not in programs:
            continue
        cases = cases_of(*command)
        run[command[0]] += cases
        if cases != 1:
            print(f"{one['name']}: {cases} test cases: no semicolon, lone bracket or first quote in a name")
            status = 1
    for program in programs:
        if (cases := cases_of(program)) != run[program]:
            print(f"{program}: {cases} test cases, ctest runs {run[program]}")
            status = 1
    return status


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
