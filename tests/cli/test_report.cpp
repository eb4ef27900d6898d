// report.html: the same bytes from the same result, nothing from elsewhere, nothing that a name could break, never
// large.
#include <fmt/format.h>

#include <cmath>
#include <filesystem>
#include <random>
#include <string>
#include <vector>

#include "engine/files/wav_write.hpp"
#include "engine/results/result.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/places.hpp"
#include "tests/support/program.hpp"

using namespace fdtd;
using namespace fdtd::test;

namespace {

const std::string small_room = R"(schema = 1
[simulation]
duration = 0.2
max_frequency = 500.0
stencil = "leggy-3"
[room]
box = [2.3, 1.9, 1.4]
[room.walls]
default = "plaster"
z_min = "stone"
[materials.plaster]
absorption = { bands = [125, 250, 500], alpha = [0.2, 0.1, 0.3] }
[materials.stone]
rigid = true
[[source]]
name = "S1"
position = [0.5, 0.6, 0.7]
[[receiver]]
name = "R1"
position = [1.7, 1.1, 0.4]
[[receiver]]
name = "B"
pattern = "ambisonic"
order = 1
position = [1.1, 1.1, 0.6]
)";

// One source; noise that falls by 60 dB in `decay` s at every receiver.
Result noisy(const std::vector<std::string>& receivers, double seconds, double decay = 1.0) {
  Result result;
  result.recording.sample_rate = 48000.0;
  result.recording.sources = {"S"};
  result.recording.receivers = read_channel_names(receivers);
  result.recording.energy = {{{40, {0.5, 1.0, 0.5}, 1e-7}, {80, {0.2, 1.0, 0.8}, 1e-7}}};
  result.source_positions = {{1.0, 1.0, 1.0}};
  result.receiver_positions.assign(receivers.size(), {2.0, 1.0, 1.0});
  result.options.bandwidth = 18000.0;
  result.options.duration = seconds;
  result.rendered.sample_rate = 48000.0;
  result.rendered.samples = static_cast<std::int64_t>(48000.0 * seconds);
  std::mt19937 random(7);
  for (std::size_t r = 0; r < receivers.size(); ++r)
    for (std::int64_t n = 0; n < result.rendered.samples; ++n)
      result.rendered.ir.push_back((static_cast<double>(random()) / 2147483648.0 - 1.0) *
                                   std::pow(10.0, -3.0 * static_cast<double>(n) / (48000.0 * decay)));
  result.recording.samples = static_cast<std::int64_t>(48000.0 * seconds) + 1;
  result.recording.pressure.assign(receivers.size() * static_cast<std::size_t>(result.recording.samples), 0.0);
  return result;
}

std::string report_of(const Result& result, const TemporaryFolder& folder) {
  write_result(folder.path() / "result.h5", result, true);
  const Outcome outcome = run_fdtd({"report", "result.h5", "--force"}, folder.path());
  INFO(outcome.err);
  REQUIRE(outcome.status == 0);
  return read_file(folder.path() / "report.html");
}

std::size_t count(const std::string& text, const std::string& part) {
  std::size_t found = 0;
  for (std::size_t at = text.find(part); at != std::string::npos; at = text.find(part, at + 1)) ++found;
  return found;
}

}  // namespace

TEST_CASE("run writes report.html, and report makes the same bytes again from result.h5", "[cli]") {
  const TemporaryFolder folder;
  folder.write("small.toml", small_room);
  REQUIRE(run_fdtd({"run", "small.toml", "-o", "made"}, folder.path()).status == 0);
  const std::string page = read_file(folder.path() / "made/report.html");
  REQUIRE(run_fdtd({"report", "made/result.h5", "-o", "again.html"}, folder.path()).status == 0);
  CHECK(read_file(folder.path() / "again.html") == page);
  for (const char* part :
       {"id=\"room-plan\"", "S1 at R1", "S1 at B", "Impulse response", "Decay by octave band", "Frequency response",
        "Spectrogram", "Low frequencies, S1 at R1", "axial modes of the rigid box", "T30 s",
        "plaster: random-incidence absorption", "Energy balance", "Provenance", "xi20, xi30: non-linearity",
        "[materials.stone]", "leggy-3", "name=\"viewport\""})
    CHECK(page.find(part) != std::string::npos);
  CHECK(page.find("B:01") == std::string::npos);  // parts of a response are nobody's
  // It exists, and is kept.
  CHECK(run_fdtd({"report", "made/result.h5"}, folder.path()).status == 5);
  CHECK(run_fdtd({"run", "small.toml", "-o", "made"}, folder.path()).status == 5);
}

TEST_CASE("a report draws the responses that are named, and refuses names that are none", "[cli]") {
  const TemporaryFolder folder;
  write_result(folder.path() / "result.h5", noisy({"R1", "R2"}, 0.3), false);
  REQUIRE(run_fdtd({"report", "result.h5", "-o", "one.html", "--receiver", "R2"}, folder.path()).status == 0);
  const std::string page = read_file(folder.path() / "one.html");
  CHECK(page.find("Impulse response, S at R2") != std::string::npos);
  CHECK(page.find("Impulse response, S at R1") == std::string::npos);
  struct Refused {
    const char *option, *name, *hint;
  };
  for (const auto& [option, name, hint] :
       {Refused{"--receiver", "R3", "it has R1, R2"}, {"--source", "R1", "it has S"}}) {
    const Outcome outcome = run_fdtd({"report", "result.h5", "-o", "none.html", option, name}, folder.path());
    CHECK(outcome.status == 2);
    CHECK_THAT(outcome.err, Catch::Contains(name) && Catch::Contains(hint));
    const Outcome two = run_fdtd({"report", "result.h5", "result.h5", "-o", "none.html", option, name}, folder.path());
    CHECK(two.status == 2);
    CHECK_THAT(two.err, Catch::Contains(name) && Catch::Contains(hint));
    CHECK_FALSE(std::filesystem::exists(folder.path() / "none.html"));
  }
  const Outcome nowhere = run_fdtd({"report", "nowhere"}, folder.path());
  CHECK(nowhere.status == 5);
  CHECK_THAT(nowhere.err, Catch::Contains("nowhere: no such file") && Catch::Contains("check its name"));
}

TEST_CASE("figures by octave are charts with their values in words, and a use adds its targets", "[cli]") {
  const TemporaryFolder folder;
  folder.write("small.toml", small_room);
  REQUIRE(run_fdtd({"run", "small.toml", "-o", "made", "--quiet"}, folder.path()).status == 0);
  const std::string plain = read_file(folder.path() / "made/report.html");
  for (const char* part : {"EDT by octave", "T20 by octave", "C80 by octave", "<title>EDT, mean of "})
    CHECK(plain.find(part) != std::string::npos);
  CHECK(plain.find("class=\"range\"") == std::string::npos);  // no use is guessed
  CHECK(plain.find("BS.1116") == std::string::npos);
  const Outcome studio = run_fdtd({"report", "made/result.h5", "-o", "studio.html", "--use", "studio"}, folder.path());
  INFO(studio.err);
  REQUIRE(studio.status == 0);
  const std::string page = read_file(folder.path() / "studio.html");
  CHECK(count(page, "class=\"range\"") == 2);  // of T20 and T30
  CHECK(page.find("EBU Tech 3276, ITU-R BS.1116: the mean T from 200 Hz to 4 kHz is 0.20 s in 6.118 m\u00b3") !=
        std::string::npos);
  // Too small for the standard: said, and nothing is drawn.
  REQUIRE(run_fdtd({"report", "made/result.h5", "-o", "speech.html", "--use", "speech"}, folder.path()).status == 0);
  const std::string speech = read_file(folder.path() / "speech.html");
  CHECK(speech.find("DIN 18041:2016, A2 has no target") != std::string::npos);
  CHECK(count(speech, "class=\"range\"") == 0);
  CHECK(run_fdtd({"report", "made/result.h5", "-o", "x.html", "--use", "opera"}, folder.path()).status == 2);
  // A result that states no volume has none to compute targets for.
  write_result(folder.path() / "bare.h5", noisy({"R1"}, 0.3), false);
  const Outcome bare = run_fdtd({"report", "bare.h5", "-o", "x.html", "--use", "studio"}, folder.path());
  CHECK(bare.status == 2);
  CHECK_THAT(bare.err, Catch::Contains("volume"));
  CHECK_FALSE(std::filesystem::exists(folder.path() / "x.html"));
}

TEST_CASE("two results are compared: differences in units and just noticeable ones, and their curves", "[cli]") {
  const TemporaryFolder folder;
  folder.write("small.toml", small_room);
  REQUIRE(run_fdtd({"run", "small.toml", "-o", "one", "--quiet"}, folder.path()).status == 0);
  REQUIRE(run_fdtd({"run", "small.toml", "-o", "two", "--quiet", "--set",
                    "materials.plaster.absorption.alpha=[0.5,0.5,0.5]"},
                   folder.path())
              .status == 0);
  const auto compared = [&](const std::string& b) {
    const Outcome outcome =
        run_fdtd({"report", "one/result.h5", b + "/result.h5", "-o", "both.html", "--force"}, folder.path());
    INFO(outcome.err);
    REQUIRE(outcome.status == 0);
    return read_file(folder.path() / "both.html");
  };
  const std::string same = compared("one");
  CHECK(same.find("The text of the scene is the same in both.") != std::string::npos);
  CHECK(same.find(">+0.000 (0.0)</td>") != std::string::npos);
  CHECK(count(same, "(0.0)</td>") > 20);
  CHECK(count(same, "(0.0)</td>") == count(same, ")</td>"));
  const std::string page = compared("two");
  CHECK(page == compared("two"));
  for (const char* part : {"one/result.h5", "two/result.h5", "EDT, s", "materials.plaster.absorption.alpha", "S1 at R1",
                           "Frequency response, S1 at R1", "Decay, 125 Hz", "T20 by octave", "default-src 'none'"})
    CHECK(page.find(part) != std::string::npos);
  // More absorption: shorter decays, by more than is just noticeable.
  const std::size_t row = page.find("<th scope=\"row\">EDT, s</th>");
  REQUIRE(row != std::string::npos);
  CHECK(page.substr(row, 200).find("<td>-0.") != std::string::npos);
  CHECK(run_fdtd({"report", "one/result.h5", "two/result.h5"}, folder.path()).status == 2);  // it needs a name
  write_result(folder.path() / "other.h5", noisy({"elsewhere"}, 0.3), false);
  const Outcome none = run_fdtd({"report", "one/result.h5", "other.h5", "-o", "none.html"}, folder.path());
  CHECK(none.status == 2);
  CHECK_FALSE(std::filesystem::exists(folder.path() / "none.html"));
}

TEST_CASE("compare prints B less A by octave, marks what is noticeable, and writes the page of report", "[cli]") {
  const TemporaryFolder folder;
  for (const char* name : {"a", "b"}) std::filesystem::create_directory(folder.path() / name);
  write_result(folder.path() / "a/result.h5", noisy({"R1", "R2"}, 1.2), false);
  Result shorter = noisy({"R1", "R3"}, 1.2, 0.8);
  shorter.options.bandwidth = 12000.0;
  shorter.receiver_positions.at(0)[1] += 1.0;
  write_result(folder.path() / "b/result.h5", shorter, false);
  const Outcome two = run_fdtd({"compare", "a", "b/result.h5", "-o", "both.html"}, folder.path());
  INFO(two.out << two.err);
  REQUIRE(two.status == 0);
  for (const char* part :
       {"A: a/result.h5, valid up to 18000 Hz\nB: b/result.h5, valid up to 12000 Hz\n", "mean over 1 pair of",
        "   T30 s ", "    D50 % ", "1 pair in A alone: S at R2", "1 pair in B alone: S at R3", "wrote both.html"})
    CHECK_THAT(two.out, Catch::Contains(part));
  CHECK_THAT(two.out, Catch::Contains("receiver \"R1\" stands 1 m from its place in A"));
  CHECK_THAT(read_file(folder.path() / "both.html"), Catch::Contains(" stands 1 m from its place in A"));
  // Charts are over the pair that both have.
  const std::string both = read_file(folder.path() / "both.html");
  CHECK_THAT(both, Catch::Contains(">A, mean of 1</text>") && Catch::Contains(">B, mean of 1</text>"));
  // 60 dB in 0.8 s after 60 dB in 1 s: -0.2 s of T30 at 4 kHz, four just noticeable differences.
  const std::size_t row = two.out.find("\n    4000");
  REQUIRE(row != std::string::npos);
  const std::string t30 = two.out.substr(row + 1 + 8 + 2 * 9, 9);
  CHECK(std::stod(t30) == Approx(-0.2).margin(0.06));
  CHECK(t30.back() == '*');
  REQUIRE(run_fdtd({"report", "a", "b", "-o", "page.html"}, folder.path()).status == 0);
  CHECK(read_file(folder.path() / "both.html") == read_file(folder.path() / "page.html"));
  // Of itself a run differs in nothing.
  const Outcome same = run_fdtd({"compare", "a", "a"}, folder.path());
  CHECK_THAT(same.out, Catch::Contains("no figure differs") && !Catch::Contains("*"));
  CHECK(run_fdtd({"compare", "a", "b", "-o", "both.html"}, folder.path()).status == 5);  // it is there
  CHECK(run_fdtd({"compare", "a", "none"}, folder.path()).status == 5);
  CHECK(run_fdtd({"compare", "a", "b", "a"}, folder.path()).status == 2);
  // The name was that of the study of stencils.
  for (const std::vector<std::string>& words :
       {std::vector<std::string>{"compare"}, {"compare", "a"}, {"compare", "--families", "leggy"}}) {
    const Outcome old = run_fdtd(words, folder.path());
    CHECK(old.status == 2);
    CHECK_THAT(old.err, Catch::Contains("fdtd bench"));
  }
}

TEST_CASE("a comparison states B less A, in seconds and in steps of 5 % of A, and pairs that one result alone has",
          "[cli]") {
  const TemporaryFolder folder;
  write_result(folder.path() / "a.h5", noisy({"R1", "R2"}, 1.2), false);
  write_result(folder.path() / "b.h5", noisy({"R1", "R3"}, 1.2, 0.8), false);
  REQUIRE(run_fdtd({"report", "a.h5", "b.h5", "-o", "both.html"}, folder.path()).status == 0);
  const std::string page = read_file(folder.path() / "both.html");
  CHECK(page.find("Only in A: S at R2.") != std::string::npos);
  CHECK(page.find("Only in B: S at R3.") != std::string::npos);
  // 60 dB in 0.8 s after 60 dB in 1 s: -0.2 s, four times 5 % of 1 s; the mean over pairs, then the one pair.
  const std::string row = "<th scope=\"row\">T30, s</th>";
  std::size_t rows = 0;
  for (std::size_t at = page.find(row); at != std::string::npos; at = page.find(row, at + 1), ++rows) {
    std::vector<std::string> cells;
    const std::size_t end = page.find("</tr>", at);
    for (std::size_t cell = page.find("<td>", at); cell < end; cell = page.find("<td>", cell + 1))
      cells.push_back(page.substr(cell + 4, page.find("</td>", cell) - cell - 4));
    REQUIRE(cells.size() >= 5);
    // The highest octaves: in the lowest few modes of the noise beat.
    for (std::size_t i = cells.size() - 5; i < cells.size(); ++i) {
      CAPTURE(cells[i]);
      REQUIRE(cells[i].find('(') != std::string::npos);
      CHECK(std::stod(cells[i]) == Approx(-0.2).margin(0.06));
      CHECK(std::stod(cells[i].substr(cells[i].find('(') + 1)) == Approx(4.0).margin(1.2));
    }
  }
  CHECK(rows == 2);
}

TEST_CASE("nothing in a result becomes markup or script of its report", "[cli]") {
  const TemporaryFolder folder;
  const std::string hostile = "<script>alert(1)<\\script>\"'><img src=x onerror=alert(2)>&amp;";
  Result result = noisy({hostile, "R2"}, 0.3);
  result.recording.sources = {"S\"onload=\"alert(3)"};
  result.surface = {{{0, 0, 0}, {3, 0, 0}, {0, 2, 2}}, {{0, 1, 2}}, {0}, {"</script><script>alert(4)</script>"}};
  result.scene_text = "# </pre></style><script>alert(5)</script>";
  result.version = result.build = result.run.device = "<script>alert(6)</script>";
  result.overrides = {"a='<b>'"};
  result.rendered.remarks = {"<iframe src=\"//x\">"};
  result.plan_json = R"({"stencil": "<script>", "warnings": ["<script>alert(7)</script>"]})";
  result.materials_json =
      R"([{"name": "<script>", "bands": [125], "asked": [0.1], "fitted": [0.1], "branches": [{"E": 9}], "remark": "<b>"}])";
  result.metrics_json = R"([{"source": "<i>", "receiver": "<b>", "broadband": {"EDT": null, "T20": 1.5}}])";
  const std::string page = report_of(result, folder);
  // The room's data, three.js, and what draws it; without three.js the last alone.
  const bool without = page.find("has no three.js") != std::string::npos;
  CHECK(count(page, "<script") == (without ? 1 : 3));
  CHECK(count(page, "</script") == (without ? 1 : 3));
  for (const char* part : {"<img", "<iframe", "<b>", "<i>", "</pre></style>"})
    CHECK(page.find(part) == std::string::npos);
  CHECK(page.substr(0, page.find("<script")).find("\"onload") == std::string::npos);  // it is text in the data
  CHECK(page.find("&lt;script&gt;alert(1)") != std::string::npos);
  CHECK((page.find("\\u003c/script>\\u003cscript>alert(4)") != std::string::npos) != without);
}

TEST_CASE("a report names nothing to be fetched and forbids fetching", "[cli]") {
  const TemporaryFolder folder;
  const std::string page = report_of(noisy({"R1"}, 0.3), folder);
  CHECK(page.find("Content-Security-Policy\" content=\"default-src 'none'") != std::string::npos);
  for (const char* part : {"http:", "https:", "<link rel=\"stylesheet", "@import", "url("})
    CHECK(page.find(part) == std::string::npos);
  CHECK(count(page, "href=\"") == count(page, "href=\"data:"));
  CHECK(count(page, " src=") == count(page, " src=\"data:audio/flac;base64,"));
}

TEST_CASE("a report plays the responses and a dry sound through them, within the size that sound may take", "[cli]") {
  const TemporaryFolder folder;
  write_result(folder.path() / "result.h5", noisy({"R1", "R2"}, 0.3), false);
  const auto made = [&](std::vector<std::string> options) {
    options.insert(options.begin(), {"report", "result.h5", "-o", "made.html", "--force"});
    const Outcome outcome = run_fdtd(options, folder.path());
    INFO(outcome.err);
    REQUIRE(outcome.status == 0);
    return read_file(folder.path() / "made.html");
  };
  const std::string page = made({});
  CHECK(count(page, "<audio controls") == 5);  // the dry sound, it at both receivers, both responses
  for (const char* part : {"<figcaption>Dry sound</figcaption>", "<figcaption>Dry sound, S at R2</figcaption>",
                           "<figcaption>Response, S at R1</figcaption>", "media-src data:"})
    CHECK(page.find(part) != std::string::npos);
  CHECK(page.find("Left out") == std::string::npos);
  const std::string small = made({"--audio", "0.12"});
  CHECK(small.find("<figcaption>Dry sound</figcaption>") != std::string::npos);
  CHECK(small.find("Left out for the size of the page: Dry sound, S at R1; Dry sound, S at R2") != std::string::npos);
  CHECK(small.size() + 100'000 < page.size());
  CHECK(made({"--audio", "0"}).find("<audio") == std::string::npos);
  // A file of another rate is resampled; its name, not its path, is on the page.
  std::vector<double> tone(22050);
  for (std::size_t i = 0; i < tone.size(); ++i) tone[i] = 0.5 * std::sin(0.1 * static_cast<double>(i));
  write_audio(folder.path() / "tone.wav", {tone, tone}, 22050, SampleFormat::float32, false);
  const std::string own = made({"--dry", (folder.path() / "tone.wav").string()});
  CHECK(own.find("Dry sound: tone.wav, its first channel.") != std::string::npos);
  CHECK(own.find(folder.path().string()) == std::string::npos);
  const Outcome none = run_fdtd({"report", "result.h5", "-o", "none.html", "--dry", "none.wav"}, folder.path());
  CHECK(none.status == 5);
  CHECK_THAT(none.err, Catch::Contains("none.wav"));
  CHECK_FALSE(std::filesystem::exists(folder.path() / "none.html"));
}

TEST_CASE("the report of long responses at many receivers is small: plots, three.js and sound each within their size",
          "[cli]") {
  constexpr std::size_t plots = 2'000'000, three_js = 240'000, sound = 1'500'000;  // bytes
  const TemporaryFolder folder;
  std::vector<std::string> receivers;
  for (int r = 0; r < 14; ++r) receivers.push_back(fmt::format("R{}", r));
  Result result = noisy(receivers, 3.0);
  result.surface = {{{0, 0, 0}, {3, 0, 0}, {0, 2, 2}}, {{0, 1, 2}}, {0}, {"wood"}};
  const std::string page = report_of(result, folder);
  CHECK(page.find("12 of 14 responses are drawn") != std::string::npos);
  const auto length_of = [&](const std::string& head, const char* tail) {
    std::size_t length = 0;
    for (std::size_t at = page.find(head); at != std::string::npos; at = page.find(head, at + 1))
      length += page.find(tail, at) - at - head.size();
    return length;
  };
  const std::size_t played = length_of("data:audio/flac;base64,", "\""),
                    drawing = length_of("id=\"three-js\">", "</script>");
  CHECK(played > 0);
  CHECK(played <= sound);
  CHECK(drawing <= three_js);
  CHECK(page.size() - played - drawing <= plots);
  CHECK((drawing > 0) == (count(page, "has no three.js") == 0));
  const std::string docs = read_file(FDTD_SOURCE_DIR "/docs/how-to/report.md");
  for (const auto& [bytes, words] : {std::pair(plots, "{} MB of plots and tables"), {sound, "{} MB of sound"}})
    CHECK_THAT(docs, Catch::Contains(fmt::format(fmt::runtime(words), 1e-6 * static_cast<double>(bytes))));
  CHECK_THAT(docs, Catch::Contains(fmt::format("{} kB of three.js", three_js / 1000)));
}

TEST_CASE("a build without three.js shows the plan of the room and says so, one with it draws the room", "[cli]") {
  const TemporaryFolder folder;
  Result result = noisy({"R1"}, 0.1);
  result.surface = {{{0, 0, 0}, {3, 0, 0}, {0, 2, 2}}, {{0, 1, 2}}, {0}, {"wood"}};
  const std::string page = report_of(result, folder);
  const bool without = count(page, "This build of the program has no three.js") == 1;
  CHECK(count(page, "<canvas id=\"room\"") == (without ? 0 : 1));
  CHECK(count(page, "id=\"room-zoom\"") == (without ? 0 : 1));
  CHECK(count(page, "<script type=\"text/plain\" id=\"three-js\">") == (without ? 0 : 1));
  CHECK(count(page, "three.js authors. The MIT License") == (without ? 0 : 1));
  CHECK(count(page, "<details id=\"room-plan\" open>") == (without ? 1 : 0));
  CHECK(count(page, "aria-label=\"Plan of the room\"") == 1);
  CHECK(count(page, "</i>wood</li>") == 1);
}

TEST_CASE("a result without surface, materials or figures has a report all the same", "[cli]") {
  const TemporaryFolder folder;
  const std::string page = report_of(noisy({"R1"}, 0.01), folder);
  CHECK(page.find("does not hold the surface of the room") != std::string::npos);
  CHECK(count(page, "<script") == 1);                      // what opens details for print
  CHECK(page.find("three-js") == page.rfind("three-js"));  // not the library, of which it asks
  Result silent = noisy({"R1"}, 0.1);
  silent.rendered.ir.assign(silent.rendered.ir.size(), 0.0);
  CHECK(report_of(silent, folder).find("Impulse response") != std::string::npos);
  silent.rendered.ir.clear();
  silent.rendered.samples = 0;
  silent.recording.samples = 1;
  silent.recording.energy = {{}};
  silent.recording.pressure.assign(1, 0.0);
  CHECK(report_of(silent, folder).find("Impulse response") != std::string::npos);
  silent.plan_json = std::string(1, '{');
  write_result(folder.path() / "result.h5", silent, true);
  const Outcome outcome = run_fdtd({"report", "result.h5", "--force"}, folder.path());
  CHECK(outcome.status == 5);
  CHECK_THAT(outcome.err, Catch::Contains("JSON"));
}
