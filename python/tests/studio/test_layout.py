"""Every tab and dialog of the page in headless Chromium, on a tablet and on a screen, light and dark; charts to scale and whole."""

import pytest

pytest.importorskip("nicegui")
pytest.importorskip("trimesh")
pytest.importorskip("playwright")

from studio_browser import CHROMIUM, browser, choose, started, watched  # noqa: E402
from studio_looks import faults, unnamed  # noqa: E402
from studio_rooms import with_runs  # noqa: E402

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
    page.get_by_text("Waves valid to").wait_for(timeout=60000)
    page.wait_for_function(f"() => document.body.classList.contains('body--dark') === {str(dark).lower()}")
    return page, complaints


def results(page, beside=True):
    page.get_by_role("tab", name="Results").click()
    page.get_by_label("Frame of the film").first.wait_for(timeout=60000)
    if beside:
        choose(page, "Beside it", "out/room")
        page.get_by_label("Frame of the film").nth(1).wait_for(timeout=60000)
        page.wait_for_function("() => document.querySelectorAll('.nicegui-echart').length === 10")


# Lists and dialogs grow while they open.
AT_REST = "() => !document.querySelector('[class*=-enter-active]') && document.getAnimations().every(one => one.playState !== 'running' || one.effect.getComputedTiming().endTime === Infinity)"


@pytest.mark.parametrize(("width", "dark"), [(800, False), (800, True), (1280, False), (1280, True)])
def test_nothing_is_cut_pale_nameless_or_too_small_to_touch(chromium, address, width, dark):
    touch = width == 800
    page, complaints = opened(chromium, address, width, dark, touch)
    found, looks = [], []

    def look(where):
        page.wait_for_timeout(300)
        page.wait_for_function(AT_REST)
        looks.append(where)
        found.extend(f"{where}: {one}" for one in [*faults(page, 40 if touch else 0), *(f"{role} without a name" for role in unnamed(page))])

    for words in ("Notches by walls", "Walls that decide T20"):
        page.get_by_text(words).click()
    page.get_by_label("Notches by first reflections of walls").locator("tbody tr").first.wait_for(timeout=30000)
    page.get_by_text("two runs of the waves").wait_for(timeout=30000)
    look("scene")
    for button in ("Open", "Save as", "Own material …", "Keys of the view"):
        page.get_by_role("button", name=button, exact=True).click()
        look(button)
        page.keyboard.press("Escape")
        page.wait_for_function("() => !document.querySelector('.q-dialog__inner, .q-menu')")
    page.get_by_label("Material of x_min", exact=True).first.click()
    look("list of materials")
    page.keyboard.press("Escape")
    results(page)
    page.get_by_role("button", name="Listen").click()
    page.locator("audio").nth(1).wait_for(timeout=60000)
    look("results")
    page.get_by_role("tab", name="Text").click()
    look("text")
    assert not found, "\n".join(found)
    assert complaints == [] and len(looks) == 8
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
