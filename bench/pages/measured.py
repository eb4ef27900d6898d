"""Tables of rooms that were measured (bench/tables.py)."""

from pages.page import load, table, text

PATH = "measured-rooms.json"
SHOWN = ("EDT", "T20", "C80", "D50", "Ts")
NAMES = {"initial": "initial (blind)", "fitted": "fitted by the benchmark's authors", "calibrated": "calibrated by `fdtd fit`"}
RANGES = ((125, 4000), (63, 250))
# Of the best open ray program with published figures for this room: means over 125 to 4000 Hz, in just noticeable
# differences; EDT, T30, C80. "calibrated": on one loudspeaker, judged on the other.
RAYS = {"initial": (6.0, 6.5, 1.8), "fitted": (1.1, 1.0, 0.8), "calibrated": (1.2, 1.0, 0.7)}


def finest(runs, absorption):
    """The run to the highest frequency; nothing where there is none."""
    found = [one for one in runs if one["absorption"] == absorption and one["room"] == "bras_cr2"]
    return max(found, key=lambda one: one["waves_to"]) if found else None


def rows_of(data, run, sources="all"):
    """{octave: figures} of a run."""
    same = [
        one for one in data["results"]
        if all(one[name] == run[name] for name in ("room", "absorption", "waves_to", "device")) and one["sources"] == sources
    ]
    return {one["octave"]: one for one in same}


def mean_over(rows, figure, low, high, name="jnd"):
    """The mean over octaves, of which each has the figure; None where one is missing."""
    octaves = [octave for octave in (63, 125, 250, 500, 1000, 2000, 4000, 8000) if low <= octave <= high]
    values = [rows[octave][figure][name] if octave in rows and figure in rows[octave] else None for octave in octaves]
    return None if None in values else sum(values) / len(values)


def cell(value, digits=2):
    return "-" if value is None else f"{value:.{digits}f}"


def judged(run):
    """The sources that a run is judged on: those that a fit left out."""
    return run.get("hold", "all")


def octaves(page):
    data, out = load(PATH), []
    for absorption, name in NAMES.items():
        run = finest(data["runs"], absorption)
        if not run:
            continue
        rows = rows_of(data, run, judged(run))
        where = f"waves to {run['waves_to']:.0f} Hz, {run['device']}"
        where += f", judged on {run['hold']}" if "hold" in run else ""
        for octave, one in sorted(rows.items()):
            out.append([name, where, f"{octave:g}"] + [cell(one[figure]["jnd"] if figure in one else None) for figure in SHOWN])
            name = where = ""
        for low, high in RANGES:
            means = [mean_over(rows, figure, low, high) for figure in SHOWN]
            if any(one is not None for one in means):
                out.append(["", "", f"mean {low} to {high}"] + [cell(one) for one in means])
    return text(f"Mean of |run - measured| over the pairs, in just noticeable differences ({page.data(PATH)}):") + table(
        ["absorption", "run", "octave, Hz", *SHOWN], out)


def published(page):
    data, out = load(PATH), []
    for absorption, rays in RAYS.items():
        run = finest(data["runs"], absorption)
        ours = [None] * 4
        if run:
            rows = rows_of(data, run, judged(run))
            ours = [mean_over(rows, figure, 125, 4000) for figure in ("EDT", "T20", "T30", "C80")]
        out.append([NAMES[absorption]] + [cell(one) for one in ours] + [f"{one:.1f}" for one in rays])
    reach = max(one["waves_to"] for one in data["runs"])
    missing = "" if reach >= 5680 else (f" The octaves to 4000 Hz need waves to 5680 Hz; the runs here end at {reach:.0f} Hz.")
    return text(f"Means over the octaves of 125 to 4000 Hz ({page.data(PATH)}).{missing}") + table(
        ["absorption", "EDT", "T20", "T30", "C80", "rays: EDT", "rays: T30", "rays: C80"], out)


def grids(page):
    """How differences depend on the grid: T20 and EDT of the low octaves by the frequency that waves reach."""
    data, out = load(PATH), []
    for run in sorted((one for one in data["runs"] if one["absorption"] == "fitted"), key=lambda one: one["waves_to"]):
        rows = rows_of(data, run)
        values = [f"{rows[octave][figure]['signed']:+.2f}" if octave in rows and figure in rows[octave] else "-"
                  for octave in (63, 125, 250) for figure in ("EDT", "T20")]
        out.append([f"{run['waves_to']:.0f}", run["device"], run["stencil"], f"{run['spacing']:.3f}", *values])
    return text(f"Mean of run - measured, fitted absorption, in just noticeable differences ({page.data(PATH)}):") + table(
        ["waves to, Hz", "device", "stencil", "spacing, m", "63: EDT", "63: T20", "125: EDT", "125: T20", "250: EDT", "250: T20"],
        out)


def times(page):
    """T20 of the run and of the measurement, by octave."""
    data, out = load(PATH), []
    for absorption, name in NAMES.items():
        run = finest(data["runs"], absorption)
        if not run:
            continue
        rows = {octave: one["T20"] for octave, one in rows_of(data, run, judged(run)).items() if "T20" in one}
        if not out:
            out.append(["measured"] + [cell(rows[octave]["measured"]) for octave in sorted(rows)])
            octaves = sorted(rows)
        where = f", at {run['hold']}" if "hold" in run else ""
        out.append([name + where] + [cell(rows[octave]["run"]) if octave in rows else "-" for octave in octaves])
    return text("T20 in s, means over the pairs:") + table(["", *(f"{octave:g} Hz" for octave in octaves)], out)


LOW = "low-octaves.json"


def low_octaves(page):
    """The differences that fits leave in low octaves, by their unknowns."""
    data, out, seen = load(LOW), [], set()
    for one in data["results"]:
        key = (one["unknowns"], one["hold"], one["waves_to"], one["runs"])
        if key in seen or one["unknowns"].startswith("reactance"):
            continue
        seen.add(key)
        same = [other for other in data["results"] if (other["unknowns"], other["hold"], other["waves_to"], other["runs"]) == key]
        for part, name in (("fitted", "those" if one["hold"] else "all ten"), ("held", "held out")):
            if part not in one:
                continue
            cells = []
            for figure in ("T20", "EDT", "C80"):
                values = [row[part] for row in sorted(same, key=lambda row: row["octave"]) if row["figure"] == figure]
                cells += [" ".join(f"{value:.1f}" for value in values), cell(sum(values) / len(values))]
            first = part == "fitted"
            out.append([("Gauss-Newton" if one["unknowns"] == "octaves" else "`fdtd " + one["unknowns"].replace(",", "`,", 1)) if first else "",
                        f"{one['waves_to']:.0f}" if first else "", one["runs"] if first else "", name, *cells])
    return text("Mean of |run - measured| over the pairs after a fit, at 63, 125 and 250 Hz and their mean, in just noticeable "
                f"differences ({page.data(LOW)}):") + table(
        ["fit", "waves to, Hz", "runs", "pairs", "T20", "mean", "EDT", "mean", "C80", "mean"], out)


PULL = "fit-pull.json"


def fit_pull(page):
    """Errors of fitted absorption beside those that fits state, in small rooms."""
    data, out = load(PULL), []
    groups = [("all", data["results"])]
    groups += [(f"{count} materials", [one for one in data["results"] if one["materials"] == count]) for count in (2, 3)]
    groups += [("stated deviation below .2", [one for one in data["results"] if one["deviation"] < 0.2]),
               ("stated .2 and more", [one for one in data["results"] if one["deviation"] >= 0.2])]
    share = lambda rows, test: f"{100 * sum(map(test, rows)) / len(rows):.0f} %"  # noqa: E731
    rms = lambda rows, name: f"{(sum(one[name]**2 for one in rows) / len(rows))**0.5:.2f}"  # noqa: E731
    for name, rows in groups:
        out.append([name, len(rows), share(rows, lambda one: abs(one["pull"]) <= 1), share(rows, lambda one: abs(one["pull"]) <= 2),
                    rms(rows, "error"), rms(rows, "deviation"), share(rows, lambda one: abs(one["fitted"] - one["true"]) <= 0.02)])
    rooms = len({one["room"] for one in data["results"]})
    return text(f"Errors of ln(-ln(1 - α)) in {rooms} small boxes and L-rooms, priors 50 % off ({page.data(PULL)}):") + table(
        ["coefficients", "number", "within one stated deviation", "within two", "error, rms", "stated, rms", "α within .02"], out)
