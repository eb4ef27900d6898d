"""Processor time of planning and of whole runs: a small box with `stencil = "auto"`, and the example scenes.

    python3 bench/plan_cost.py build/release/cli/fdtd -o bench/results/plan-cost.json

Seconds of user and system time of one process on one thread, the least of several: processor time, so that other work
on the machine counts little. Several programs, such as one built before a change, are measured by turns.
"""
import argparse
import os
import pathlib
import subprocess
import tempfile

from room_studies import write

EXAMPLES = pathlib.Path(__file__).resolve().parent.parent / "scenes" / "examples"
BOX = """schema = 1
[simulation]
duration = 0.3
max_frequency = 500.0
stencil = "auto"
[room]
box = [4.0, 3.0, 2.5]
walls = { default = "plaster" }
[materials.plaster]
absorption = { bands = [125, 250, 500, 1000], alpha = [0.14, 0.10, 0.06, 0.05] }
[[source]]
name = "S"
position = [1.0, 1.0, 1.2]
[[receiver]]
name = "R"
position = [3.0, 2.0, 1.4]
"""
AUTO = ["--set", "simulation.stencil=auto"]


def tasks(folder):
    """Name, options of each task."""
    box = folder / "box.toml"
    box.write_text(BOX)
    yield "plan, box of 30 m3 to 500 Hz, auto", ["plan", box]
    yield "the same, dispersion_error 0.013", ["plan", box, "--set", "simulation.dispersion_error=0.013"]
    yield "run, box of 30 m3 to 500 Hz, auto", ["run", box, "-o", folder / "out", "--force", "--quiet"]
    for name in ("shoebox", "l_room", "studio", "hall"):
        yield f"plan, {name}", ["plan", EXAMPLES / f"{name}.toml"]
    for name in ("shoebox", "l_room", "studio"):
        yield f"plan, {name}, auto", ["plan", EXAMPLES / f"{name}.toml", *AUTO]


def cpu_seconds(command):
    child = subprocess.Popen(command, stdout=subprocess.DEVNULL, env={**os.environ, "OMP_NUM_THREADS": "1"})
    _, status, usage = os.wait4(child.pid, 0)
    assert status == 0, f"{command} ended with {status}"
    return usage.ru_utime + usage.ru_stime


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("programs", type=pathlib.Path, nargs="+", metavar="PROGRAM")
    parser.add_argument("-o", "--output", type=pathlib.Path)
    parser.add_argument("--repeats", type=int, default=5)
    args = parser.parse_args()
    programs = {}
    for path in args.programs:
        done = subprocess.run([path.resolve(), "--version"], check=True, capture_output=True, text=True)
        programs[path.resolve()] = done.stdout.split("\n")[0]
    results = []
    with tempfile.TemporaryDirectory() as name:
        for task, options in tasks(pathlib.Path(name)):
            least = {}
            for _ in range(args.repeats):
                for program in programs:
                    least[program] = min(least.get(program, float("inf")), cpu_seconds([program, *options]))
            for program, version in programs.items():
                results.append({"task": task, "cpu_seconds": round(least[program], 3), "version": version})
                print(f"{least[program]:8.3f} s  {task}  ({version})")
    document = {"what": __doc__.splitlines()[0], "command": "bench/plan_cost.py", "processors": os.cpu_count(),
                "results": results}
    if args.output:
        write(document, args.output)


if __name__ == "__main__":
    main()
