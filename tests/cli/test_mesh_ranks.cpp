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
#include "tests/support/mesh_files.hpp"
#include "tests/support/meshes.hpp"
#include "tests/support/outputs.hpp"
#include "tests/support/program.hpp"
#include "tests/support/sanitized.hpp"
#include "tests/support/shaft.hpp"

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

// Next to all that planning it takes is walls, oblique ones; `plan` voxelises and plans it as every rank does, and
// holds no fields.
TEST_CASE("planning a mesh takes of a rank's machine what is reported") {
  const TemporaryFolder folder;
  const Turn turn = turned(25.0, 0.0);
  Mesh mesh;
  add_box(mesh, {0, 0, 0}, {2.4, 2.4, 1500}, {"panel", "panel", "panel", "panel", "panel", "panel"}, turn);
  folder.write("shaft.obj", as_obj(mesh));
  const Place in = turn({1.2, 1.2, 700.0});
  folder.write(
      "scene.toml",
      fmt::format("schema = 1\n[simulation]\nduration = 0.001\ngrid_spacing = 0.2\n[room]\nmesh = \"shaft.obj\"\n"
                  "[materials.panel]\nbranches = [ {{ D = 1e-3, E = 0.8, F = 120.0 }} ]\n[[source]]\nname = \"S\"\n"
                  "position = [{0}, {1}, 700.0]\n[[receiver]]\nname = \"R\"\nposition = [{0}, {1}, 701.0]\n",
                  in[0], in[1]));
  for (const char* stencil : {"leggy-1", "leggy-4", "box-333"}) {
    const Outcome plan = run_fdtd(
        {"plan", "scene.toml", "--gpu-memory", "20MB", "--json", "--set", std::string("simulation.stencil=") + stencil},
        folder.path());
    INFO(stencil << plan.err);
    REQUIRE(plan.status == 0);
    const auto json = nlohmann::json::parse(plan.out);
    REQUIRE(json["ranks"].size() > 4);
    std::int64_t reported = 0;
    for (const auto& rank : json["ranks"]) reported = std::max(reported, rank["host_bytes"].get<std::int64_t>());
    INFO("reported " << reported << ", taken " << plan.peak_bytes);
    if (!sanitized) {
      CHECK(plan.peak_bytes < reported * 11 / 10);
      CHECK(reported < 2 * plan.peak_bytes);
    }
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
