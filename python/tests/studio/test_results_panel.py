"""The page of results on the server's side: which run, source and receiver each card is of, films, and what is heard."""

import shutil
import wave

import pytest

pytest.importorskip("nicegui")
pytest.importorskip("trimesh")

import roomfdtd as rf  # noqa: E402
from nicegui import ui  # noqa: E402
from roomfdtd.studio import charts, listening  # noqa: E402
from roomfdtd.studio.session import Session  # noqa: E402
from studio_user import on_a_page, until  # noqa: E402


def scene_of(walls, film="z", receivers=("seat",), sources=((0.6, 0.7, 0.9), (2.4, 1.9, 1.1))):
    return rf.Scene(
        rf.Room.box(3.0, 2.5, 2.2, walls),
        sources=[rf.Source(f"S{number}", at) for number, at in enumerate(sources, 1)],
        receivers=[rf.Receiver(name, (1.3 + 0.7 * number, 0.9, 1.0)) for number, name in enumerate(receivers)],
        duration=0.6,
        max_frequency=200.0,
        above={"method": "none"},
        output={"snapshots": [{"plane": film, "position": 1.0, "every": 0.01, "end": 0.03}]},
    )


@pytest.fixture(scope="module")
def runs(tmp_path_factory):
    """Two runs, the second of more absorption, with other receivers and other slices."""
    folder = tmp_path_factory.mktemp("runs")
    scene_of("plasterboard").run(folder / "out/hard")
    scene_of(rf.Material.admittance(0.2), "x", ("desk", "door")).run(folder / "out/soft")
    return folder


@pytest.fixture()
def session(runs, tmp_path):
    shutil.copytree(runs / "out", tmp_path / "out")
    return Session(tmp_path, debounce=0.05)


def shown_charts(shown):
    return [one for one in shown.all(ui.echart) if not one.is_deleted]


def take(shown, name, value):
    """Choose on the page of results; the scene's page has lists of the same names before it."""
    shown.choose(shown.named(name)[-1], value)


async def settled(shown, words):
    """The cards of these runs are drawn."""
    await until(lambda: any(one.startswith(words) and "responses to" in one for one in shown.labels()))
    await until(lambda: not any("drawing the film" in one or "computing" in one for one in shown.labels()))


def figure_of(folder, run, source, receiver, band="125", figure="T20"):
    rows = charts.figure_table(rf.open_result(folder / "out" / run), figure, source)
    return next(row[band] for row in rows if row["receiver"] == receiver)


def test_cards_of_two_runs_stand_beside_each_other_each_with_its_own_values(session):
    async def look(shown):
        assert shown["Run"].options == ["out/soft", "out/hard"], "the latest first"
        await settled(shown, "out/soft")
        shown.choose("Run", "out/hard")
        await settled(shown, "out/hard (")
        assert not shown["Receiver beside it"].visible
        shown.choose("Beside it", "out/soft")
        await settled(shown, "out/hard (responses to 200 Hz) beside out/soft")
        assert shown["Receiver beside it"].visible and shown["Receiver beside it"].options == ["desk", "door"]
        for source, beside, figure in (("S1", "desk", "T20"), ("S2", "desk", "T20"), ("S2", "door", "EDT")):
            for name, value in (("Source", source), ("Receiver beside it", beside), ("Figure", figure)):
                take(shown, name, value)
            titles = [f"{figure} by octave, source {source}", *(f"{kind}, {source} to {{}}" for kind in ("Decays", "Spectrum", "Waterfall"))]
            expected = [title.format(receiver) for title in titles for receiver in ("seat", beside)]
            await until(lambda expected=expected: [one.options["title"]["text"] for one in shown_charts(shown)] == expected)
            assert [one.props["aria-label"] for one in shown_charts(shown)] == expected
            tables = [one for one in shown.all(ui.table) if (one.props.get("aria-label") or "").startswith(f"{figure} by octave")]
            await until(lambda tables=tables: all(not one.is_deleted for one in tables) and len(tables) == 2)
            for table, run, receiver in zip(tables, ("hard", "soft"), ("seat", beside)):
                row = next(one for one in table.rows if one["receiver"] == receiver)
                assert row["125"] == figure_of(session.folder.root, run, source, receiver, figure=figure)
            names = [one.parent_slot.parent.default_slot.children[0].text for one in shown_charts(shown)]
            assert names == ["out/hard", "out/soft"] * 4
            assert all(one.options["yAxis"]["max"] is not None for one in shown_charts(shown)[:2])
            first, second = (rf.open_result(session.folder.root / "out" / run) for run in ("hard", "soft"))
            drawn = [one.options["series"][0]["data"] for one in shown_charts(shown)[2:]]
            for number, maker in enumerate((charts.decay_chart, charts.spectrum_chart, charts.waterfall)):
                assert drawn[2 * number] == maker(first, "seat", source)["series"][0]["data"]
                assert drawn[2 * number + 1] == maker(second, beside, source)["series"][0]["data"] != drawn[2 * number]
            for one, other in zip(shown_charts(shown)[::2], shown_charts(shown)[1::2]):
                assert [one.options[axis].get("max") for axis in ("xAxis", "yAxis")] == [other.options[axis].get("max") for axis in ("xAxis", "yAxis")]

    on_a_page(session, look)


def test_a_film_shows_its_frames_one_after_the_other(session):
    async def look(shown):
        await settled(shown, "out/soft")
        shown.choose("Run", "out/hard")
        await settled(shown, "out/hard")
        hard = rf.open_result(session.folder.root / "out/hard")
        (slice_name,) = listening.slices(hard)
        film = listening.film(hard, "S1", slice_name)
        await until(lambda: shown.has("Frame of the film") and film.where in " ".join(shown.labels()))
        (picture,) = [one for one in shown.all() if one.tag == "img"]
        slider, play = shown["Frame of the film"], shown["Play the film"]
        assert len(film.pictures) == 4 and slider.props["max"] == 3

        def seen():
            number = [session.folder.address(one) for one in film.pictures].index(picture.props["src"])
            words = f"{1000 * film.times[number]:.1f} ms"
            assert words in picture.props["alt"] and film.where in picture.props["alt"] and words in shown.labels()
            assert (slider.props["value"], slider.props["aria-valuetext"]) == (number, words)
            return number

        assert seen() == 0
        shown.use(slider, "input", "2")
        assert seen() == 2
        shown.use(play)
        assert play.props["aria-label"] == "Pause the film"
        passed = [2]

        def next_frame():
            if seen() != passed[-1]:
                passed.append(seen())
            return len(passed) > 5

        await until(next_frame)
        assert passed[:6] == [2, 3, 0, 1, 2, 3], "from the last frame on it begins again"
        shown.use(play)
        assert play.props["aria-label"] == "Play the film"
        at = seen()
        before = shown.named("Receiver")[-1].value
        shown.choose("Figure", "C80")
        await until(lambda: any(one.options["title"]["text"].startswith("C80") for one in shown_charts(shown)))
        assert seen() == at and not picture.is_deleted, "a film goes on where another chart is chosen"
        take(shown, "Source", "S2")
        await until(lambda: picture.is_deleted and shown.has("Frame of the film"))
        assert f"/S2_{slice_name}/" in [one for one in shown.all() if one.tag == "img"][0].props["src"] and shown.named("Receiver")[-1].value == before

    on_a_page(session, look)


def test_what_is_heard_is_of_the_chosen_source_receiver_and_sound(session, monkeypatch):
    asked = []
    real = listening.listen

    def listen(results, pairs, dry, rotation=None):
        asked.append(([result.path.parent.name for result in results], pairs, dry, rotation))
        return real(results, pairs, dry, rotation)

    monkeypatch.setattr(listening, "listen", listen)
    with wave.open(str(session.folder.root / "dry.wav"), "wb") as file:
        file.setnchannels(1)
        file.setsampwidth(2)
        file.setframerate(48000)
        file.writeframes(b"\0\x40" + bytes(2 * 4800))

    async def look(shown):
        await settled(shown, "out/soft")
        shown.page._results.refresh("out/hard")
        await settled(shown, "out/hard")
        assert shown["Dry sound"].options == [*listening.BUILT_IN, "dry.wav"]
        for name, value in (("Beside it", "out/soft"), ("Source", "S2"), ("Receiver beside it", "door"), ("Dry sound", "dry.wav")):
            take(shown, name, value)
            await settled(shown, "out/hard (responses to 200 Hz) beside")
        shown.use(shown.button("Listen"))
        await until(lambda: len(shown.all(ui.audio)) == 2)
        assert asked == [(["hard", "soft"], [("S2", "seat"), ("S2", "door")], session.folder.path("dry.wav"), None)]
        for sound, run, receiver in zip(shown.all(ui.audio), ("hard", "soft"), ("seat", "door")):
            assert sound.props["src"].startswith(f"/studio/file/out/{run}/listening/S2_{receiver}_dry.wav?")
            assert sound.props["aria-label"] == f"out/{run}: S2 to {receiver}"
            assert any(one.startswith(f"out/{run}: S2 to {receiver}; nothing above 200 Hz; the same gain") for one in shown.labels())
        assert shown.button("Listen").enabled

    on_a_page(session, look)
