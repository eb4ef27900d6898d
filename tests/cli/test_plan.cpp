// fdtd plan: what a run would take, and which stencil.
#include <fmt/format.h>

#include <filesystem>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "engine/results/result.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/json_of.hpp"
#include "tests/support/places.hpp"
#include "tests/support/program.hpp"
#include "tests/support/rooms/small_room.hpp"
#include "tests/support/sanitized.hpp"

using namespace fdtd;
using namespace fdtd::test;
namespace fs = std::filesystem;

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

TEST_CASE("auto takes one stencil with five fresh caches, measures nothing, and gives the same bytes", "[cli]") {
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

TEST_CASE("the predicted time counts planning, the search, steps, geometry and rendering", "[cli]") {
  const TemporaryFolder folder;
  folder.write("small.toml", small_room);
  const auto parts = [&](const std::vector<std::string>& more) {
    std::vector<std::string> words = {"run", "small.toml", "--dry-run", "--json", "--device", "cpu"};
    words.insert(words.end(), more.begin(), more.end());
    const auto json = json_of(run_fdtd(words, folder.path()));
    double sum = 0.0;
    for (const char* part : {"planning", "search", "steps", "above", "rendering"})
      sum += json["predicted"][part].get<double>();
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

TEST_CASE("plan --gradient states walls, memory, runs and time of a gradient, and refuses what does not fit", "[cli]") {
  const TemporaryFolder folder;
  folder.write("small.toml", small_room);
  const auto of = [&](std::vector<std::string> more) {
    std::vector<std::string> words = {"plan", "small.toml", "--device", "cpu", "--set", "above.method=none"};
    words.insert(words.end(), more.begin(), more.end());
    return run_fdtd(words, folder.path());
  };
  CHECK_FALSE(json_of(of({"--json"})).contains("gradient"));
  const auto plan = json_of(of({"--gradient", "--json"})), gradient = plan["gradient"];
  CHECK(gradient["runs"] == 2.0);
  CHECK(gradient["wall_nodes"].get<int>() > 500);
  CHECK(gradient["history_memory"] == "main");
  CHECK(gradient["history_format"] == "f32");
  CHECK(gradient["segments"] == 1);
  CHECK_FALSE(gradient.contains("state_bytes"));
  CHECK(gradient["predicted_seconds"].get<double>() > 0.0);
  const auto bytes = gradient["bytes"].get<std::int64_t>(), histories = gradient["history_bytes"].get<std::int64_t>();
  CHECK(histories > gradient["wall_nodes"].get<std::int64_t>() * plan["steps"].get<std::int64_t>() * 4);
  CHECK(bytes > histories);
  const Outcome text = of({"--gradient"});
  CHECK_THAT(text.out, Catch::Matchers::Contains("gradient          2 runs, whose steps take ") &&
                           Catch::Matchers::Contains(std::to_string(gradient["wall_nodes"].get<int>()) +
                                                     " wall nodes, whose histories take "));

  const auto less = json_of(of({"--gradient", "--json", "--gradient-memory",
                                fmt::format("{:.6f}MB", 0.6e-6 * static_cast<double>(bytes))}))["gradient"];
  CHECK(less["bytes"].get<double>() <= 0.6 * static_cast<double>(bytes));
  const auto in_kilobytes = json_of(of({"--gradient", "--json", "--gradient-memory",
                                        fmt::format("{:.3f} kB", 0.6e-3 * static_cast<double>(bytes))}))["gradient"];
  CHECK(in_kilobytes["bytes"] == less["bytes"]);
  const Outcome none = of({"--gradient", "--gradient-memory", "0.1MB"});
  CHECK(none.status == 3);
  CHECK_THAT(none.err, Catch::Matchers::Contains("the gradient needs ") &&
                           Catch::Matchers::Contains("may take 100 kB") &&
                           Catch::Matchers::Contains("--gradient-memory"));
  CHECK(of({"--gradient-memory", "1GB"}).status == 2);
  CHECK(of({"--gradient", "--gpu-memory", "80GB"}).status == 2);
  const Outcome word = of({"--gradient", "--gradient-memory", "much"});
  CHECK_THAT(word.err, Catch::Matchers::Contains("as in 300kB or 80GB"));
  CHECK_THAT(word.err, Catch::Matchers::Contains("--gradient-memory: \"much\" is not a size"));
}

TEST_CASE("plan --gradient names what moves, and is refused where a gradient by the scene's materials is", "[cli]") {
  const TemporaryFolder folder;
  folder.write("small.toml", small_room);
  const auto of = [&](const std::vector<std::string>& sets, const std::vector<std::string>& more = {}) {
    std::vector<std::string> words = {"plan",       "small.toml", "--device",         "cpu",
                                      "--gradient", "--set",      "above.method=none"};
    for (const std::string& set : sets) words.insert(words.end(), {"--set", set});
    words.insert(words.end(), more.begin(), more.end());
    return run_fdtd(words, folder.path());
  };
  // Branches and rigid walls do not move, nor do materials on no wall.
  const std::string spare = "materials.spare={admittance = 0.2}";
  CHECK(json_of(of({spare}, {"--json"}))["gradient"]["materials"] == nlohmann::json{"plaster"});
  CHECK_THAT(of({spare}).out, Catch::Matchers::Contains("; by plaster; "));
  const Outcome none = of({"room.walls.default=\"carpet-heavy\""});
  CHECK(none.status == 2);
  CHECK_THAT(none.err, Catch::Matchers::Contains("no material moves: none of [materials] is on a wall") &&
                           Catch::Matchers::Contains("materials=[\"carpet-heavy\"]"));
  const Outcome octave = of({"materials.plaster.absorption.alpha=[0.2, 0.1, 0.0, 0.05]"});
  CHECK(octave.status == 2);
  CHECK_THAT(octave.err,
             Catch::Matchers::Contains("plaster absorbs nothing at 500 Hz") && Catch::Matchers::Contains("0.001"));
}
