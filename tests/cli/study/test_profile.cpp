// fdtd profile and fdtd bench as a user meets them: what is measured is tested elsewhere.
#include <algorithm>
#include <nlohmann/json.hpp>

#include "engine/planning/costs/cost_table.hpp"
#include "stencils/catalogue.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/json_of.hpp"
#include "tests/support/places.hpp"
#include "tests/support/program.hpp"
#include "tests/support/scene_text.hpp"

namespace fdtd::test {
namespace {

// GPUs are hidden where there are some: what is reported without them.
const std::map<std::string, std::string> no_gpu = {{"CUDA_VISIBLE_DEVICES", "-1"}};

}  // namespace

TEST_CASE("profile and bench end with status 3 and say why where there is no GPU", "[cli]") {
  const TemporaryFolder folder;
  for (const char* command : {"profile", "bench"})
    for (const char* device : {"cuda", "cuda:7"}) {
      INFO(command << " --device " << device);
      const Outcome outcome = run_fdtd({command, "--device", device, "--json", "out.json"}, folder.path(), no_gpu);
      REQUIRE(outcome.status == 3);
      REQUIRE(outcome.out.empty());
      REQUIRE((outcome.err.find("driver") != std::string::npos || outcome.err.find("no GPU") != std::string::npos ||
               outcome.err.find("no GPU code") != std::string::npos));
      REQUIRE(outcome.err.find("--device cpu") != std::string::npos);
      REQUIRE_FALSE(std::filesystem::exists(folder.path() / "out.json"));
    }
}

TEST_CASE("options of one device are refused on the other, and unknown devices with the known ones", "[cli]") {
  const TemporaryFolder folder;
  const std::vector<std::pair<std::vector<std::string>, std::string>> mistakes = {
      {{"profile", "--device", "gpu"}, "write cpu, cuda or cuda:1"},
      {{"profile", "--device", "cuda:"}, "write cpu, cuda or cuda:1"},
      {{"profile", "--device", "cuda:1x"}, "write cpu, cuda or cuda:1"},
      {{"profile", "--device", "cuda:-1"}, "write cpu, cuda or cuda:1"},
      {{"profile", "--device", "cuda", "--threads", "2"}, "--threads applies to the CPU only"},
      {{"profile", "--kernel", "rows", "--kernel", "time_slice"}, "one --kernel"},
      {{"bench", "--device", "cuda", "--kernel", "flat", "--kernel", "kernel_a"}, "one --kernel"},
      {{"profile", "--tiles", "all"}, "--tiles applies to GPUs only"},
      {{"profile", "--tiles", "some"}, "--tiles"},
      {{"profile", "--counters"}, "--counters applies to GPUs only"},
      {{"bench", "--retune"}, "--retune applies to GPUs only"},
      {{"bench", "--device", "cuda", "--error", "0.9"}, "is not a dispersion error"},
      {{"profile", "--device", "cuda", "--stencil", "leggy-21"}, "there is no stencil leggy-21"},
  };
  for (const auto& [words, message] : mistakes) {
    INFO(words.back());
    const Outcome outcome = run_fdtd(words, folder.path(), no_gpu);
    REQUIRE(outcome.status == 2);
    REQUIRE(outcome.err.find(message) != std::string::npos);
  }
}

TEST_CASE("profile's JSON is printed, or written to the file named", "[cli]") {
  const TemporaryFolder folder;
  const std::vector<std::string> words = {"profile", "--stencil", "leggy-1", "--grid", "24x20x16", "--repeats", "1"};
  auto printed = words, written = words;
  printed.emplace_back("--json");
  written.insert(written.end(), {"--json", "p.json"});
  const Outcome first = run_fdtd(printed, folder.path());
  REQUIRE(first.status == 0);
  REQUIRE(nlohmann::json::parse(first.out)["results"][0]["points"] == 7);
  const Outcome second = run_fdtd(written, folder.path());
  REQUIRE(second.status == 0);
  REQUIRE(second.out.empty());
  REQUIRE(nlohmann::json::parse(read_file(folder.path() / "p.json"))["results"][0]["stencil"] == "leggy-1/taylor");
  REQUIRE(run_fdtd(written, folder.path()).status == 5);  // it exists
  written.emplace_back("--force");
  REQUIRE(run_fdtd(written, folder.path()).status == 0);
}

TEST_CASE("profile reports a mesh outside the folder of its scene where that is allowed", "[cli]") {
  const TemporaryFolder folder;
  const Outcome outcome =
      run_fdtd({"profile", std::string(FDTD_SOURCE_DIR) + "/bench/hall.toml", "--allow-outside", "--set",
                "simulation.grid_spacing=0.5", "--device", "cpu", "--repeats", "1", "--json"},
               folder.path());
  REQUIRE(outcome.status == 0);
  const auto json = nlohmann::json::parse(outcome.out);
  REQUIRE(json["boundary_nodes"].get<int>() > 1000);
  REQUIRE(json["stencil"] == "leggy-4/taylor");
}

TEST_CASE("profile reports a whole room beside the bare kernel, as the scene and --set have it", "[cli]") {
  const TemporaryFolder folder;
  const std::string scene = std::string(FDTD_SOURCE_DIR) + "/bench/room.toml";
  const Outcome outcome = run_fdtd({"profile", scene, "--set", "simulation.grid_spacing=1.0", "--set",
                                    "simulation.precision=f64", "--device", "cpu", "--repeats", "1", "--json"},
                                   folder.path());
  REQUIRE(outcome.status == 0);
  const auto json = nlohmann::json::parse(outcome.out);
  REQUIRE(json["grid"] == nlohmann::json({30, 25, 23}));
  REQUIRE(json["precision"] == "f64");
  REQUIRE(json["sources"] == 8);
  REQUIRE(json["receivers"] == 16);
  REQUIRE(json["boundary_nodes"].get<int>() > 3000);
  REQUIRE(json["ctpn_ns"].get<double>() > json["step_ctpn_ns"].get<double>());
  REQUIRE(json["bare"]["ctpn_ns"].get<double>() > 0.0);
  const auto several = [](const nlohmann::json& kernel) {
    return kernel.get<std::string>().find("steps a sweep") != std::string::npos;
  };
  REQUIRE(several(json["kernel"]) == several(json["bare"]["kernel"]));
  REQUIRE(json["turns"] == 1);  // one pair
  REQUIRE(json["of_bare"].get<double>() > 0.0);
  for (const auto& [repeats, turns] : {std::pair{"3", 3}, {"9", 8}}) {
    const Outcome more = run_fdtd(
        {"profile", scene, "--set", "simulation.grid_spacing=2.0", "--device", "cpu", "--repeats", repeats, "--json"},
        folder.path());
    REQUIRE(more.status == 0);
    REQUIRE(nlohmann::json::parse(more.out)["turns"] == turns);
  }
  for (const auto& [words, message] : std::vector<std::pair<std::vector<std::string>, std::string>>{
           {{"profile", scene, "--stencil", "leggy-1"}, "the scene sets stencil, grid and precision"},
           {{"profile", scene, "--tiles", "all"}, "apply to bare kernels only"},
           {{"profile", "--set", "simulation.precision=f64"}, "--set needs a scene"},
           {{"profile", "--allow-outside"}, "--allow-outside needs a scene"},
           {{"profile", std::string(FDTD_SOURCE_DIR) + "/bench/hall.toml"}, "hall.obj"},
           {{"profile", "missing.toml"}, "missing.toml"}}) {
    INFO(message);
    const Outcome refused = run_fdtd(words, folder.path());
    REQUIRE(refused.status != 0);
    REQUIRE(refused.err.find(message) != std::string::npos);
  }
}

TEST_CASE("bench writes its plots and tables and one JSON document", "[cli]") {
  const TemporaryFolder folder;
  const Outcome outcome = run_fdtd({"bench", "--families", "leggy,box", "--count", "2", "--grid", "24x20x16",
                                    "--repeats", "1", "-o", "c.html", "--json"},
                                   folder.path());
  REQUIRE(outcome.status == 0);
  const auto json = nlohmann::json::parse(outcome.out);
  REQUIRE(json["results"].size() == 4);
  REQUIRE(!json["costs"].empty());
  const std::string html = read_file(folder.path() / "c.html");
  REQUIRE(html.find("leggy-2") != std::string::npos);
  REQUIRE(html.find("</svg>") != std::string::npos);
}

TEST_CASE("multigrid is profiled on masks", "[cli]") {
  const TemporaryFolder folder;
  const auto run = [&](const std::vector<std::string>& words) { return run_fdtd(words, folder.path()); };
  for (const char* mask : {"ball", "rooms", "random"}) {
    INFO(mask);
    const nlohmann::json found = json_of(run({"profile", "--multigrid", "V", "--mask", mask, "--grid", "30x30x30",
                                              "--repeats", "1", "--threads", "1", "--json"}));
    CHECK(found["converged"] == true);
    CHECK(int(found["iterations"]) <= 12);
    CHECK(int(found["further_nodes"]) > 0);
    CHECK(double(found["residual"]) <= 1e-6);
  }
  CHECK(run({"profile", "--multigrid", "V", "--mask", "cone"}).status == 2);
  CHECK(run({"profile", "--mask", "ball"}).status == 2);
  const Outcome large = run({"profile", "--multigrid", "V", "--mask", "ball", "--grid", "60000x60000x60000"});
  CHECK(large.status != 0);
  CHECK(large.err.find("--grid") != large.err.npos);
  CHECK(run({"profile", "--multigrid", "V", "--mask", "ball", "--device", "cuda:99"}).status == 3);
}

TEST_CASE("what bench counts is the run that plan plans, limits and all", "[cli]") {
  const TemporaryFolder folder;
  SceneText text;
  text.simulation = "duration = 1.0\nmax_frequency = 1000.0\ndispersion_error = 0.02\n";
  text.box = "[4.6416, 4.6416, 4.6416]";
  text.materials = "[materials.panel]\nlibrary = \"plasterboard\"\n";
  folder.write("room.toml", text_of(text));
  folder.write("times.json",
               R"({"device": "cuda:0", "results": [{"stencil": "leggy-6/taylor", "role": "kernel_a", "ctpn_ns": 5.0},
                   {"stencil": "leggy-6/taylor", "role": "best", "ctpn_ns": 2.0},
                   {"stencil": "leggy-6/taylor", "role": "best", "ctpn_ns": 3.0}, {"role": "best"}, 7]})");
  const std::vector<std::string> words = {"bench",   "--times", "times.json", "--scene", "room.toml",
                                          "--error", "0.02",    "-o",         "c.html"};
  const auto with = [&](std::vector<std::string> more) {
    more.insert(more.begin(), words.begin(), words.end());
    return run_fdtd(more, folder.path());
  };
  const auto json = json_of(with({"--json"}));
  CHECK(json["device"] == "cuda:0");  // the document of the times, with other costs
  CHECK(json["results"].size() == 5);
  CHECK(json["volume"] == Approx(100.0).epsilon(1e-3));
  CHECK(json["max_frequency"] == 1000.0);
  REQUIRE(json["costs"].size() > 3);  // the variants of leggy-6
  bool walls_set_one = false;
  for (const auto& cost : json["costs"]) {
    const std::string name = cost["stencil"];
    INFO(name);
    if (!cost["missed"].empty()) continue;  // a run whose responses pass less has a longer record
    const auto plan =
        json_of(run_fdtd({"plan", "room.toml", "--set", "simulation.stencil=" + name, "--json"}, folder.path()));
    const auto product = plan["nodes"].get<double>() * plan["steps"].get<double>();
    const double of_walls = cost["wall_seconds"], seconds = cost["seconds"];
    CHECK(seconds - of_walls == Approx(2e-9 * product).epsilon(1e-12));
    const double nx = plan["grid"][0], ny = plan["grid"][1], nz = plan["grid"][2];
    const double faces = 2.0 * (nx * ny + ny * nz + nz * nx) / plan["nodes"].get<double>();
    const Stencil& stencil = *find_stencil(name);
    constexpr auto device = DeviceClass::gpu_before_9_0;  // no kernel of the times uses bulk tensor copies
    CHECK(of_walls == Approx(2e-9 * product * faces * cost_per_face(stencil, Precision::f32, device, 0.0) /
                             cost_per_node(stencil, Precision::f32, device)));
    const auto& needs = plan["spacings_needed"];
    const auto finest = std::min_element(needs.begin(), needs.end(),
                                         [](const auto& a, const auto& b) { return a["spacing"] < b["spacing"]; });
    CHECK(cost["limited_by"] == (*finest)["what"]);
    CHECK(cost["interior_seconds"].get<double>() <= cost["seconds"].get<double>());
    walls_set_one = walls_set_one || cost["limited_by"] == "walls";
  }
  CHECK(walls_set_one);
  const Outcome printed = with({"--force"});
  CHECK(printed.status == 0);
  CHECK(printed.out.find("limited by") != printed.out.npos);
  CHECK(printed.out.find("  walls\n") != printed.out.npos);
  CHECK(read_file(folder.path() / "c.html").find("limited by") != std::string::npos);
}

TEST_CASE("bench refuses times and scenes that it cannot use", "[cli]") {
  const TemporaryFolder folder;
  folder.write("none.json", "{\"results\": [{\"stencil\": \"leggy-4\", \"ctpn_ns\": -1}]}");
  folder.write("torn.json", "{\"results\": [");
  SceneText text;
  text.simulation = "duration = 1.0\ngrid_spacing = 0.1\n";
  folder.write("spacing.toml", text_of(text));
  for (const auto& [words, message] : std::vector<std::pair<std::vector<std::string>, std::string>>{
           {{"--times", "none.json"}, "has no times of these families"},
           {{"--times", "torn.json"}, "has no times of these families"},
           {{"--times", "missing.json"}, "missing.json"},
           {{"--times", "none.json", "--grid", "24x24x24"}, "--times measures nothing"},
           {{"--scene", "spacing.toml"}, "simulation.max_frequency"},
           {{"--set", "simulation.wall_error=0.05"}, "need a scene"}}) {
    INFO(message);
    std::vector<std::string> all = {"bench"};
    all.insert(all.end(), words.begin(), words.end());
    const Outcome refused = run_fdtd(all, folder.path());
    CHECK(refused.status != 0);
    CHECK(refused.out.empty());
    CHECK(refused.err.find(message) != std::string::npos);
  }
}

TEST_CASE("multigrid is profiled on grids that can be halved", "[cli]") {
  const TemporaryFolder folder;
  const auto run = [&](const std::vector<std::string>& words) { return run_fdtd(words, folder.path()); };
  const Outcome V = run({"profile", "--multigrid", "V", "--grid", "63x63x63", "--repeats", "1", "--threads", "1"});
  CHECK(V.status == 0);
  CHECK(V.out.find("Krotkiewski, Dabrowski") != V.out.npos);
  CHECK(V.out.find("not reached") == V.out.npos);
  const Outcome refused = run({"profile", "--multigrid", "V", "--grid", "100x100x100"});
  CHECK(refused.status == 2);
  CHECK(refused.err.find("255x255x255") != refused.err.npos);
  CHECK(run({"profile", "--multigrid", "V", "--stencil", "leggy-1"}).status == 2);
  CHECK(run({"profile", "--multigrid", "V", "--precision", "f64"}).status == 2);
  CHECK(run({"profile", "--sweeps", "3"}).status == 2);
}

}  // namespace fdtd::test
