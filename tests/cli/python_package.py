"""Runs the tests of the Python package against a program. usage: python_package.py FDTD. The interpreter is that of
`./go python`, else the one that runs this, else the distribution's: the first with pytest, numpy and h5py; tests of what
else is missing are skipped. Ends with 77 where there is none."""
import os
import pathlib
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]


def main():
    for python in (ROOT / "build/python-venv/bin/python", sys.executable, "/usr/bin/python3"):
        wanted = "import sys, pytest, numpy, h5py; sys.exit(sys.version_info < (3, 11))"
        if not os.path.exists(python) or subprocess.run([python, "-c", wanted], stderr=subprocess.DEVNULL).returncode:
            continue
        environment = os.environ | {"FDTD_PROGRAM": os.path.abspath(sys.argv[1]), "PYTHONPATH": str(ROOT / "python")}
        options = ["-q", "-m", "not notebooks", "-p", "no:cacheprovider", ROOT / "python/tests"]
        os.chdir(ROOT)
        os.execve(python, [python, "-B", "-m", "pytest", *options], environment)
    print("skipped: no Python 3.11 with pytest, numpy and h5py")
    sys.exit(77)


main()
