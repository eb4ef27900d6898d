"""Time and memory of a whole run of a small box by its number of receivers: plan, steps, responses, files, report.

    python3 bench/many_receivers.py build/release/cli/fdtd -o bench/results/many-receivers.json

The box of 0.8 x 0.8 x 0.7 m has 800 nodes at 1 kHz, so that the time is that of the receivers. Peak memory is the
kernel's figure for the process; `predicted` is what the program prints before it begins.
"""
import argparse
import json
import os
import pathlib
import subprocess
import tempfile
import time

from room_studies import write

COUNTS = ((10, 10, 10), (25, 20, 20), (50, 50, 40))


def scene(count):
    return f"""schema = 1
[simulation]
duration = 0.002
max_frequency = 1000.0
stencil = "leggy-4"
[room]
box = [0.8, 0.8, 0.7]
walls = {{ default = "plaster" }}
[materials.plaster]
absorption = {{ bands = [500], alpha = [0.1] }}
[[source]]
name = "S"
position = [0.1, 0.2, 0.3]
[[receiver]]
name = "r"
grid = {{ from = [0.03, 0.04, 0.05], to = [0.77, 0.76, 0.66], count = {list(count)} }}
[above]
method = "none"
"""


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("program", type=pathlib.Path)
    parser.add_argument("-o", "--output", type=pathlib.Path)
    args = parser.parse_args()
    program, results = args.program.resolve(), []
    with tempfile.TemporaryDirectory() as name:
        for count in COUNTS:
            path = pathlib.Path(name) / "box.toml"
            path.write_text(scene(count))
            plan = json.loads(subprocess.run([program, "plan", path, "--json"], check=True, capture_output=True).stdout)
            began = time.monotonic()
            child = subprocess.Popen([program, "run", path, "-o", pathlib.Path(name) / "out", "--force", "--quiet"],
                                     stdout=subprocess.DEVNULL)
            _, status, usage = os.wait4(child.pid, 0)
            seconds = time.monotonic() - began
            assert status == 0, f"the run ended with {status}"
            results.append({"receivers": count[0] * count[1] * count[2], "seconds": round(seconds, 2),
                            "cpu_seconds": round(usage.ru_utime + usage.ru_stime, 2),
                            "peak_megabytes": round(usage.ru_maxrss / 1024),
                            "predicted_seconds": round(plan["predicted_seconds"], 2),
                            "predicted_megabytes": round(plan["memory_bytes"] / 2**20)})
            print(json.dumps(results[-1]), flush=True)
    if args.output:
        write({"what": __doc__.splitlines()[0], "command": "bench/many_receivers.py", "processors": os.cpu_count(),
               "results": results}, args.output)


if __name__ == "__main__":
    main()
