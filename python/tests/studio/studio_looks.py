"""Finds what is cut, out of sight, too small to touch, too pale to read, or nameless on a page in the browser."""

CONTROLS = "input, textarea, select, button, a[href], audio, [role=switch], [role=tab], [role=slider], [role=button], [role=radio], [role=combobox], [tabindex]"
# Contrasts by WCAG 2.1, 1.4.3: 4.5, and 3 of large words; of icons 3, by 1.4.11. Disabled controls and pictures are left out.
# Quasar's buttons have the class no-outline, as have its empty elements that take the focus.
FAULTS = """([controls, least]) => {
  const shown = one => one.checkVisibility({visibilityProperty: true}) && one.getClientRects().length && !one.closest('.sr-only, .q-focus-helper, .no-outline:empty');
  const name = one => `${one.tagName} ${(one.getAttribute('aria-label') || one.textContent.trim() || one.className).slice(0, 50)}`;
  const all = [...document.querySelectorAll('*')].filter(shown), found = [];
  const wide = document.documentElement.scrollWidth - document.documentElement.clientWidth;
  if (wide > 0) found.push(`the page is ${wide} px wider than its window`);
  for (const one of all.filter(one => one.matches(controls))) {
    const place = one.getBoundingClientRect();
    if (place.left < -0.5 || place.right > innerWidth + 0.5) found.push(`${name(one)}: outside of the window`);
    const target = (one.matches('input, textarea') && one.closest('.q-field__control') || one).getBoundingClientRect();
    if (Math.min(target.width, target.height) < least) found.push(`${name(one)}: ${target.width.toFixed(0)} x ${target.height.toFixed(0)} px`);
  }
  for (const one of all.filter(one => one.matches('input[type=number]') && one.scrollWidth > one.clientWidth)) found.push(`${name(one)}: ${one.value} is cut`);
  const over = (top, under) => [0, 1, 2].map(i => top[i] * top[3] + under[i] * (1 - top[3])).concat(1);
  const light = colour => colour.slice(0, 3).map(c => (c /= 255, c <= 0.04045 ? c / 12.92 : ((c + 0.055) / 1.055) ** 2.4)).reduce((sum, c, i) => sum + c * [0.2126, 0.7152, 0.0722][i], 0);
  const canvas = document.createElement('canvas').getContext('2d', {willReadFrequently: true});
  const seen = words => { canvas.clearRect(0, 0, 1, 1); canvas.fillStyle = words; canvas.fillRect(0, 0, 1, 1); const [r, g, b, a] = canvas.getImageData(0, 0, 1, 1).data; return [r, g, b, a / 255]; };
  for (const one of all) {
    if (![...one.childNodes].some(node => node.nodeType === 3 && node.textContent.trim()) || one.closest('.studio-view, svg, [aria-disabled=true], .disabled, [disabled]')) continue;
    const style = getComputedStyle(one);
    if (one.scrollWidth > one.clientWidth + 1 && ['hidden', 'clip'].includes(style.overflowX) && style.textOverflow !== 'ellipsis') found.push(`${name(one)}: words are cut`);
    const behind = [];
    for (let under = one; under; under = under.parentElement) {
      behind.push(seen(getComputedStyle(under).backgroundColor));
      if (behind.at(-1)[3] === 1) break;
    }
    let ground = getComputedStyle(document.documentElement).colorScheme.includes('dark') ? [18, 18, 18, 1] : [255, 255, 255, 1];
    for (const colour of behind.reverse()) ground = over(colour, ground);
    let opacity = 1;
    for (let under = one; under; under = under.parentElement) opacity *= Number(getComputedStyle(under).opacity);
    const ink = seen(style.color);
    ink[3] *= opacity;
    const [a, b] = [light(over(ink, ground)), light(ground)].sort((x, y) => y - x), contrast = (a + 0.05) / (b + 0.05);
    const size = parseFloat(style.fontSize), large = one.matches('.q-icon') || size >= 24 || size >= 18.66 && Number(style.fontWeight) >= 700;
    if (contrast < (large ? 3 : 4.5)) found.push(`${name(one)}: contrast ${contrast.toFixed(2)}`);
  }
  return [...new Set(found)];
}"""


def faults(page, least=0):
    """Faults of what is shown now; `least`: px that the sides of a control have at least."""
    return page.evaluate(FAULTS, [CONTROLS, least])


def unnamed(page):
    """Controls that Tab or a finger reaches and that have no name in the browser's accessibility tree."""
    session = page.context.new_cdp_session(page)
    found = []
    for node in session.send("Accessibility.getFullAXTree")["nodes"]:
        takes_focus = any(one["name"] == "focusable" and one["value"]["value"] for one in node.get("properties", []))
        role = node.get("role", {}).get("value", "")
        if node["ignored"] or not takes_focus or role == "RootWebArea" or node.get("name", {}).get("value", "").strip():
            continue
        words = session.send("DOM.describeNode", {"backendNodeId": node["backendDOMNodeId"]})["node"].get("attributes", [])
        if dict(zip(words[::2], words[1::2])).get("tabindex") != "-1":
            found.append(f"{role} {' '.join(words)[:160]}")
    return found
