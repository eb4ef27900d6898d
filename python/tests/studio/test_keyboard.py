"""The page without a mouse: Tab reaches every control, the focus is seen, and every action can be done."""

import base64
import re

import pytest

pytest.importorskip("nicegui")
pytest.importorskip("trimesh")
pytest.importorskip("playwright")

from studio_browser import CHROMIUM, browser, started, watched  # noqa: E402
from studio_looks import CONTROLS  # noqa: E402
from studio_rooms import SHOWN, with_runs  # noqa: E402

pytestmark = pytest.mark.skipif(CHROMIUM is None, reason="there is no Chromium")

NAME = "() => { const one = document.activeElement; return one === document.body ? '' : one.getAttribute('aria-label') || (one.querySelector('.block') ?? one).textContent.trim(); }"
# Notes the element that has the focus: the look of its kind, and the box in which its focus is drawn.
WALKED = """() => {
  const one = document.activeElement;
  if (one === document.body || one.dataset.walked) return null;
  one.dataset.walked = '1';
  const {x, y, width, height} = (one.closest('.q-field')?.querySelector('.q-field__control') ?? one).getBoundingClientRect();
  const ground = getComputedStyle(one.closest('.q-btn, header, .q-panel') ?? one).backgroundColor;
  return {look: [one.tagName, one.type, one.className.replace(/w-\\S*/g, ''), ground].join(), x, y, width, height};
}"""
MISSED = """(controls) => [...document.querySelectorAll(controls)].filter(one => one.tabIndex >= 0 && !one.disabled && !one.dataset.walked && one.getAttribute('aria-disabled') !== 'true'
  && one.checkVisibility({visibilityProperty: true}) && one.getClientRects().length && !one.closest('.sr-only, header, .q-tabs')).map(one => one.outerHTML.slice(0, 150))"""
# Pixels of two pictures whose lightness differs by a contrast of 3, as WCAG 2.2 has it of a visible focus (2.4.13).
DIFFER = """async (pictures) => {
  const [one, other] = await Promise.all(pictures.map(async words => {
    const image = new Image();
    image.src = 'data:image/png;base64,' + words;
    await image.decode();
    const canvas = document.createElement('canvas');
    [canvas.width, canvas.height] = [image.width, image.height];
    const context = canvas.getContext('2d');
    context.drawImage(image, 0, 0);
    return context.getImageData(0, 0, image.width, image.height).data;
  }));
  const light = (data, i) => [0.2126, 0.7152, 0.0722].reduce((sum, part, k) => { const c = data[i + k] / 255; return sum + part * (c <= 0.04045 ? c / 12.92 : ((c + 0.055) / 1.055) ** 2.4); }, 0.05);
  let count = 0;
  for (let i = 0; i < one.length; i += 4) { const a = light(one, i), b = light(other, i); count += Math.max(a, b) >= 3 * Math.min(a, b); }
  return count;
}"""


def clip(page, box):
    """A picture around a box, as base64."""
    window = page.viewport_size
    x, y = max(0, box["x"] - 4), max(0, box["y"] - 4)
    around = {"x": x, "y": y, "width": min(window["width"], box["x"] + box["width"] + 4) - x, "height": min(window["height"], box["y"] + box["height"] + 4) - y}
    return base64.b64encode(page.screenshot(clip=around, animations="disabled")).decode()


def walk(page, blank, looks):
    """Tab through all that is shown; the controls whose focus is not seen."""
    pale, rounds = [], 0
    for _ in range(300):
        page.keyboard.press("Tab")
        if page.evaluate(NAME).startswith("Text of the scene"):
            page.evaluate(WALKED)
            page.keyboard.press("Escape")
            page.keyboard.press("Tab")
        if page.evaluate("() => document.activeElement === document.body"):
            rounds += 1
            if rounds == 2:  # the first round begins where the focus was
                return pale
        found = page.evaluate(WALKED)
        if found is None or found["look"] in looks:
            continue
        looks.add(found["look"])
        page.wait_for_timeout(400)  # Quasar's colours fade
        focused = clip(page, found)
        hold = page.evaluate_handle("() => { const one = document.activeElement; one.blur(); return one; }")
        page.wait_for_timeout(400)
        differ = blank.evaluate(DIFFER, [focused, clip(page, found)])
        hold.evaluate("one => one.focus()")
        if differ < found["width"] + found["height"]:  # half of a line of a pixel around it
            pale.append(f"{differ} of {found}")
    raise AssertionError("Tab leads in circles")


@pytest.mark.parametrize("dark", [False, True])
def test_tab_reaches_every_control_and_its_focus_is_seen(tmp_path, dark):
    with started(with_runs(tmp_path, "room")) as address, browser() as chromium:
        context = chromium.new_context(viewport={"width": 1280, "height": 800}, color_scheme="dark" if dark else "light")
        page, blank = context.new_page(), chromium.new_page()
        complaints = watched(page, address.partition("/?")[0])
        page.goto(address)
        page.get_by_text("Waves valid to").wait_for()
        for words in ("Notches by walls", "Walls that decide T20"):
            page.get_by_text(words).click()
        page.get_by_label("Notches by first reflections of walls").locator("tbody tr").first.wait_for()
        page.get_by_text("two runs of the waves").wait_for()
        pale, missed, looks = [], [], set()
        for tab in ("Scene", "Results", "Text"):
            page.get_by_role("tab", name=tab).click()
            if tab == "Results":
                page.get_by_label("Frame of the film").wait_for()
                page.get_by_role("button", name="Listen").click()
                page.locator("audio").wait_for()
            page.wait_for_timeout(1000)
            pale += walk(page, blank, looks)
            missed += page.evaluate(MISSED, CONTROLS)
        assert missed == [] and not pale, "\n".join(pale)
        assert len(looks) >= 12 and complaints == []


def tab_to(page, name, back=False):
    """Press Tab until the control of this name has the focus."""
    for _ in range(150):
        if page.evaluate(NAME) == name:
            return
        page.keyboard.press("Shift+Tab" if back else "Tab")
    raise AssertionError(f"Tab does not reach {name}")


def press(page, name, back=False):
    tab_to(page, name, back)
    page.keyboard.press("Enter")


def type_into(page, name, words):
    """A value of a field, which it is left with by Tab."""
    tab_to(page, name)
    page.keyboard.press("Control+a")
    page.keyboard.type(words)
    page.keyboard.press("Tab")


def open_scene(page):
    press(page, "Open")
    page.wait_for_function("() => document.activeElement.closest('.q-dialog')")
    tab_to(page, "Scene")
    page.keyboard.type("room")
    page.locator(".q-menu .q-item").wait_for()
    page.keyboard.press("ArrowDown")
    page.keyboard.press("Enter")
    press(page, "Open the scene")
    page.get_by_text("room.toml", exact=True).wait_for()
    page.get_by_label("S2, x in m", exact=True).wait_for()


def change_scene(page):
    """A material, a step back and forward, a move in the view and in its field, the computation; all are undoable."""
    tab_to(page, "Material of x_max")
    page.keyboard.type("brick-painted")
    page.locator(".q-menu .q-item", has_text="brick-painted").wait_for()
    page.keyboard.press("ArrowDown")
    page.keyboard.press("Enter")
    page.get_by_label("Undo: x_max: brick-painted").wait_for()
    press(page, "Undo: x_max: brick-painted", back=True)
    page.get_by_label("Redo: x_max: brick-painted").wait_for()
    page.keyboard.press("Control+Shift+z")
    page.get_by_label("Undo: x_max: brick-painted").wait_for()

    tab_to(page, "The room in three dimensions")
    page.keyboard.press("n")
    page.keyboard.press("ArrowUp")
    page.get_by_text("Source loudspeaker left at 0.8, 0.8, 1.1 m").wait_for()
    page.keyboard.press("Enter")
    page.wait_for_function(f"() => ({NAME})() === 'loudspeaker left, x in m'")
    page.keyboard.press("Control+a")
    page.keyboard.type("0.95")
    page.keyboard.press("Tab")
    page.get_by_label("Undo: move loudspeaker left").wait_for()
    type_into(page, "Waves up to / Hz", "600")
    type_into(page, "Duration / s", "20")
    page.get_by_label("Undo: duration 20.0 s").wait_for()
    for name, value in (("loudspeaker left, x in m", "0.95"), ("loudspeaker left, y in m", "0.8"), ("Waves up to / Hz", "600"), ("Duration / s", "20.0")):
        assert page.get_by_label(name, exact=True).first.input_value() == value
    page.get_by_text("20 s, ").wait_for()
    tab_to(page, "Film of a slice")
    page.keyboard.press("Space")
    page.get_by_label("Undo: no film").wait_for()


def run_and_compare(page):
    """A run that is stopped and resumed, beside the one before it, both heard; then back to the scene, which is saved."""
    tab_to(page, "Run", back=True)
    page.keyboard.press("Enter")
    page.get_by_text(re.compile(" %, .*step ")).wait_for()
    press(page, "Stop")
    page.get_by_text("Stopped: ").wait_for()
    press(page, "Resume")
    page.get_by_text("out/room-2 (responses to").wait_for()

    tab_to(page, "Beside it")
    for key in ("ArrowDown", "ArrowDown", "Enter"):
        page.keyboard.press(key)
        page.wait_for_timeout(500)
    page.get_by_text("out/room-2 (responses to 600 Hz) beside out/room").wait_for()
    press(page, "Listen")
    page.locator("audio").nth(1).wait_for()
    tab_to(page, "Results", back=True)
    page.keyboard.press("ArrowLeft")
    page.keyboard.press("Enter")
    page.get_by_text("Waves valid to").wait_for()
    tab_to(page, "Save", back=True)
    page.keyboard.press("Enter")
    page.get_by_text("Saved room.toml").wait_for()


def test_a_scene_is_opened_changed_run_stopped_compared_and_heard_by_keyboard_alone(tmp_path):
    with_runs(tmp_path, "room")
    (tmp_path / "room.toml").write_text(SHOWN.replace('[above]', 'stencil = "leggy-2"\n[above]'))
    with started(tmp_path) as address, browser() as chromium:
        page = chromium.new_page(viewport={"width": 1280, "height": 800})
        complaints = watched(page, address.partition("/?")[0])
        page.goto(address)
        page.get_by_text("Waves valid to").wait_for()
        open_scene(page)
        change_scene(page)
        run_and_compare(page)
        assert complaints == []
    saved = (tmp_path / "room.toml").read_text()
    for words in ("# a small room", "# m", 'x_max = "brick-painted"', "position = [0.95, 0.8, 1.1]", "max_frequency = 600", "duration = 20"):
        assert words in saved
    assert "snapshots" not in saved


def test_keys_of_undo_leave_words_that_are_typed_alone(tmp_path):
    scene = tmp_path / "room.toml"
    scene.write_text(SHOWN)
    with started(scene) as address, browser() as chromium:
        page = chromium.new_page(viewport={"width": 1280, "height": 800})
        page.goto(address)
        page.get_by_text("Waves valid to").wait_for()
        page.get_by_label("S2, y in m", exact=True).first.fill("0.9")
        page.keyboard.press("Enter")
        page.get_by_label("Undo: move S2").wait_for()
        page.get_by_role("tab", name="Text").click()
        page.locator(".cm-content").click()
        page.keyboard.type("# typed")
        page.get_by_text("# typed").wait_for()
        page.keyboard.press("Control+z")
        page.wait_for_function("() => !document.querySelector('.cm-content').textContent.includes('# typed')")
        page.wait_for_timeout(700)
        assert page.get_by_label("Undo: move S2").count() == 1, "the editor takes its own words back"
        page.get_by_role("tab", name="Scene").click()
        page.get_by_role("button", name="From above").focus()
        page.keyboard.press("Control+z")
        page.get_by_label("Redo: move S2").wait_for()
        page.keyboard.press("Control+y")
        page.get_by_label("Undo: move S2").wait_for()
        page.get_by_label("S2, x in m", exact=True).first.fill("1.75")
        page.get_by_label("Undo: move S2").click()  # leaves the field, whose value is the edit that is taken back
        page.wait_for_function("() => document.querySelector('[aria-label=\"S2, x in m\"]').value === '2'")
        page.get_by_label("Redo: move S2").wait_for()
