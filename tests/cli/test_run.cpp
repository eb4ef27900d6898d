// fdtd as a user meets it: what it writes, what it says, how it ends.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <map>
#include <nlohmann/json.hpp>
#include <sstream>
#include <string>
#include <vector>

#include "engine/files/wav_write.hpp"
#include "engine/responses/air_absorption.hpp"
#include "engine/results/result.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/json_of.hpp"
#include "tests/support/places.hpp"
#include "tests/support/program.hpp"
#include "tests/support/sanitized.hpp"
#include "tests/support/scene_text.hpp"

using namespace fdtd;
using namespace fdtd::test;
namespace fs = std::filesystem;

namespace {

const std::string small_room = R"(schema = 1
[simulation]
duration = 0.03
max_frequency = 700.0
stencil = "leggy-3"
[room]
box = [2.3, 1.9, 1.4]
[room.walls]
default = "plaster"
z_min = "panel"
x_max = "rigid"
[materials.plaster]
absorption = { bands = [125, 250, 500, 1000], alpha = [0.2, 0.1, 0.06, 0.05] }
[materials.panel]
branches = [ { D = 1e-3, E = 0.8, F = 120.0 }, { E = 8.0 } ]
[materials.rigid]
rigid = true
[[source]]
name = "S1"
position = [0.5, 0.6, 0.7]
[[receiver]]
name = "R1"
position = [1.7, 1.1, 0.4]
[[receiver]]
name = "R2"
position = [2.3, 1.9, 1.4]
[output]
low_cut = 0.0
)";

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

TEST_CASE("a dry run and plan say the same and write nothing", "[cli]") {
  const TemporaryFolder folder;
  folder.write("small.toml", small_room);
  auto plan = json_of(run_fdtd({"plan", "small.toml", "--json"}, folder.path()));
  auto dry = json_of(run_fdtd({"run", "small.toml", "--dry-run", "--json"}, folder.path()));
  CHECK(names_in(folder.path()) == std::vector<std::string>{"small.toml"});
  for (const char* timed : {"predicted_seconds", "predicted"})
    for (auto* one : {&plan, &dry}) one->erase(timed);
  CHECK(plan == dry);
}

// Of its walls alone 70 million sites are on the grid: none is made.
TEST_CASE("plan of a room of 4 x 10^10 nodes takes next to nothing, and reports what each rank's machine holds",
          "[cli]") {
  const TemporaryFolder folder;
  const Outcome outcome = run_fdtd(
      {"plan", std::string(FDTD_SOURCE_DIR) + "/bench/huge.toml", "--gpu-memory", "100GB", "--json"}, folder.path());
  const auto plan = json_of(outcome);
  CHECK(outcome.peak_bytes < 200'000'000 * times_memory);
  REQUIRE(plan["ranks"].size() == 4);
  for (const auto& rank : plan["ranks"]) {
    CHECK(rank["host_bytes"].get<std::int64_t>() > 500'000'000);
    CHECK(rank["host_bytes"].get<std::int64_t>() < 4'500'000'000);
  }
  CHECK(plan["ranks"][1]["host_bytes"] < plan["ranks"][0]["host_bytes"]);  // no floor, no ceiling
  CHECK(plan["expected_scaling"].size() == 11);
  CHECK(plan["expected_scaling"].back()["gpus"] == 1024);
  CHECK(plan["expected_efficiency_error"].get<double>() > 0.0);
}

TEST_CASE("\"auto\" takes one stencil with five fresh caches, measures nothing, and gives the same bytes", "[cli]") {
  const TemporaryFolder folder;
  folder.write("small.toml", small_room);
  std::vector<std::string> plans;
  for (const char* name : {"1", "2", "3", "4", "5"}) {
    const fs::path cache = folder.path() / "caches" / name;
    fs::create_directories(cache);
    const Outcome outcome = run_fdtd(
        {"run", "small.toml", "-o", name, "--device", "cpu", "--quiet", "--set", "simulation.stencil=\"auto\""},
        folder.path(), {{"XDG_CACHE_HOME", cache.string()}});
    INFO(outcome.err);
    REQUIRE(outcome.status == 0);
    CHECK(fs::is_empty(cache));
    CHECK(read_file(folder.path() / name / "responses.wav") == read_file(folder.path() / "1/responses.wav"));
    plans.push_back(read_result(folder.path() / name / "result.h5").plan_json);
  }
  for (const std::string& plan : plans) CHECK(plan == plans.front());
  CHECK(plans.front().find("by the cost table of a CPU") != std::string::npos);
}

TEST_CASE("plan says what walls take with the stencil of \"auto\", and takes another one for an oblique mesh",
          "[cli]") {
  const TemporaryFolder folder;
  folder.write("turned.obj",
               "v 0 0 0\nv 4.330127 2.5 0\nv 2.330127 5.964102 0\nv -2 3.464102 0\nv 0 0 3\nv 4.330127 2.5 3\n"
               "v 2.330127 5.964102 3\nv -2 3.464102 3\nf 1 2 3 4\nf 5 6 7 8\nf 1 2 6 5\nf 2 3 7 6\nf 3 4 8 7\n"
               "f 4 1 5 8\n");
  const auto planned = [&](const std::string& room) {
    folder.write("room.toml", fmt::format("schema = 1\n[simulation]\nduration = 0.05\nmax_frequency = 2000\n"
                                          "dispersion_error = 0.02\n[room]\n{}\nwalls = {{ default = \"brick\" }}\n"
                                          "[materials.brick]\nlibrary = \"plasterboard\"\n[[source]]\nname = \"S\"\n"
                                          "position = [0.9, 1.6, 1.1]\n[[receiver]]\nname = \"R\"\n"
                                          "position = [1.7, 2.9, 1.4]\n",
                                          room));
    return json_of(run_fdtd({"plan", "room.toml", "--device", "cpu", "--json"}, folder.path()));
  };
  const auto box = planned("box = [5.0, 4.0, 3.0]"), mesh = planned("mesh = \"turned.obj\"");
  CHECK(box["stencil"] != mesh["stencil"]);
  for (const auto& plan : {box, mesh})
    CHECK(plan["warnings"].dump().find(plan["stencil"].get<std::string>() + " (walls ") != std::string::npos);
}

TEST_CASE("the predicted time counts planning, the search, steps and rendering", "[cli]") {
  const TemporaryFolder folder;
  folder.write("small.toml", small_room);
  const auto parts = [&](const std::vector<std::string>& more) {
    std::vector<std::string> words = {"run", "small.toml", "--dry-run", "--json", "--device", "cpu"};
    words.insert(words.end(), more.begin(), more.end());
    const auto json = json_of(run_fdtd(words, folder.path()));
    double sum = 0.0;
    for (const char* part : {"planning", "search", "steps", "rendering"}) sum += json["predicted"][part].get<double>();
    CHECK(json["predicted_seconds"].get<double>() == Approx(sum));
    CHECK(json["predicted"]["planning"].get<double>() > 0.0);
    CHECK(json["predicted"]["steps"].get<double>() > 0.0);
    CHECK(json["predicted"]["rendering"].get<double>() > 0.0);
    return json["predicted"];
  };
  CHECK(parts({})["search"] == 0.0);
  CHECK(parts({"--retune"})["search"].get<double>() > 0.0);
}

TEST_CASE("a large dispersion_error is printed as a number, and the run ends well", "[cli]") {
  const TemporaryFolder folder;
  folder.write("small.toml", small_room);
  const std::vector<std::string> coarse = {"--device", "cpu",
                                           "--set",    "simulation.stencil=compact-2",
                                           "--set",    "simulation.max_frequency=",
                                           "--set",    "simulation.grid_spacing=0.31",
                                           "--set",    "simulation.dispersion_error=0.5"};
  const auto with = [&](std::vector<std::string> words) {
    words.insert(words.end(), coarse.begin(), coarse.end());
    return run_fdtd(words, folder.path());
  };
  CHECK(json_of(with({"plan", "small.toml", "--json"}))["dispersion_error"].is_number());
  CHECK(with({"plan", "small.toml"}).out.find("inf") == std::string::npos);
  const Outcome outcome = with({"run", "small.toml", "-o", "made", "--quiet"});
  INFO(outcome.err);
  CHECK(outcome.status == 0);
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
  const auto kept = [&] {
    std::vector<std::string> lines;
    std::istringstream text(read_file(folder.path() / "fdtd/march.txt"));
    for (std::string line; std::getline(text, line);) lines.push_back(line);
    return lines;
  };
  const auto run = [&](const std::string& out, const std::vector<std::string>& more) {
    std::vector<std::string> words = {"run", "small.toml", "-o", out, "--device", "cpu", "--quiet"};
    words.insert(words.end(), more.begin(), more.end());
    const Outcome outcome = run_fdtd(words, folder.path(), cache);
    INFO(outcome.err);
    CHECK(outcome.status == 0);
  };
  run("plain", {});
  CHECK_FALSE(fs::exists(folder.path() / "fdtd/march.txt"));  // too short to be worth a search
  run("first", {"--retune"});
  REQUIRE(kept().size() == 1);
  // What is known is searched for again: the latest line is the last.
  folder.write("fdtd/march.txt", kept()[0] + "\nanother = 1 2 3 0 0\n");
  run("again", {"--retune"});
  REQUIRE(kept().size() == 2);
  CHECK(kept()[0] == "another = 1 2 3 0 0");
  for (const char* made : {"first", "again"})
    CHECK((read_file(folder.path() / "plain/ir_R1.wav") == read_file(folder.path() / made / "ir_R1.wav")));
}

TEST_CASE("plan reports how many GPUs of some memory a room needs, and what each holds, without any", "[cli]") {
  const TemporaryFolder folder;
  folder.write("small.toml", small_room);
  const std::vector<std::string> words = {"plan",
                                          "small.toml",
                                          "--json",
                                          "--set",
                                          "simulation.max_frequency=1500.0",
                                          "--set",
                                          "simulation.stencil=\"leggy-1\"",
                                          "--gpu-memory"};
  const auto of = [&](const std::string& memory) {
    std::vector<std::string> all = words;
    all.push_back(memory);
    return run_fdtd(all, folder.path());
  };
  const auto one = json_of(of("80GB"));
  CHECK(one["gpus_needed"] == 1);
  CHECK_FALSE(one.contains("predicted_seconds"));
  REQUIRE(one["ranks"].size() == 1);
  const auto bytes = one["ranks"][0]["memory_bytes"].get<std::int64_t>();
  const std::int64_t half = bytes * 6 / 10 / 1'000'000 + 1;
  const auto two = json_of(of(std::to_string(half) + "MB"));
  CHECK(two["gpus_needed"] == 2);
  REQUIRE(two["ranks"].size() == 2);
  for (const auto& rank : two["ranks"]) CHECK(rank["memory_bytes"].get<std::int64_t>() <= half * 1'000'000);
  const Outcome none = of("0.01MB");
  CHECK(none.status == 3);
  CHECK_THAT(none.err, Catch::Matchers::Contains("no number of GPUs of 10 kB can hold this room"));
  const Outcome word = of("much");
  CHECK(word.status == 2);
  CHECK_THAT(word.err, Catch::Matchers::Contains("--gpu-memory: \"much\" is not a size"));
}

TEST_CASE("render makes the same files from the result again, and others on request", "[cli]") {
  const TemporaryFolder folder;
  folder.write("small.toml", small_room);
  REQUIRE(run_fdtd({"run", "small.toml", "-o", "made"}, folder.path()).status == 0);
  REQUIRE(run_fdtd({"render", "made/result.h5", "-o", "again"}, folder.path()).status == 0);
  for (const char* file : {"ir_R1.wav", "ir_R2.wav", "responses.wav"})
    CHECK(read_file(folder.path() / "made" / file) == read_file(folder.path() / "again" / file));
  REQUIRE(run_fdtd({"render", "made/result.h5", "-o", "other", "--rate", "16000", "--format", "pcm24", "--normalize"},
                   folder.path())
              .status == 0);
  const Audio audio = read_audio(folder.path() / "other/responses.wav");
  CHECK(audio.sample_rate == 16000.0);
  double peak = 0.0;
  for (const auto& channel : audio.channels)
    for (double value : channel) peak = std::max(peak, std::abs(value));
  CHECK(peak == Approx(1.0).margin(1e-6));
  CHECK(run_fdtd({"render", "small.toml"}, folder.path()).status == 5);
  CHECK(run_fdtd({"render", "missing.h5"}, folder.path()).status == 5);
}

TEST_CASE("air takes its share of a response, and render knows of it", "[cli]") {
  const TemporaryFolder folder;
  folder.write("small.toml", small_room);
  const std::vector<std::string> dry_cold = {"--set", "air.temperature=-10", "--set", "air.relative_humidity=10"};
  const auto run = [&](const char* name, const char* absorption) {
    std::vector<std::string> arguments = {
        "run", "small.toml", "-o", name, "--json", "--set", std::string("air.absorption=") + absorption};
    arguments.insert(arguments.end(), dry_cold.begin(), dry_cold.end());
    return json_of(run_fdtd(arguments, folder.path()));
  };
  CHECK(run("off", "false")["plan"]["air_absorption"] == false);
  CHECK(run("on", "true")["plan"]["air_absorption"] == true);
  std::vector<double> off = read_audio(folder.path() / "off/ir_R1.wav").channels[0];
  const std::vector<double> on = read_audio(folder.path() / "on/ir_R1.wav").channels[0];
  AirState air{-10.0, 10.0, 101.325, 331.3 * std::sqrt(1.0 - 10.0 / 273.15)};
  absorb_by_air(off, 48000.0, air);
  double largest = 0.0;
  for (std::size_t i = 0; i < on.size(); ++i) {
    CHECK(on[i] == Approx(off[i]).margin(1e-7));
    largest = std::max(largest, std::abs(on[i]));
  }
  CHECK(largest > 1e-3);
  REQUIRE(run_fdtd({"render", "on/result.h5", "-o", "again"}, folder.path()).status == 0);
  CHECK(read_file(folder.path() / "on/ir_R1.wav") == read_file(folder.path() / "again/ir_R1.wav"));
  const Outcome outside =
      run_fdtd({"plan", "small.toml", "--set", "air.absorption=true", "--set", "air.temperature=70"}, folder.path());
  CHECK(outside.out.find("beyond the range of ISO 9613-1") != std::string::npos);
}

TEST_CASE("a signal is played: the recording is its convolution with the response", "[cli]") {
  const TemporaryFolder folder;
  std::vector<double> click(200, 0.0);
  click[3] = 0.5;
  click[100] = -0.25;
  write_audio(folder.path() / "click.wav", {click}, 48000, SampleFormat::float32, false);
  folder.write("small.toml", small_room + "");
  REQUIRE(
      run_fdtd({"run", "small.toml", "-o", "made", "--set", "source.S1.signal=\"click.wav\""}, folder.path()).status ==
      0);
  const auto ir = read_audio(folder.path() / "made/ir_R1.wav").channels[0];
  const auto recording = read_audio(folder.path() / "made/recording_R1.wav").channels[0];
  REQUIRE(recording.size() == ir.size() + click.size() - 1);                   // the response to the last sample, too
  const auto at = [&](std::size_t i) { return i < ir.size() ? ir[i] : 0.0; };  // below 0 it wraps around
  for (std::size_t i = 0; i < recording.size(); ++i) {
    const double expected = 0.5 * at(i - 3) - 0.25 * at(i - 100);
    REQUIRE(recording[i] == Approx(expected).margin(1e-7));
  }
}

TEST_CASE("a recording that cannot be written loses neither the simulation nor the next run", "[cli]") {
  const TemporaryFolder folder;
  write_audio(folder.path() / "loud.wav", {std::vector<double>(500, 1e38)}, 48000, SampleFormat::float32, false);
  folder.write("small.toml", small_room);
  const std::vector<std::string> command = {"run",  "small.toml", "-o",
                                            "made", "--set",      "source.S1.signal=\"loud.wav\""};
  const Outcome outcome = run_fdtd(command, folder.path());
  INFO(outcome.err);
  REQUIRE(outcome.status == 4);
  CHECK(outcome.err.find("recording_R1.wav") != std::string::npos);
  CHECK(outcome.err.find("made/result.h5 holds the simulation") != std::string::npos);
  REQUIRE(run_fdtd({"render", "made/result.h5", "-o", "again"}, folder.path()).status == 0);
  std::vector<std::string> resumed = command;
  resumed.emplace_back("--resume");
  CHECK(run_fdtd(resumed, folder.path()).out.find("is complete") == std::string::npos);  // it is not
}

TEST_CASE("a signal is played to its end, however long it is, and memory does not hold it", "[cli]") {
  const TemporaryFolder folder;
  std::vector<double> click(100, 0.0);
  click[3] = 0.5;
  write_audio(folder.path() / "click.wav", {click}, 8000, SampleFormat::float32, false);
  // The same with ten million samples after it, which take no place on the disk; and with two thousand million.
  std::string bytes = read_file(folder / "click.wav");
  const std::size_t data = bytes.find("data");
  const auto stretch = [&](const char* name, std::uint32_t length) {
    std::memcpy(bytes.data() + data + 4, &length, 4);
    std::ofstream(folder / name, std::ios::binary) << bytes;
    std::filesystem::resize_file(folder / name, data + 8 + length);
  };
  stretch("long.wav", 40'000'000);
  stretch("vast.wav", 4'000'000'000);
  folder.write("small.toml", small_room);
  const auto run = [&](const char* signal, const char* more) {
    return run_fdtd({"run", "small.toml", "-o", signal, "--set", fmt::format("source.S1.signal=\"{}.wav\"", signal),
                     "--set", "output.sample_rate=8000", more},
                    folder.path());
  };
  REQUIRE(run("click", "--json").status == 0);
  const Outcome longer = run("long", "--json");
  REQUIRE(longer.status == 0);
  CHECK(longer.peak_bytes < 200'000'000);  // its samples take 80 MB, the recording as many
  const auto a = read_audio(folder.path() / "click/recording_R1.wav").channels[0];
  const auto b = read_audio(folder.path() / "long/recording_R1.wav").channels[0];
  const auto ir = read_audio(folder.path() / "long/ir_R1.wav").channels[0];
  CHECK(a.size() == ir.size() + 99);
  REQUIRE(b.size() == ir.size() + 9'999'999);
  for (std::size_t i = 0; i < a.size(); ++i) REQUIRE(a[i] == Approx(b[i]).margin(1e-6));
  CHECK(std::all_of(b.begin() + static_cast<std::ptrdiff_t>(a.size()), b.end(),
                    [](double x) { return std::abs(x) < 1e-9; }));
  // A plan reads no more than the header.
  const Outcome vast = run("vast", "--dry-run");
  CHECK(vast.status == 0);
  CHECK(vast.peak_bytes < 200'000'000);
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
  CHECK(fs::file_size(folder.path() / "made/report.html") < 1000000);
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
