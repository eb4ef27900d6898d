"""Tables of the whole band: rooms against waves alone, edges, rays and speech against exact values (bench/tables.py)."""

from pages.page import load, table, text

PATH, EXACT, AUTO, WAVES = "whole-band.json", "whole-band-exact.json", "whole-band-auto.json", "whole-band-waves.json"
NAMES = {
    "uneven": "box, ceiling absorbs",
    "even": "box, walls alike",
    "furnished": "furnished",
    "class": "classroom",
    "l": "L",
}
# T20 in per cent, C80 and G in dB, set before the figures were seen, for 1 and 2 kHz; of mesh rooms for 4 kHz too.
BOUNDS = {"uneven": (8, 1, 0.5), "even": (8, 1, 0.5), "furnished": (16, 1.5, 1), "class": (16, 1, 1), "l": (16, 1.5, 1)}
JUDGED = {"uneven": (1000, 2000), "even": (1000, 2000), "furnished": (1000, 2000, 4000), "class": (1000, 2000, 4000), "l": (1000, 2000)}


def signed(figure, digits):
    return f"{figure['mean']:+.{digits}f} ({figure['absolute']:.{digits}f})"


def chosen(results, waves_to):
    """Of each room and octave the row with the rays that a run takes by default, seed 0."""
    rays = {room: (100000 if room == "furnished" and waves_to == 1000 else 20000) for room in NAMES}
    return [
        one for room in NAMES for one in results if one["room"] == room and one["waves_to"] == waves_to and
        one["rays"] == rays[room] and one["seed"] == 0 and one["octave"] >= 1000
    ]


def rows_of(rows, judge):
    out, before = [], None
    for one in rows:
        verdict = []
        if judge:
            misses = [
                name for name, bound in zip(("T20", "C80", "G"), BOUNDS[one["room"]]) if abs(one[name]["mean"]) > bound
            ] if one["octave"] in JUDGED[one["room"]] else None
            verdict = ["" if misses is None else ", ".join(misses) + " beyond" if misses else "within"]
        out.append([
            "" if one["room"] == before else NAMES[one["room"]], one["octave"], signed(one["T20"], 0), signed(one["EDT"], 0),
            signed(one["C50"], 1), signed(one["C80"], 1), signed(one["G"], 1)
        ] + verdict)
        before = one["room"]
    return out


HEADS = ["room", "octave", "T20 %", "EDT %", "C50 dB", "C80 dB", "G dB"]


def rooms(page):
    bounds = table(["room", "T20 %", "C80 dB", "G dB", "octaves"],
                   [[NAMES[room], *BOUNDS[room], ", ".join(map(str, JUDGED[room]))] for room in NAMES])
    rows = rows_of(chosen(load(PATH)["results"], 1000), True)
    return text("Bounds of mean differences, set before the figures were seen:") + bounds + text(
        "Waves to 1000 Hz and geometry above, crossover 707 to 1000 Hz, less waves alone to 5800 Hz: means over the"
        " receivers, means of absolutes in brackets. The furnished room with 100 000 rays, the others with 20 000"
        f" ({page.data(PATH)}).") + table(HEADS + ["bounds"], rows)


def higher(page):
    rows = rows_of(chosen(load(PATH)["results"], 2000), False)
    return text(f"The same with waves to 2000 Hz, 20 000 rays ({page.data(PATH)}); the octave of 1000 Hz is then that of waves"
                " alone, the octave of 2000 Hz the first of geometry.") + table(HEADS, rows)


def auto(page):
    """The program as it is, by the rays that it takes itself, against waves that the processor computes in minutes."""
    data, before, out = load(AUTO), None, []
    highest = {room: one["waves_to"] for room, one in load(WAVES)["rooms"].items()}
    for one in (one for one in data["results"] if one["octave"] >= 1000):
        count = f"{one['rays']:,}".replace(",", " ") if one["rays"] else "none"
        row = rows_of([one], False)[0]
        out.append(["" if one["room"] == before else NAMES[one["room"]], "" if one["room"] == before else count,
                    f"{highest[one['room']]:.0f}"] + row[1:])
        before = one["room"]
    return text(f"The same differences with `above.rays = \"auto\"` (`{data['command']}`, {page.data(AUTO)}), of waves alone to a"
                f" lower frequency ({page.data(WAVES)}):") + table(["room", "rays", "waves to, Hz"] + HEADS[1:], out)


def rays(page):
    rows = [[f"{one['rays']:,}".replace(",", " "), one["seed"], one["octave"], signed(one["T20"], 0), signed(one["C80"], 1), signed(one["G"], 1)]
            for one in load(PATH)["results"]
            if one["room"] == "furnished" and one["waves_to"] == 1000 and one["octave"] in (1000, 2000, 4000)]
    return text(f"The furnished room by the number of rays and `above.seed`, waves to 1000 Hz ({page.data(PATH)}).") + table(
        ["rays", "seed", "octave", "T20 %", "C80 dB", "G dB"], rows)


def origin(page, document):
    return f"(`{document['command']}`, {page.data(EXACT)})"


def edges(page):
    data = load(EXACT)
    rows = [[f"{one['air']:.0f}", f"{one['past']:.0f}"] + [f"{error:.3f}" for error in one["errors"]]
            for one in data["rows"] if one["part"] == "edge"]
    return text("Largest difference of the level (dB) behind a rigid edge from the exact solution, over legs of 0.5 to 4 m and"
                f" angles of the source of 5 to 150 degrees from its face, by octave {origin(page, data)}; 360 degrees of"
                " air are a half-plane (Macdonald).") + table(
                    ["air, degrees", "past the shadow's boundary, degrees"] + [f"{f} Hz" for f in data["octaves"]], rows)


def box_rays(page):
    data = load(EXACT)
    rows = [[one["walls"], f"{one['rays']:,}".replace(",", " "), f"{one['error']:.3f}"] for one in data["rows"] if one["part"] == "rays"]
    return text("Energy of rays in the first 0.2 s of a smooth box of 4.2 x 3.3 x 2.6 m against all of its image sources, the"
                f" largest difference (dB) of four receivers {origin(page, data)}.") + table(["walls", "rays", "dB"], rows)


def speech(page):
    data = load(EXACT)
    rows = [[f"{one['T']:g}", f"{one['exact']:.3f}", f"{one['found']:.3f}"] for one in data["rows"] if one["part"] == "speech"]
    return text("The speech transmission index of noise that decays exponentially beside that of its modulation"
                f" 1/sqrt(1 + (2πFT/13.8)²) {origin(page, data)}; a single record of noise modulates by itself, which adds up"
                " to 0.012.") + table(["T, s", "by the modulation", "of the record"], rows)
