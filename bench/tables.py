#!/usr/bin/env python3
"""Makes the README's tables from the JSON documents under bench/results/.

    python3 bench/tables.py            rewrites README.md between its markers
    python3 bench/tables.py --check    fails when README.md is not what the data say

Each table stands between <!-- name --> and <!-- /name -->. Standard library only. A folder of bench/results/ is a machine;
every document says commit, date, machine, driver and command (cli/provenance.cpp writes them). Read here, where they are:

    accuracy.json             bench_accuracy
    <machine>/profile.json      fdtd profile --json, on a CPU: results[] with stencil, points, precision, grid, ctpn_ns, triad_ctpn_ns, eff, kernel
    <machine>/rooms.json        fdtd profile bench/room.toml --json: results[], one document of the command each; commit: of one measured again
    <machine>/compare-f32.json  fdtd compare --json, on a CPU: costs[]
    <machine>/compare.json      fdtd compare --device cuda --json FILE: results[] with stencil, points, precision, grid, kernel,
                                role (best, kernel_a, kernel_b), ctpn_ns, gpts_per_second, triad_ctpn_ns, eff; costs[]
    <machine>/tiles.json        fdtd profile --device cuda --tiles all --json FILE: results[] with prediction{best_predicted,
                                predicted, tiles, loss_of_set, loss_of_first}
    <machine>/counters.json     fdtd profile --device cuda --counters --json FILE: results[] with counters{...}
"""
import json
import pathlib
import re
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
RESULTS = ROOT / "bench" / "results"


def load(path):
    return json.loads((RESULTS / path).read_text())


def accuracy():
    """Eigenfrequency errors: a row a scheme, a column a grid."""
    data = load("accuracy.json")
    grids, rows = [], {}
    for one in data["results"]:
        grid = " x ".join(map(str, one["grid"]))
        if grid not in grids:
            grids.append(grid)
        name = one["stencil"] + (", time dispersion removed" if one["time_dispersion_removal"] else "")
        rows.setdefault((name, one["points"]), {})[grid] = one["error"]
    lines = [
        "Rigid 5 : 4 : 3 box on the grid, walls included: largest relative error of the first 20 eigenfrequencies against the exact ones"
        " (`bench_accuracy`, [data](bench/results/accuracy.json)).",
        "",
        "| stencil | points | " + " | ".join(f"{g} cells" for g in grids) + " |",
        "|---|---|" + "---|" * len(grids),
    ]
    for (name, points), errors in rows.items():
        lines.append(f"| {name} | {points} | " + " | ".join(f"{errors[g]:.1e}" for g in grids) + " |")
    return lines


def speed():
    """CTPN beside the triad on every CPU, whole rooms, and what an accuracy costs."""
    lines = []
    for path in sorted(RESULTS.glob("*/profile.json")):
        data = json.loads(path.read_text())
        lines += [f"{data['machine']}, {times(data['results'][0]['grid'])} nodes, {origin(data, path)}. The roof is the in-place leapfrog triad of the"
                  " same run, timed in turn with each stencil; several steps a sweep pass it.", "",
                  "| stencil | points | precision | CTPN, ns | Gpts/s | triad CTPN, ns | eff | kernel |", "|---|---|---|---|---|---|---|---|"]
        for one in data["results"]:
            lines.append(f"| {member(one)} | {one['points']} | {one['precision']} | {one['ctpn_ns']:.4f} | {one['gpts_per_second']:.2f}"
                         f" | {one['triad_ctpn_ns']:.4f} | {one['eff']:.2f} | {one['kernel'].split('kernel ')[1]} |")
        lines.append("")
        if (path.parent / "shared-machine.json").exists():
            lines += shared(path.parent / "shared-machine.json")
        if (path.parent / "rooms.json").exists():
            lines += rooms(path.parent / "rooms.json")
    for path in sorted(RESULTS.glob("*/compare-f32.json")):
        data = json.loads(path.read_text())
        lines += ["What an accuracy costs there: seconds of computing for a second of sound in 100 m3 up to 1 kHz, the best of each family, by"
                  f" {origin(data, path)}, before several steps a sweep.", "",
                  "| dispersion error | " + " | ".join(("leggy", "compact", "box")) + " |", "|---|---|---|---|"]
        for error in sorted({c["dispersion_error"] for c in data["costs"]}, reverse=True):
            cells = []
            for family in ("leggy", "compact", "box"):
                best = min((c for c in data["costs"] if c["dispersion_error"] == error and c["family"] == family),
                           key=lambda c: c["seconds_at_1000_hz"], default=None)
                cells.append(f"{best['seconds_at_1000_hz']:.3g} s, {best['stencil']}" if best else "none reaches it")
            lines.append(f"| {100 * error:g} % | " + " | ".join(cells) + " |")
        lines.append("")
    return lines or ["Not measured yet."]


def shared(path):
    """A later tree, measured while others used the machine."""
    data = json.loads(path.read_text())
    lines = [f"A later tree, the machine {data['machine'].split(', ')[-1]}, {origin(data, path)}, each with a search of its own:", "",
             "| stencil | precision | CTPN, ns | triad CTPN, ns | eff | kernel |", "|---|---|---|---|---|---|"]
    for one in data["results"]:
        earlier = f" (at {one['commit']})" if "commit" in one else ""
        lines.append(f"| {member(one)}{earlier} | {one['precision']} | {one['ctpn_ns']:.4f} | {one['triad_ctpn_ns']:.4f}"
                     f" | {one['eff']:.2f} | {one['kernel'].split('kernel ')[1]} |")
    return lines + [""]


def rooms(path):
    """Whole rooms, all in: walls, receivers and an energy balance now and then."""
    data = json.loads(path.read_text())
    first = data["results"][0]
    lines = [f"A whole room of {times(first['grid'])} nodes ([bench/room.toml](bench/room.toml): impedance on all walls, {first['sources']} sources,"
             f" {first['receivers']} receivers, an energy balance every {first['energy_interval']} steps), {origin(data, path)}:", "",
             "| stencil | precision | bare kernel, Gpts/s | step with walls | all in | all in over bare | eff |", "|---|---|---|---|---|---|---|"]
    for one in data["results"]:
        again = f" (again, at {one['commit']})" if "commit" in one else ""
        lines.append(f"| {member(one)}{again} | {one['precision']} | {1 / one['bare']['ctpn_ns']:.1f} | {1 / one['step_ctpn_ns']:.1f}"
                     f" | {one['gpts_per_second']:.1f} | {one['of_bare']:.2f} | {one['eff']:.2f} |")
    return lines + [""]


SHOWN = ("leggy-1", "leggy-2", "leggy-3", "leggy-4", "leggy-8", "leggy-20", "compact-2", "compact-3", "compact-5", "compact-6",
         "compact-22", "box-222", "box-333")


def member(one):
    return one["stencil"].split("/")[0]


def times(grid):
    return " x ".join(map(str, grid))


def origin(data, path):
    commit = f" at {data['commit']}" if data["commit"] else ""
    return f"`{data['command']}`{commit} on {data['date']} ([data]({path.relative_to(ROOT).as_posix()}))"


def gpu_cases(results):
    """The results of each precision and grid, in the document's order: {(precision, grid): {stencil: {role: result}}}."""
    cases = {}
    for one in results:
        case = cases.setdefault((one["precision"], tuple(one["grid"])), {})
        case.setdefault(member(one), {})[one["role"]] = one
    return cases


def gpu_rates(data):
    """A table a precision, of its largest grid, with the eff of the smaller ones beside it."""
    cases, lines = gpu_cases(data["results"]), []
    for precision in ("f32", "f64"):
        grids = sorted((grid for p, grid in cases if p == precision), key=lambda g: -g[0] * g[1] * g[2])
        if not grids:
            continue
        lines += [f"{precision}, {times(grids[0])} nodes:", "",
                  "| stencil | points | KernelA, Gpts/s | KernelB, Gpts/s | best, Gpts/s | CTPN, ns | triad CTPN, ns | eff |"
                  + "".join(f" eff, {times(g)} |" for g in grids[1:]) + " kernel |",
                  "|---|---|---|---|---|---|---|---|" + "---|" * len(grids)]
        for name, roles in cases[precision, grids[0]].items():
            if name not in SHOWN or "best" not in roles:
                continue
            best = roles["best"]
            rate = [f"{roles[role]['gpts_per_second']:.1f}" if role in roles else "-" for role in ("kernel_a", "kernel_b", "best")]
            others = [cases[precision, g].get(name, {}).get("best") for g in grids[1:]]
            lines.append(f"| {name} | {best['points']} | " + " | ".join(rate) + f" | {best['ctpn_ns']:.5f} | {best['triad_ctpn_ns']:.5f}"
                         f" | {best['eff']:.2f} | " + "".join(f"{o['eff']:.2f} | " if o else "- | " for o in others) + f"{best['kernel']} |")
        lines.append("")
    return lines


def gpu_tiles(data, path):
    lines = [f"Tabik et al.'s model against all tiles timed, {origin(data, path)}:", "",
             "| stencil | precision | kernel | tiles | predicted | best among them | best predicted, slower by | model's first, slower by |",
             "|---|---|---|---|---|---|---|---|"]
    for one in data["results"]:
        p = one["prediction"]
        lines.append(f"| {member(one)} | {one['precision']} | {one['kernel']} | {p['tiles']} | {p['predicted']} | {'yes' if p['best_predicted'] else 'no'}"
                     f" | {100 * p['loss_of_set']:.1f} % | {100 * p['loss_of_first']:.1f} % |")
    return lines + [""]


def gpu_counters(data, path):
    lines = [f"Bytes a point as counted by Nsight Compute, {origin(data, path)}:", "",
             "| stencil | precision | kernel | eff | ideal | DRAM | footprint model | L2 | L2 hits | instructions | issue slots used | shared memory busy |",
             "|---|---|---|---|---|---|---|---|---|---|---|---|"]
    for one in data["results"]:
        c = one["counters"]
        lines.append(f"| {member(one)} | {one['precision']} | {one['kernel']} | {one['eff']:.2f} | {one['declared_bytes_per_point']:g} | {c['effective_bytes_per_point']:.1f}"
                     f" | {one['footprint_bytes_per_point']:.1f} | {c['l2_bytes_per_point']:.1f} | {100 * c['l2_hit_rate']:.0f} %"
                     f" | {c['instructions_per_point']:.0f} | {100 * c['issue_use']:.0f} % | {100 * c['shared_use']:.0f} % |")
    return lines + [""]


def gpu():
    """For every GPU: the study's rates, the model of tiles, the counters."""
    lines = []
    for path in sorted(RESULTS.glob("*/compare.json")):
        data = json.loads(path.read_text())
        lines += [f"{data['machine']}, {origin(data, path)}. The roof is the leapfrog triad of the same run on the same arrays;"
                  " KernelA and KernelB are those of DAFx-15.", ""] + gpu_rates(data)
        if (path.parent / "rooms.json").exists():
            lines += rooms(path.parent / "rooms.json")
        for name, table in (("tiles.json", gpu_tiles), ("counters.json", gpu_counters)):
            if (path.parent / name).exists():
                lines += table(json.loads((path.parent / name).read_text()), path.parent / name)
    return lines


def main():
    readme = ROOT / "README.md"
    text = made = readme.read_text()
    for name, table in (("accuracy", accuracy), ("speed", speed), ("gpu", gpu)):
        body = "\n".join(table()).rstrip()
        if body:
            body += "\n"
        made = re.sub(rf"(<!-- {name} -->\n).*?(<!-- /{name} -->)", lambda m: m.group(1) + body + m.group(2), made, flags=re.S)
    if "--check" in sys.argv[1:]:
        sys.exit(0 if made == text else "README.md is not what bench/results/ says: run python3 bench/tables.py")
    readme.write_text(made)


if __name__ == "__main__":
    main()
