// A room from a mesh on several ranks, each of which holds a slab of it: what they write is what one rank writes.
#include "tests/support/places.hpp"

#ifdef FDTD_MPIEXEC
#include <algorithm>
#include <cstdint>
#include <filesystem>
#include <map>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "scenes/scene.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/meshes/mesh_files.hpp"
#include "tests/support/meshes/meshes.hpp"
#include "tests/support/meshes/shaft.hpp"
#include "tests/support/outputs.hpp"
#include "tests/support/program.hpp"
#include "tests/support/sanitized.hpp"

using namespace fdtd;
using namespace fdtd::test;
namespace fs = std::filesystem;
using Catch::Matchers::Contains;

namespace {

std::vector<std::string> arguments(const std::string& folder, const std::vector<std::string>& more = {}) {
  std::vector<std::string> words = {"run", "scene.toml", "-o", folder, "--device", "cpu", "--quiet"};
  words.insert(words.end(), more.begin(), more.end());
  return words;
}

void check_same(const TemporaryFolder& folder, const std::string& gold, const std::string& silver) {
  const auto one = outputs_of(folder / gold), several = outputs_of(folder / silver);
  CHECK(one.size() >= 5);
  REQUIRE(one.size() == several.size());
  for (const auto& [name, bytes] : one) {
    INFO(name);
    REQUIRE(several.contains(name));
    CHECK((bytes == several.at(name)));
  }
}

void write_hall(const TemporaryFolder& folder) {
  const fs::path examples = fs::path(FDTD_SOURCE_DIR) / "scenes/examples";
  fs::copy(examples / "hall.obj", folder / "hall.obj");
  fs::copy(examples / "hall.toml", folder / "scene.toml");
}

}  // namespace

TEST_CASE("2 and 3 ranks write the files of one for a mesh with oblique walls, whatever the stencil") {
  const TemporaryFolder folder;
  folder.write("shaft.obj", shaft());
  // Sums over cut voxels; products over cut ones; and, wider, over whole ones.
  for (const auto& [stencil, precision] : {std::pair{"leggy-3", "f32"}, {"compact-3", "f64"}, {"box-333", "f32"}}) {
    folder.write("scene.toml", shaft_scene(stencil, precision, 0.008) +
                                   "[output]\nsnapshots = [{ plane = \"y\", position = 1.0, every = 0.004 }]\n");
    const Outcome one = run_fdtd(arguments("one", {"--force"}), folder.path());
    INFO(one.err);
    REQUIRE(one.status == 0);
    for (const int ranks : {2, 3}) {
      INFO(stencil << ", " << ranks << " ranks");
      const Outcome several = run_ranks(ranks, arguments("several", {"--force"}), folder.path());
      INFO(several.err);
      REQUIRE(several.status == 0);
      check_same(folder, "one", "several");
    }
  }
}

TEST_CASE("2 and 3 ranks write the files of one for a hall with absorbers, a thin balcony and columns") {
  const TemporaryFolder folder;
  write_hall(folder);
  const auto at_coarse_spacing = [](const std::string& output) {
    return arguments(
        output, {"--set", "simulation.duration=0.02", "--set", "simulation.max_frequency=300", "--kernel", "rows"});
  };
  const Outcome one = run_fdtd(at_coarse_spacing("one"), folder.path());
  INFO(one.err);
  REQUIRE(one.status == 0);
  for (const int ranks : {2, 3}) {
    const std::string output = fmt::format("by{}", ranks);
    const Outcome several = run_ranks(ranks, at_coarse_spacing(output), folder.path());
    INFO(ranks << " ranks: " << several.err);
    REQUIRE(several.status == 0);
    check_same(folder, "one", output);
  }
}

namespace {

// A leaning shaft: oblique walls next to all, each of their rows unlike the others, in a grid with much wall.
void write_leaning_shaft(const TemporaryFolder& folder) {
  const Turn turn = turned(25.0, 14.0);
  Mesh mesh;
  add_box(mesh, {0, 0, 0}, {2.4, 2.4, 300}, {"panel", "panel", "panel", "panel", "panel", "panel"}, turn);
  folder.write("shaft.obj", as_obj(mesh));
  const Place source = turn({1.2, 1.2, 140.0}), receiver = turn({1.2, 1.2, 141.0});
  folder.write(
      "scene.toml",
      fmt::format("schema = 1\n[simulation]\nduration = 0.001\ngrid_spacing = 0.2\n[room]\n"
                  "mesh = \"shaft.obj\"\n[materials.panel]\nbranches = [ {{ D = 1e-3, E = 0.8, F = 120.0 }} ]\n"
                  "[[source]]\nname = \"S\"\nposition = [{}, {}, {}]\n[[receiver]]\nname = \"R\"\n"
                  "position = [{}, {}, {}]\n",
                  source[0], source[1], source[2], receiver[0], receiver[1], receiver[2]));
}

}  // namespace

// mpirun's ranks are its children: the peak is that of the largest. A plan states the largest peak that its ranks may
// reach; in a given run it depends on which rank waits for the other while walls are built (shaft, twelve runs: 237 to
// 290 MB of 333 MB), hence the wider bound from below.
TEST_CASE("a rank of a mesh's room takes of its machine what a plan reports") {
  struct Case {
    void (*write)(const TemporaryFolder&);
    std::vector<std::string> set;
    int ranks;
  };
  const std::vector<std::string> shaft_keys = {"simulation.stencil=leggy-4"},
                                 hall_keys = {"simulation.duration=0.002", "simulation.max_frequency=520"};
  for (const Case& one : {Case{write_leaning_shaft, shaft_keys, 2}, {write_hall, hall_keys, 2}}) {
    const TemporaryFolder folder;
    one.write(folder);
    std::vector<std::string> plan = {"plan", "scene.toml", "--device", "cpu", "--json"}, run = {"--kernel", "rows"};
    for (auto* words : {&plan, &run})
      for (const std::string& key : one.set) words->insert(words->end(), {"--set", key});
    const Outcome planned = run_ranks(one.ranks, plan, folder.path());
    INFO(planned.err);
    REQUIRE(planned.status == 0);
    const auto json = nlohmann::json::parse(planned.out);
    REQUIRE(json["ranks"].size() == static_cast<std::size_t>(one.ranks));
    std::int64_t reported = 0;
    for (const auto& rank : json["ranks"]) reported = std::max(reported, rank["host_bytes"].get<std::int64_t>());
    const Outcome taken = run_ranks(one.ranks, arguments("out", run), folder.path());
    INFO(taken.err);
    REQUIRE(taken.status == 0);
    INFO(one.ranks << " ranks: reported " << reported << ", taken " << taken.peak_bytes);
    if (sanitized) continue;
    CHECK(taken.peak_bytes < reported * 6 / 5);
    CHECK(reported < taken.peak_bytes * 3 / 2);
  }
}

TEST_CASE("a checkpoint of 2 ranks in a mesh is resumed by 1 and by 3") {
  const TemporaryFolder folder;
  folder.write("shaft.obj", shaft());
  folder.write("scene.toml", shaft_scene("leggy-2", "f64", 0.04));
  REQUIRE(run_fdtd(arguments("gold"), folder.path()).status == 0);
  const Outcome first = run_ranks(2, arguments("by1", {"--max-time", "0.001s"}), folder.path());
  INFO(first.err);
  CHECK(first.status == 130);
  CHECK_THAT(first.err, Contains("--max-time has passed"));
  REQUIRE(fs::exists(folder / "by1/checkpoint.h5"));
  fs::copy(folder / "by1", folder / "by3", fs::copy_options::recursive);
  const Outcome one = run_fdtd(arguments("by1", {"--resume"}), folder.path());
  const Outcome three = run_ranks(3, arguments("by3", {"--resume"}), folder.path());
  INFO(one.err << three.err);
  REQUIRE(one.status == 0);
  REQUIRE(three.status == 0);
  check_same(folder, "gold", "by1");
  check_same(folder, "gold", "by3");
}
#endif
