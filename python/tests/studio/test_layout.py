"""Every tab and dialog of the page in headless Chromium, on a tablet and on a screen, light and dark; charts to scale and whole."""

import pytest

pytest.importorskip("nicegui")
pytest.importorskip("trimesh")
pytest.importorskip("playwright")

from studio_browser import CHROMIUM, browser, choose, set_field, started, watched  # noqa: E402
from studio_looks import faults, unnamed  # noqa: E402
from studio_rooms import with_runs  # noqa: E402
from studio_scenes import BOX  # noqa: E402

pytestmark = pytest.mark.skipif(CHROMIUM is None, reason="there is no Chromium")


@pytest.fixture(scope="module")
def address(tmp_path_factory):
    folder = tmp_path_factory.mktemp("rooms")
    with started(with_runs(folder, "room", "room-2")) as found:
        yield found


@pytest.fixture(scope="module")
def chromium():
    with browser() as opened:
        yield opened


def opened(chromium, address, width=1280, dark=False, touch=False):
    context = chromium.new_context(viewport={"width": width, "height": 900}, color_scheme="dark" if dark else "light", has_touch=touch)
    page = context.new_page()
    complaints = watched(page, address.partition("/?")[0])
    page.goto(address)
    page.get_by_text("Waves valid to").wait_for()
    page.wait_for_function(f"() => document.body.classList.contains('body--dark') === {str(dark).lower()}")
    return page, complaints


def results(page, beside=True):
    page.get_by_role("tab", name="Results").click()
    page.get_by_label("Frame of the film").first.wait_for()
    if beside:
        choose(page, "Beside it", "out/room")
        page.get_by_label("Frame of the film").nth(1).wait_for()
        page.wait_for_function("() => document.querySelectorAll('.nicegui-echart').length === 10")


# Lists and dialogs grow while they open.
AT_REST = "() => !document.querySelector('[class*=-enter-active]') && document.getAnimations().every(one => one.playState !== 'running' || one.effect.getComputedTiming().endTime === Infinity)"

CLOSED = "() => !document.querySelector('.q-dialog__inner, .q-menu')"


@pytest.mark.parametrize(("width", "dark"), [(800, False), (800, True), (1280, False), (1280, True)])
def test_nothing_is_cut_pale_nameless_or_too_small_to_touch(chromium, address, width, dark):
    touch = width == 800
    page, complaints = opened(chromium, address, width, dark, touch)
    found, looks = [], []
    assert page.locator(".studio-view").bounding_box()["height"] >= 0.49 * 900, "labels of the room keep apart"

    def look(where):
        page.wait_for_timeout(300)
        page.wait_for_function(AT_REST)
        looks.append(where)
        found.extend(f"{where}: {one}" for one in [*faults(page, 40 if touch else 0), *(f"{role} without a name" for role in unnamed(page))])

    for words in ("Notches by walls", "Walls that decide T20"):
        page.get_by_text(words).click()
    page.get_by_label("Notches by first reflections of walls").locator("tbody tr").first.wait_for()
    page.get_by_text("two runs of the waves").wait_for()
    look("scene")
    for button in ("Open", "Save as", "Own material …", "Keys of the view"):
        page.get_by_role("button", name=button, exact=True).click()
        page.locator(".q-dialog__inner, .q-menu").wait_for()  # before that Escape would close nothing
        look(button)
        page.keyboard.press("Escape")
        page.wait_for_function(CLOSED)
    page.get_by_label("Material of x_min", exact=True).first.click()
    page.locator(".q-menu .q-item").first.wait_for()
    look("list of materials")
    page.keyboard.press("Escape")
    page.wait_for_function(CLOSED)
    results(page)
    page.get_by_role("button", name="Listen").click()
    page.locator("audio").nth(1).wait_for()
    look("results")
    page.get_by_role("tab", name="Text").click()
    page.locator(".cm-line").first.wait_for()
    look("text")
    assert not found, "\n".join(found)
    assert complaints == [] and len(looks) == 8
    page.context.close()


# Buttons that are disabled, or out of sight until a run is at work, are read as well when their time has come.
SHOW_ALL = """() => document.querySelectorAll('.q-btn').forEach(one => {
  one.classList.remove('disabled');
  one.removeAttribute('disabled');
  one.removeAttribute('aria-disabled');
  for (let around = one; around; around = around.parentElement) around.classList.remove('hidden');
})"""
BUTTONS = "() => [...document.querySelectorAll('.q-btn')].filter(one => one.checkVisibility({visibilityProperty: true})).map(one => one.textContent)"
TETRAHEDRON = "v 0 0 0\nv 6 0 0\nv 0 6 0\nv 0 0 6\nf 1 3 2\nf 1 2 4\nf 2 3 4\nf 3 1 4\n"
WORDS = (
    "Undo", "Redo", "Open", "Save", "Save as", "From a corner", "Run", "Stop", "Resume", "Add a source", "Own material …", "Compute the map",
    "Listen", "Apply", "Open the scene", "New box", "Cancel", "Define", "Admittance ρc/Z", "Reload", "Replace", "Close",
)  # fmt: skip


@pytest.mark.parametrize("dark", [False, True])
def test_every_button_and_coordinate_is_read_light_and_dark(chromium, tmp_path, dark):
    """Contrast by WCAG 2.1, 1.4.3, of icons by 1.4.11, in every state of the page; numbers to the millimetre."""
    scene = tmp_path / "room.toml"
    scene.write_text(BOX.replace("[3.0, 2.5,", "[30.0, 25.0,").replace("[0.8, 0.7, 1.1]", "[12.345, 10.125, 1.105]"))
    with started(scene) as address:
        page, complaints = opened(chromium, address, dark=dark)
        found, seen = [], set()

        def look(where):
            page.wait_for_timeout(300)
            page.wait_for_function(AT_REST)
            page.evaluate(SHOW_ALL)
            seen.update(word for words in page.evaluate(BUTTONS) for word in WORDS if words.endswith(word))
            found.extend(f"{where}: {one}" for one in faults(page) if "contrast" in one or "cut" in one)

        page.get_by_text("Walls that decide T20").click()
        look("scene")
        for button in ("Open", "Save as", "Own material …"):
            page.get_by_role("button", name=button, exact=True).click()
            page.locator(".q-dialog__inner").wait_for()
            look(button)
            page.keyboard.press("Escape")
            page.wait_for_function(CLOSED)
        for tab in ("Results", "Text"):
            page.get_by_role("tab", name=tab).click()
            look(tab)
        page.get_by_role("tab", name="Scene").click()
        page.get_by_label("Remove S1").click()  # the only one
        page.get_by_text("a scene needs one source").first.wait_for()
        look("complaint")
        set_field(page, "S1, x in m", 0.9)
        page.get_by_role("button", name="Save", exact=True).click()
        page.get_by_text("Saved room.toml").wait_for()
        look("saved")
        (tmp_path / "room.obj").write_text(TETRAHEDRON)
        page.get_by_role("button", name="Open", exact=True).click()
        choose(page, "Mesh", "room.obj")
        page.get_by_role("button", name="New from the mesh").click()
        page.get_by_text("suggested by the names of surfaces").wait_for()
        look("notes on a mesh")
        page.get_by_role("button", name="Open", exact=True).click()
        choose(page, "Scene", "room.toml")
        page.get_by_role("button", name="Open the scene").click()
        page.wait_for_function(CLOSED)
        set_field(page, "S1, x in m", 0.8)
        scene.write_text(scene.read_text() + "# of another program\n")
        page.get_by_role("button", name="Save", exact=True).click()
        page.get_by_role("button", name="Replace").wait_for()
        look("changed file")
        assert not found, "\n".join(found)
        assert seen == set(WORDS) and complaints == []
        page.context.close()


# Of the first waterfall: cells that are drawn in each picture while another one takes its place, of pixels or of elements.
CELLS = """([name, words]) => new Promise(done => {
  const counts = new Set(), begun = performance.now();
  const count = () => {
    const chart = document.querySelector('.nicegui-echart[aria-label^=Waterfall]');
    let most = 0;
    for (const one of chart.querySelectorAll('canvas')) {
      const {width, height} = one, data = one.getContext('2d', {willReadFrequently: true}).getImageData(0, 0, width, height).data;
      let drawn = 0;
      for (let i = 3; i < data.length; i += 4) drawn += data[i] > 200;
      most = Math.max(most, Math.round(20 * drawn / (width * height)));
    }
    counts.add(most || chart.querySelectorAll('path').length);
    if (performance.now() - begun < 5000) requestAnimationFrame(count); else done([...counts]);
  };
  [...document.querySelectorAll('.q-menu .q-item')].find(one => one.textContent.trim() === words).click();
  requestAnimationFrame(count);
})"""


def test_a_waterfall_is_whole_in_every_picture(chromium, address):
    """On a busy machine, too: ECharts paints a heat map of pixels in parts."""
    page, complaints = opened(chromium, address)
    results(page, beside=False)
    page.context.new_cdp_session(page).send("Emulation.setCPUThrottlingRate", {"rate": 6})
    waterfall = page.locator(".nicegui-echart[aria-label^=Waterfall]")
    for words in ("seat 2", "seat 3"):
        page.get_by_label("Receiver", exact=True).last.click()
        page.locator(".q-menu .q-item", has_text=words).wait_for()
        counts = page.evaluate(CELLS, ["Receiver", words])
        assert waterfall.get_attribute("aria-label").endswith(f"to {words}")
        assert len(counts) == 1 and counts[0] > 1000, counts
    assert complaints == []
    page.context.close()


METRE = """() => [...document.querySelectorAll('.nicegui-echart[aria-label^=C50]')].map(one => {
  const chart = getElement(Number(one.id.slice(1))).chart, at = (x, y) => chart.convertToPixel('grid', [x, y]);
  const [x0, y0] = at(0, 0), [x1, y1] = at(1, 1);
  return [x1 - x0, y0 - y1];
})"""


@pytest.mark.parametrize("width", [800, 1280])
def test_a_metre_of_a_map_is_as_long_along_x_as_along_y(chromium, address, width):
    page, complaints = opened(chromium, address, width)
    results(page)
    page.wait_for_timeout(1000)
    lengths = page.evaluate(METRE)
    assert len(lengths) == 2
    for x, y in lengths:
        assert x == pytest.approx(y, rel=0.02) and x > 50
    assert complaints == []
    page.context.close()
