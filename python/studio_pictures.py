"""Draws the pictures of docs/how-to/studio.md again: headless Chromium on the studio of the example hall.

usage: python python/studio_pictures.py       with the extra studio and playwright, FDTD_PROGRAM and PYTHONPATH=python
"""

import pathlib
import re
import shutil
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT / "python/tests/studio"))

from studio_browser import browser, choose, set_field, started  # noqa: E402

HEADER = "() => document.querySelector('header').style.position = 'absolute'"  # it stays at the top of a long picture

LONGEST = 240_000  # ms, of a run or any other wait


def main():
    pictures = ROOT / "docs/how-to"
    with tempfile.TemporaryDirectory() as folder:
        for name in ("hall.toml", "hall.obj"):
            shutil.copy(ROOT / "scenes/examples" / name, folder)
        with started(pathlib.Path(folder) / "hall.toml") as address, browser() as chromium:
            page = chromium.new_page(viewport={"width": 1280, "height": 800})
            page.set_default_timeout(LONGEST)
            page.goto(address)
            page.get_by_text("Waves valid to").wait_for()
            choose(page, "Above that", "Waves alone")
            set_field(page, "Duration / s", "1.2")
            set_field(page, "Waves up to / Hz", 250)
            page.get_by_text("250 Hz", exact=True).first.wait_for()
            page.evaluate("() => window.scrollTo(0, 0)")
            page.wait_for_timeout(2500)
            page.screenshot(path=pictures / "studio.png")
            page.get_by_text("Walls that decide T20").click()
            choose(page, "Octave", "63 Hz")
            page.get_by_text("waves alone, up to 126 Hz").wait_for()  # of this octave: before that the button may be disabled again
            page.get_by_role("button", name="Compute the map").click()
            page.get_by_text("T20 at stalls in the octave").wait_for()
            page.get_by_label(re.compile("^Scale from")).wait_for()
            page.wait_for_timeout(5000)
            page.evaluate("() => window.scrollTo(0, document.body.scrollHeight)")
            page.wait_for_timeout(1500)
            page.screenshot(path=pictures / "studio-walls.png")
            page.get_by_role("switch", name="On the walls").click()
            page.get_by_role("switch", name="Film of a slice").click()
            page.wait_for_timeout(1500)
            page.get_by_role("button", name="Run", exact=True).click()
            page.get_by_label("T20 by octave, source stage").wait_for()
            page.get_by_role("tab", name="Scene").click()
            choose(page, "Material of curtain", "concrete-smooth")
            page.wait_for_timeout(1500)
            page.get_by_role("button", name="Run", exact=True).click()
            page.get_by_text("out/hall-2 (responses to").wait_for()
            choose(page, "Beside it", re.compile("^out/hall$"))
            page.get_by_role("button", name="Listen").click()
            page.locator("audio").nth(1).wait_for()
            page.get_by_label("Frame of the film").nth(1).wait_for()
            page.evaluate(HEADER)
            page.wait_for_timeout(1500)
            page.screenshot(path=pictures / "studio-results.png", full_page=True)


main()
