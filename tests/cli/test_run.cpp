// fdtd run: what it writes, what it says, how it ends.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <map>
#include <nlohmann/json.hpp>
#include <sstream>
#include <string>
#include <vector>

#include "engine/files/wav_write.hpp"
#include "engine/results/result.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/json_of.hpp"
#include "tests/support/places.hpp"
#include "tests/support/program.hpp"
#include "tests/support/rooms/small_room.hpp"
#include "tests/support/scene_text.hpp"

using namespace fdtd;
using namespace fdtd::test;
using Catch::Matchers::Contains;
namespace fs = std::filesystem;

namespace {

const std::string second_source = "[[source]]\nname = \"S2\"\nposition = [1.0, 0.3, 1.1]\n";

}  // namespace

TEST_CASE("run writes one response a receiver, all together, and the result", "[cli]") {
  const TemporaryFolder folder;
  folder.write("small.toml", small_room);
  const auto json = json_of(run_fdtd({"run", "small.toml", "-o", "made", "--json"}, folder.path()));
  CHECK(names_in(folder.path() / "made") ==
        std::vector<std::string>{"ir_R1.wav", "ir_R2.wav", "report.html", "responses.wav", "result.h5"});
  CHECK(json["outputs"].size() == 5);
  for (const auto& file : json["outputs"]) CHECK(fs::exists(folder.path() / file.get<std::string>()));
  for (const char* key : {"stencil", "courant", "spacing", "time_step", "sample_rate", "grid", "nodes", "steps",
                          "duration", "valid_bandwidth", "dispersion_error", "points_per_wavelength", "memory_bytes",
                          "predicted_seconds", "device", "warnings"})
    CHECK(json["plan"].contains(key));
  CHECK(json["plan"]["stencil"] == "leggy-3/taylor");
  CHECK(json["plan"]["dispersion_error"].get<double>() <= 0.02);
  CHECK(json["plan"]["valid_bandwidth"].get<double>() >= 700.0 * (1.0 - 1e-6));
  CHECK(json["energy"]["balance_error"].get<double>() < 1e-4);
  CHECK(json["energy"]["dissipated"].get<double>() > 0.0);
  CHECK(json["energy"]["final"].get<double>() < json["energy"]["injected"].get<double>());
  CHECK(json["timing"]["gpts_per_second"].get<double>() > 0.0);
  for (const char* key : {"seconds", "planning_seconds", "rendering_seconds"})
    CHECK(json["timing"][key].get<double>() > 0.0);
  CHECK(json["receivers"].size() == 2);
  CHECK(json["materials"].size() == 3);

  const Audio audio = read_audio(folder.path() / "made/ir_R1.wav");
  CHECK(audio.sample_rate == 48000.0);
  REQUIRE(audio.channels.size() == 1);
  CHECK(audio.channels[0].size() == 1440);
  CHECK(read_audio(folder.path() / "made/responses.wav").channels.size() == 2);
  const Result result = read_result(folder.path() / "made/result.h5");
  CHECK(result.scene_text == small_room);
  REQUIRE(result.rendered.samples == 1440);
  for (std::size_t i = 0; i < 1440; ++i)
    CHECK(static_cast<float>(result.rendered.ir[i]) == static_cast<float>(audio.channels[0][i]));
}

TEST_CASE("the same scene gives the same bytes with 1, 2 or 7 threads and in another locale", "[cli]") {
  const TemporaryFolder folder;
  folder.write("small.toml", small_room);
  for (const char* threads : {"1", "2", "7"})
    REQUIRE(run_fdtd({"run", "small.toml", "-o", std::string("t") + threads, "--threads", threads, "--quiet"},
                     folder.path())
                .status == 0);
  REQUIRE(run_fdtd({"run", "small.toml", "-o", "de"}, folder.path(),
                   {{"LC_ALL", "de_DE.UTF-8"}, {"LANG", "de_DE.UTF-8"}, {"TZ", "Asia/Tokyo"}})
              .status == 0);
  for (const char* file : {"ir_R1.wav", "ir_R2.wav", "responses.wav"}) {
    const std::string first = read_file(folder.path() / "t1" / file);
    for (const char* other : {"t2", "t7", "de"}) CHECK(read_file(folder.path() / other / file) == first);
  }
  const Result first = read_result(folder.path() / "t1/result.h5");
  for (const char* other : {"t2", "t7", "de"}) {
    const Result result = read_result(folder.path() / other / "result.h5");
    CHECK(result.recording.pressure == first.recording.pressure);
    CHECK(result.plan_json == first.plan_json);
    REQUIRE(result.recording.energy.size() == first.recording.energy.size());
    for (std::size_t i = 0; i < first.recording.energy[0].size(); ++i)
      CHECK(result.recording.energy[0][i].energy.stored == first.recording.energy[0][i].energy.stored);
  }
}

TEST_CASE("several sources have a response each", "[cli]") {
  const TemporaryFolder folder;
  folder.write("two.toml", small_room + second_source);
  REQUIRE(run_fdtd({"run", "two.toml", "-o", "made"}, folder.path()).status == 0);
  CHECK(names_in(folder.path() / "made") == std::vector<std::string>{"ir_S1_R1.wav", "ir_S1_R2.wav", "ir_S2_R1.wav",
                                                                     "ir_S2_R2.wav", "report.html", "responses_S1.wav",
                                                                     "responses_S2.wav", "result.h5"});
  // Neither changes the other.
  REQUIRE(run_fdtd({"run", "two.toml", "-o", "again", "--set", "source.S2.position=[0.4, 0.4, 0.4]"}, folder.path())
              .status == 0);
  CHECK(read_file(folder.path() / "made/ir_S1_R1.wav") == read_file(folder.path() / "again/ir_S1_R1.wav"));
  CHECK(read_file(folder.path() / "made/ir_S2_R1.wav") != read_file(folder.path() / "again/ir_S2_R1.wav"));
}

TEST_CASE("files that exist are kept unless --force", "[cli]") {
  const TemporaryFolder folder;
  folder.write("small.toml", small_room);
  fs::create_directory(folder.path() / "made");
  folder.write("made/ir_R2.wav", "mine");
  const Outcome refused = run_fdtd({"run", "small.toml", "-o", "made"}, folder.path());
  CHECK(refused.status == 5);
  CHECK(refused.err.find("ir_R2.wav") != std::string::npos);
  CHECK(refused.err.find("--force") != std::string::npos);
  CHECK(read_file(folder.path() / "made/ir_R2.wav") == "mine");
  CHECK(names_in(folder.path() / "made") == std::vector<std::string>{"ir_R2.wav"});
  CHECK(run_fdtd({"run", "small.toml", "-o", "made", "--force"}, folder.path()).status == 0);
  CHECK(read_file(folder.path() / "made/ir_R2.wav").substr(0, 4) == "RIFF");
}

TEST_CASE("duration = \"auto\" follows from the expected reverberation time, and the result states it", "[cli]") {
  const TemporaryFolder folder;
  folder.write("small.toml", small_room);
  const auto json = json_of(
      run_fdtd({"run", "small.toml", "-o", "made", "--device", "cpu", "--json", "--set", "simulation.duration=auto"},
               folder.path()));
  const auto& plan = json["plan"];
  CHECK(plan["duration_auto"] == true);
  double longest = 0.0;
  for (const auto& band : plan["reverberation"]) longest = std::max(longest, band["seconds"].get<double>());
  const double duration = plan["duration"].get<double>();
  CHECK(duration >= 1.25 * longest);
  CHECK(duration < 2.0 * longest);  // modes that decay more slowly than the octave have their time
  const Result result = read_result(folder.path() / "made/result.h5");
  CHECK(result.options.duration == duration);
  CHECK(nlohmann::json::parse(result.plan_json)["duration"] == duration);
  CHECK(json["plan"]["warnings"].dump().find("too short for T30") == std::string::npos);
  // A given duration that is too short is remarked on.
  const auto given = json_of(run_fdtd({"plan", "small.toml", "--device", "cpu", "--json"}, folder.path()));
  CHECK(given["duration_auto"] == false);
  CHECK(given["warnings"].dump().find("duration, 0.03 s, is too short for T30") != std::string::npos);
}

TEST_CASE("the summary says what its energy counts, and low_cut = 0 in f32 has a note", "[cli]") {
  const TemporaryFolder folder;
  folder.write("small.toml", small_room);
  const Outcome outcome = run_fdtd({"run", "small.toml", "-o", "made", "--device", "cpu"}, folder.path());
  CHECK(outcome.out.find("up to its Nyquist frequency") != std::string::npos);
  CHECK(read_result(folder.path() / "made/result.h5").plan_json.find("low_cut = 0 in f32") != std::string::npos);
  for (const char* other : {"output.low_cut=20", "simulation.precision=f64"})
    CHECK(run_fdtd({"plan", "small.toml", "--device", "cpu", "--set", other}, folder.path()).out.find("low_cut = 0") ==
          std::string::npos);
}

TEST_CASE("run --retune measures the candidates of \"auto\", and the result states what it measured", "[cli]") {
  const TemporaryFolder folder;
  folder.write("small.toml", small_room);
  const auto json = json_of(run_fdtd({"run", "small.toml", "--device", "cpu", "--dry-run", "--retune", "--json",
                                      "--set", "simulation.stencil=\"auto\""},
                                     folder.path(), {{"XDG_CACHE_HOME", folder.path().string()}}));
  const std::string warnings = json["warnings"].dump();
  INFO(warnings);
  CHECK(warnings.find("by CTPN measured here") != std::string::npos);
  CHECK(warnings.find("ns a node") != std::string::npos);
}

TEST_CASE("run --retune searches for an order of work anew and keeps it, and results stay the same", "[cli]") {
  const TemporaryFolder folder;
  folder.write("small.toml", small_room);
  const std::map<std::string, std::string> cache = {{"XDG_CACHE_HOME", folder.path().string()}};
  const auto kept = [&] { return nlohmann::ordered_json::parse(read_file(folder.path() / "fdtd/tune_cpu.json")); };
  const auto run = [&](const std::string& out, const std::vector<std::string>& more) {
    std::vector<std::string> words = {"run", "small.toml", "-o", out, "--device", "cpu", "--quiet"};
    words.insert(words.end(), more.begin(), more.end());
    const Outcome outcome = run_fdtd(words, folder.path(), cache);
    INFO(outcome.err);
    CHECK(outcome.status == 0);
  };
  run("plain", {});
  CHECK_FALSE(fs::exists(folder.path() / "fdtd/tune_cpu.json"));  // too short to be worth a search
  folder.write("fdtd/march.txt", "any = 1 2 3 0 0\n");            // of 0.2: no longer read
  folder.write("fdtd/tune_cpu.json", "{\"schema\": 2, \"build\": \"\", \"tiles\": {}}");
  run("first", {"--retune"});
  nlohmann::ordered_json first = kept();
  REQUIRE(first["tuned"].size() == 1);
  // Known tiles are searched for again: the latest choice is the last.
  const std::string key = first["tuned"].begin().key();
  first["tuned"]["another"] = {{"choice", {1, 2, 3, 0, 0}}, {"ctpn_ns", 1.0}};
  folder.write("fdtd/tune_cpu.json", first.dump());
  run("again", {"--retune"});
  REQUIRE(kept()["tuned"].size() == 2);
  CHECK(kept()["tuned"].begin().key() == "another");
  CHECK(kept()["tuned"].contains(key));
  for (const char* made : {"first", "again"})
    CHECK((read_file(folder.path() / "plain/ir_R1.wav") == read_file(folder.path() / made / "ir_R1.wav")));
}

TEST_CASE("an empty name of an output is refused", "[cli]") {
  const TemporaryFolder folder;
  folder.write("small.toml", small_room);
  for (const std::vector<std::string>& command :
       std::vector<std::vector<std::string>>{{"run", "small.toml", "-o", ""},
                                             {"run", "small.toml", "--output="},
                                             {"sweep", "small.toml", "--set", "a=[1]", "-o", ""},
                                             {"stencils", "leggy-2", "-o", ""}}) {
    const Outcome outcome = run_fdtd(command, folder.path());
    INFO(outcome.err);
    CHECK(outcome.status == 2);
    CHECK(outcome.err.find("--output") != std::string::npos);
  }
  CHECK(names_in(folder.path()) == std::vector<std::string>{"small.toml"});
}

TEST_CASE("the citation is of the release that CITATION.cff names, as BibTeX", "[cli]") {
  const TemporaryFolder folder;
  const Outcome cited = run_fdtd({"--cite"}, folder.path());
  CHECK(cited.status == 0);
  const std::string file = read_file(fs::path(FDTD_SOURCE_DIR) / "CITATION.cff");
  const auto stated = [&](const std::string& key) {
    const std::size_t at = file.find("\n" + key + ": ");
    REQUIRE(at != file.npos);
    return file.substr(at + key.size() + 3, file.find('\n', at + 1) - at - key.size() - 3);
  };
  CHECK(cited.out.starts_with("@software{"));
  CHECK_THAT(cited.out, Contains("version = {" + stated("version") + "}"));
  CHECK_THAT(cited.out, Contains("year = {" + stated("date-released").substr(0, 4) + "}"));
  CHECK_THAT(cited.out, Contains("author = {{The fdtd developers}}"));
  CHECK_THAT(file, Contains("name: The fdtd developers"));
}

TEST_CASE("an ordinary mistake on the command line has its status and says what to do", "[cli]") {
  const TemporaryFolder folder;
  folder.write("small.toml", small_room);
  CHECK(run_fdtd({}, folder.path()).status == 2);
  CHECK(run_fdtd({"fly"}, folder.path()).status == 2);
  CHECK(run_fdtd({"run"}, folder.path()).status == 2);
  CHECK(run_fdtd({"run", "small.toml", "--fast"}, folder.path()).status == 2);
  CHECK(run_fdtd({"--help"}, folder.path()).status == 0);
  CHECK(run_fdtd({"--version"}, folder.path()).status == 0);
  CHECK(run_fdtd({"doctor"}, folder.path()).status == 0);
  const Outcome missing = run_fdtd({"run", "nowhere.toml"}, folder.path());
  CHECK(missing.status == 2);
  CHECK(missing.err.find("nowhere.toml") != std::string::npos);
  const Outcome stencil = run_fdtd({"run", "small.toml", "--set", "simulation.stencil=\"legy-4\""}, folder.path());
  CHECK(stencil.status == 2);
  CHECK(stencil.err.find("leggy-4") != std::string::npos);
  const Outcome courant = run_fdtd({"plan", "small.toml", "--set", "simulation.courant=0.6"}, folder.path());
  CHECK(courant.status == 2);
  CHECK(courant.err.find("0.46966") != std::string::npos);
  const Outcome device = run_fdtd({"run", "small.toml", "--device", "cuda:99"}, folder.path());
  CHECK(device.status == 3);
  CHECK(names_in(folder.path()) == std::vector<std::string>{"small.toml"});
}

TEST_CASE("what cannot be written ends with status 5 and leaves nothing", "[cli]") {
  const TemporaryFolder folder;
  folder.write("small.toml", small_room);
  folder.write("file", "not a folder");
  const Outcome outcome = run_fdtd({"run", "small.toml", "-o", "file"}, folder.path());
  CHECK(outcome.status == 5);
  CHECK(read_file(folder.path() / "file") == "not a folder");
}

TEST_CASE("stencils lists the catalogue and prints an entry's weights", "[cli]") {
  const TemporaryFolder folder;
  const auto all = json_of(run_fdtd({"stencils", "--json"}, folder.path()));
  CHECK(all.size() >= 20);
  const auto one = json_of(run_fdtd({"stencils", "leggy-2", "--json"}, folder.path()));
  REQUIRE(one.size() == 1);
  for (const char* key : {"name", "family", "variant", "points", "radius", "order", "courant", "shells", "weights",
                          "within_1_percent", "within_2_percent", "proof", "source"})
    CHECK(one[0].contains(key));
  CHECK(one[0]["points"] == 13);
  CHECK(one[0]["courant"].get<double>() == Approx(0.5).margin(1e-12));
  const Outcome unknown = run_fdtd({"stencils", "leggi-2"}, folder.path());
  CHECK(unknown.status == 2);
  CHECK(unknown.err.find("leggy-2") != std::string::npos);
}

TEST_CASE("stencils checks a file of weights and prints what it derives of them", "[cli]") {
  const TemporaryFolder folder;
  const auto known = json_of(run_fdtd({"stencils", "leggy-2", "--json"}, folder.path()))[0];
  // leggy-2 from a file: the same points, order, limit and dispersion.
  std::string weights;
  for (std::size_t i = 1; i < known["weights"].size(); ++i) weights += (i > 1 ? ", " : "") + known["weights"][i].dump();
  const std::string file = "name = \"mine\"\ncourant = 0.5\ncentre = " + known["weights"][0].dump() +
                           "\nshells = [[1, 0, 0], [2, 0, 0]]\nweights = [" + weights + "]\n";
  folder.write("mine.toml", file);
  const auto mine = json_of(run_fdtd({"stencils", "mine.toml", "--json"}, folder.path()))[0];
  CHECK(mine["name"] == "mine");
  for (const char* key : {"points", "radius", "order", "courant", "shells", "weights", "within_1_percent", "proof"}) {
    CAPTURE(key);
    CHECK(mine[key] == known[key]);
  }
  CHECK(mine["courant_limit"].get<double>() == Approx(known["courant_limit"].get<double>()).epsilon(1e-6));
  const Outcome text = run_fdtd({"stencils", "mine.toml", "leggy-2", "-o", "both.html"}, folder.path());
  CHECK(text.status == 0);
  CHECK(text.out.find("mine: 13 points") != std::string::npos);
  CHECK(text.out.find("source: weights of mine.toml") != std::string::npos);
  CHECK(read_file(folder.path() / "both.html").find("mine") != std::string::npos);
  folder.write("wrong.toml", "courant = 0.5\ncentre = 0.6\nshells = [[1, 0, 0]]\nweights = [0.25]\n");
  const Outcome wrong = run_fdtd({"stencils", "wrong.toml"}, folder.path());
  CHECK(wrong.status == 2);
  CHECK(wrong.err.find("wrong.toml") != std::string::npos);
  CHECK(wrong.err.find("sum") != std::string::npos);
  CHECK(run_fdtd({"stencils", "none.toml"}, folder.path()).status == 2);
}

TEST_CASE("rooms one cell thick, one line and one cell run as such", "[cli]") {
  const TemporaryFolder folder;
  const auto scene = [](const char* box, const char* position) {
    SceneText text;
    text.simulation = "duration = 0.02\nmax_frequency = 400.0\nstencil = \"leggy-2\"\nprecision = \"f64\"\n";
    text.box = box;
    text.walls = "default = \"hard\"\ny_max = \"soft\"\n";
    text.materials = "[materials.hard]\nrigid = true\n[materials.soft]\nadmittance = 0.1\n";
    text.source = text.receiver = position;
    return text_of(text);
  };
  folder.write("plane.toml", scene("[3.0, 2.0, 0.02]", "[0.5, 0.6, 0.01]"));
  folder.write("line.toml", scene("[0.01, 2.0, 0.02]", "[0.005, 0.6, 0.01]"));
  folder.write("cell.toml", scene("[0.01, 0.03, 0.02]", "[0.005, 0.01, 0.01]"));
  const std::vector<std::pair<std::string, int>> cases = {{"plane", 2}, {"line", 1}, {"cell", 0}};
  for (const auto& [name, axes] : cases) {
    const auto json = json_of(run_fdtd({"run", name + ".toml", "-o", name, "--json"}, folder.path()));
    int wide = 0;
    for (const auto& n : json["plan"]["grid"]) wide += n.get<int>() > 1 ? 1 : 0;
    CHECK(wide == axes);
    CHECK(json["energy"]["balance_error"].get<double>() < 1e-11);
  }
}

TEST_CASE("thousands of receivers are stored, measured and reported together", "[cli]") {
  const TemporaryFolder folder;
  folder.write("many.toml", R"(schema = 1
[simulation]
duration = 0.004
max_frequency = 1000.0
stencil = "leggy-4"
[above]
method = "none"
[room]
box = [0.8, 0.8, 0.7]
walls = { default = "plaster" }
[materials.plaster]
absorption = { bands = [500], alpha = [0.1] }
[[source]]
name = "S"
position = [0.1, 0.2, 0.3]
[[receiver]]
name = "r"
grid = { from = [0.03, 0.04, 0.05], to = [0.77, 0.76, 0.66], count = [20, 15, 10] }
)");
  const Outcome made = run_fdtd({"run", "many.toml", "-o", "made", "--sofa"}, folder.path());
  INFO(made.err);
  REQUIRE(made.status == 0);
  CHECK(made.out.find("and 2950 more responses") != std::string::npos);
  CHECK(made.out.size() < 10000);
  CHECK(names_in(folder.path() / "made") == std::vector<std::string>{"report.html", "responses.sofa", "responses_1.wav",
                                                                     "responses_2.wav", "responses_3.wav",
                                                                     "result.h5"});
  CHECK(fs::file_size(folder.path() / "made/report.html") < 1000000 + 300000 + 1500000);  // three.js, sound
  const Result result = read_result(folder.path() / "made/result.h5");
  REQUIRE(result.recording.receivers.size() == 3000);
  CHECK(result.recording.receivers[2999] == "r_3000");
  REQUIRE(result.figures);
  CHECK(result.figures->channels == 3000);
  CHECK(std::isfinite(result.figures->onset[2999]));

  // One of them alone has the same response.
  const auto& at = result.receiver_positions[1234];
  std::string one = read_file(folder.path() / "many.toml");
  one.replace(one.find("grid = "), std::string::npos, fmt::format("position = [{}, {}, {}]\n", at[0], at[1], at[2]));
  folder.write("one.toml", one);
  REQUIRE(run_fdtd({"run", "one.toml", "-o", "one"}, folder.path()).status == 0);
  const Result alone = read_result(folder.path() / "one/result.h5");
  const auto samples = static_cast<std::size_t>(alone.rendered.samples);
  REQUIRE(result.rendered.samples == alone.rendered.samples);
  double peak = 0.0, worst = 0.0;
  for (std::size_t n = 0; n < samples; ++n) {
    peak = std::max(peak, std::abs(alone.rendered.ir[n]));
    worst = std::max(worst, std::abs(alone.rendered.ir[n] - result.rendered.ir[1234 * samples + n]));
  }
  CHECK(worst < 1e-9 * peak);

  // Rendering and reporting again give the same files.
  REQUIRE(run_fdtd({"render", "made/result.h5", "-o", "again"}, folder.path()).status == 0);
  CHECK(read_file(folder.path() / "again/responses_3.wav") == read_file(folder.path() / "made/responses_3.wav"));
  REQUIRE(run_fdtd({"report", "made/result.h5", "-o", "again.html"}, folder.path()).status == 0);
  CHECK(read_file(folder.path() / "again.html") == read_file(folder.path() / "made/report.html"));
}

TEST_CASE("f32 without a low-cut is noted, for static pressure drifts in it", "[cli]") {
  const TemporaryFolder folder;
  folder.write("small.toml", small_room);
  const auto noted = [&](const std::vector<std::string>& sets) {
    std::vector<std::string> words = {"plan", "small.toml", "--json"};
    for (const std::string& set : sets) words.insert(words.end(), {"--set", set});
    return json_of(run_fdtd(words, folder.path()))["warnings"].dump().find("static pressure") != std::string::npos;
  };
  CHECK(noted({"output.low_cut=0.0"}));
  CHECK_FALSE(noted({"output.low_cut=10.0"}));
  CHECK_FALSE(noted({"output.low_cut=0.0", "simulation.precision=f64"}));
}
