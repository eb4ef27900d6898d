"""Processor time of planning and of whole runs: a small box with `stencil = "auto"`, and the example scenes.

    python3 bench/plan_cost.py build/release/cli/fdtd -o bench/results/plan-cost.json

Seconds of user and system time of one process on one thread, the median of several: processor time, so that other work
on the machine counts little. Several programs, such as one built before a change, are measured by turns.

    python3 bench/plan_cost.py --stages 0.0165 build/release/cli/fdtd -o bench/results/plan-stages.json

With `--stages` the stages of planning the example hall at that spacing, of which `perf` samples one thread. More
threads do not shorten the time outside of parallel regions, so that a machine of few cores shows how planning scales.
"""
import argparse
import collections
import os
import pathlib
import re
import statistics
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
WAVES = ["--set", "above.method=none"]
SWEPT = 8  # rooms of a sweep
RATE = 100  # samples a second
# Each sample counts for the first of these that it has.
STAGES = {"fdtd::secured_for": "bounds of cut voxels", "fdtd::cut_walls": "rows of cut voxels",
          "fdtd::make_boundary": "boundary", "fdtd::move_walls": "boundary", "fdtd::make_room": "voxels"}


def tasks(folder):
    """Name, options of each task."""
    box = folder / "box.toml"
    box.write_text(BOX)
    yield "plan, box of 30 m3 to 500 Hz, auto, waves alone", ["plan", box, *WAVES]
    yield "plan, box of 30 m3 to 500 Hz, auto", ["plan", box]
    yield "the same, dispersion_error 0.013", ["plan", box, "--set", "simulation.dispersion_error=0.013"]
    run = ["run", box, "-o", folder / "out", "--force", "--quiet", "--device", "cpu"]
    yield "run, box of 30 m3 to 500 Hz, .5 s, auto, waves alone", [*run, *WAVES, "--set", "simulation.duration=0.5"]
    yield "run, box of 30 m3 to 500 Hz, auto", run
    boxes = ["--draw", "room.box=[uniform(3.8, 4.6), uniform(2.8, 3.3), uniform(2.4, 2.8)]", "--runs", str(SWEPT)]
    yield f"sweep of {SWEPT} such rooms, waves alone", [
        "sweep", box, *boxes, "-o", folder / "swept", "--force", "--quiet", "--jobs", "1", "--threads", "1",
        "--device", "cpu", "--set", 'above.method=["none"]', "--set", "simulation.duration=[0.5]"]
    for name in ("shoebox", "l_room", "studio", "hall"):
        yield f"plan, {name}", ["plan", EXAMPLES / f"{name}.toml"]
    for name in ("shoebox", "l_room", "studio"):
        yield f"plan, {name}, auto", ["plan", EXAMPLES / f"{name}.toml", *AUTO]


def cpu_seconds(command):
    child = subprocess.Popen(command, stdout=subprocess.DEVNULL, env={**os.environ, "OMP_NUM_THREADS": "1"})
    _, status, usage = os.wait4(child.pid, 0)
    assert status == 0, f"{command} ended with {status}"
    return usage.ru_utime + usage.ru_stime


def function(line):
    name = line.split(None, 1)[1] if " " in line.strip() else ""
    return re.sub(r"\(.*", "", name.replace("(anonymous namespace)", ""))


def samples(data):
    """The functions of each sample, the innermost first."""
    out = subprocess.run(["perf", "script", "--no-inline", "-i", data, "-F", "ip,sym"], check=True, capture_output=True)
    stack = []
    for line in out.stdout.decode(errors="replace").split("\n"):
        if line.strip():
            stack.append(function(line))
        elif stack:
            yield stack
            stack = []


def stage_seconds(program, spacing, folder):
    data = folder / "perf.data"
    subprocess.run(["perf", "record", "-q", "-e", "cpu-clock", "-F", str(RATE), "--call-graph", "dwarf,12288", "-o", data,
                    program, "plan", EXAMPLES / "hall.toml", "--json", "--set", "simulation.max_frequency=",
                    "--set", f"simulation.grid_spacing={spacing}"],
                   check=True, stdout=subprocess.DEVNULL, env={**os.environ, "OMP_NUM_THREADS": "1"})
    seconds = collections.Counter()
    for stack in samples(data):
        stage = next((name for key, name in STAGES.items() if key in stack), "rest")
        seconds[stage, "parallel" if "GOMP_parallel" in stack else "serial"] += 1.0 / RATE
    return seconds


def stages(programs, spacing):
    """What, results: of each program the stages' seconds within parallel regions and outside of them."""
    results = []
    for program, version in programs.items():
        with tempfile.TemporaryDirectory() as name:
            seconds = stage_seconds(program, spacing, pathlib.Path(name))
        for stage in [*dict.fromkeys(STAGES.values()), "rest", "all"]:
            of = [sum(s for (name, kind), s in seconds.items() if kind == wanted and stage in (name, "all"))
                  for wanted in ("serial", "parallel")]
            results.append({"stage": stage, "serial": round(of[0], 2), "parallel": round(of[1], 2), "version": version})
            print(f"{of[0]:8.2f} s serial {of[1]:8.2f} s parallel  {stage}  ({version})")
    return results


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("programs", type=pathlib.Path, nargs="+", metavar="PROGRAM")
    parser.add_argument("-o", "--output", type=pathlib.Path)
    parser.add_argument("--repeats", type=int, default=5)
    parser.add_argument("--stages", type=float, metavar="SPACING", help="m; 0.0165: 4e8 nodes")
    args = parser.parse_args()
    programs = {}
    for path in args.programs:
        done = subprocess.run([path.resolve(), "--version"], check=True, capture_output=True, text=True)
        programs[path.resolve()] = done.stdout.split("\n")[0]
    if args.stages:
        results = stages(programs, args.stages)
        what = "Processor time of the stages of planning a large mesh, within parallel regions and outside of them."
        document = {"what": what, "command": f"bench/plan_cost.py --stages {args.stages}", "results": results}
        if args.output:
            write(document, args.output)
        return
    results = []
    with tempfile.TemporaryDirectory() as name:
        for task, options in tasks(pathlib.Path(name)):
            seconds = collections.defaultdict(list)
            for _ in range(args.repeats):
                for program in programs:
                    seconds[program].append(cpu_seconds([program, *options]))
            for program, version in programs.items():
                middle = statistics.median(seconds[program])
                results.append({"task": task, "cpu_seconds": round(middle, 4), "version": version})
                print(f"{middle:8.4f} s  {task}  ({version})")
    document = {"what": __doc__.splitlines()[0], "command": "bench/plan_cost.py", "processors": os.cpu_count(),
                "results": results}
    if args.output:
        write(document, args.output)


if __name__ == "__main__":
    main()
