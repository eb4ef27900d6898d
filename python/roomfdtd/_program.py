"""The command ``fdtd`` of the package: the program that lies in it."""

import os
import sys
from pathlib import Path


def main() -> None:
    program = Path(__file__).parent / "bin" / "fdtd"
    os.execv(program, [str(program), *sys.argv[1:]])
