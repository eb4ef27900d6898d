"""The studio's page on the server's side alone, without a browser: its elements by their names."""

import asyncio
import time

import pytest

pytest.importorskip("nicegui")
pytest.importorskip("trimesh")

from nicegui import app, ui  # noqa: E402
from nicegui.testing import UserInteraction, user_simulation  # noqa: E402
from roomfdtd.studio import page as pages  # noqa: E402
from roomfdtd.studio.bodies import BodyStore  # noqa: E402
from studio_browser import LONGEST  # noqa: E402


class Shown:
    """A page of a session, its elements by the names that screen readers hear."""

    def __init__(self, user, session, page=None):
        self.user, self.session, self.page = user, session, page

    def all(self, kind=ui.element):
        """Elements of a class, those of the page's beginning first."""
        return [one for one in self.user.client.elements.values() if isinstance(one, kind)]

    def named(self, name):
        return [one for one in self.all() if one.props.get("aria-label") == name]

    def __getitem__(self, name):
        found = self.named(name)
        assert found, name
        return found[0]

    def has(self, name):
        return bool(self.named(name))

    def use(self, element, event="click", args=None):
        UserInteraction(self.user, {element}, None).trigger(event, args)

    def button(self, words):
        (found,) = [one for one in self.all(ui.button) if one.text == words]
        return found

    def switch(self, words):
        (found,) = [one for one in self.all(ui.switch) if one.text == words]
        return found

    def choose(self, element, value):
        """Give a list, a switch or a toggle, or the one of this name, another value."""
        with self.user:
            (self[element] if isinstance(element, str) else element).set_value(value)

    def fill(self, name, value):
        with self.user:
            self[name].set_value(value)
            self.use(self[name], "focusout")

    def labels(self):
        return [one.text for one in self.all(ui.label)]

    def point(self, kind, number=0):
        return self.session.document.tables[kind][number]


def on_a_page(session, look):
    """Run `look` with the page of a session, which is planned when it begins."""

    async def opened():
        async with user_simulation() as user:
            store, made = BodyStore(app), []

            @ui.page("/")
            def index():
                made.append(pages.Page(session, store))

            await user.open("/")
            try:
                await user.should_see("Waves valid to", retries=round(10 * LONGEST))
                await look(Shown(user, session, made[0]))
            except Exception as error:  # an error that leaves the block keeps NiceGUI's tasks from ending
                return error
            return None

    error = asyncio.run(opened())
    if error is not None:
        raise error


async def until(condition):
    deadline = time.monotonic() + LONGEST
    while not condition():
        assert time.monotonic() < deadline, "it did not happen in time"
        await asyncio.sleep(0.02)
