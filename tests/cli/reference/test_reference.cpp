// The reference manual holds what the program does: its pages are those that the program prints, and every field and
// file that commands make is described, every described one made.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <map>
#include <nlohmann/json.hpp>
#include <set>
#include <string>
#include <vector>

#include "engine/files/wav_write.hpp"
#include "engine/studies/gpu_profile.hpp"
#include "tests/cli/reference/json_types.hpp"
#include "tests/cli/reference/reference_scenes.hpp"
#include "tests/cli/reference/scene_files.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/h5_library.hpp"
#include "tests/support/json_of.hpp"
#include "tests/support/meshes/leaky_rooms.hpp"
#include "tests/support/meshes/mesh_files.hpp"
#include "tests/support/meshes/mesh_scene.hpp"
#include "tests/support/meshes/meshes.hpp"
#include "tests/support/places.hpp"
#include "tests/support/program.hpp"
#include "tests/support/scene_text.hpp"

using namespace fdtd;
using namespace fdtd::test;
namespace fs = std::filesystem;
using nlohmann::json;

namespace {

// ---- JSON ---------------------------------------------------------------------------------------------------------
struct Field {
  std::string type, when;
};
using Fields = std::map<std::string, Field>;

json reference(const char* page) { return json_of(run_fdtd({"reference", page, "--json"}, "."))[page]; }

Fields described(const std::string& command) {
  for (const json& document : reference("json")) {
    if (document["command"] != command) continue;
    Fields fields;
    for (const json& field : document["fields"]) {
      const std::string path = field["path"];
      INFO(path);
      CHECK(fields.emplace(path, Field{field["type"], field["when"]}).second);
      CHECK_FALSE(field["about"].get<std::string>().empty());
    }
    return fields;
  }
  FAIL("no document " + command);
  return {};
}

// Puts the paths of all fields into `seen`, and "list[]" for a list that is not empty; each must be described.
void visit(const json& object, const std::string& prefix, const Fields& fields, std::set<std::string>& seen) {
  for (const auto& [key, value] : object.items()) {
    const std::string path = prefix + key;
    INFO(path << " = " << value.dump().substr(0, 200));
    const auto field = fields.find(path);
    CHECK(field != fields.end());
    if (field == fields.end()) continue;
    CHECK(is_of_type(value, field->second.type));
    seen.insert(path);
    if (field->second.type == "object") visit(value, path + ".", fields, seen);
    if (field->second.type != "list of objects" || value.empty()) continue;
    seen.insert(path + "[]");
    for (const json& item : value) visit(item, path + "[].", fields, seen);
  }
}

// Every field of these documents is described; of the described ones those without a condition are in each, those
// with one in at least one, but for `elsewhere`: the conditions that no test meets.
void check_documents(const std::string& command, const std::vector<json>& documents,
                     const std::set<std::string>& elsewhere = {}) {
  INFO(command);
  const Fields fields = described(command);
  std::set<std::string> ever;
  for (const json& document : documents) {
    std::set<std::string> seen;
    visit(document, "", fields, seen);
    for (const auto& [path, field] : fields) {
      INFO(path);
      const std::string parent = path.substr(0, path.find_last_of('.') == path.npos ? 0 : path.find_last_of('.'));
      if (field.when.empty() && (parent.empty() || seen.count(parent) > 0)) CHECK(seen.count(path) == 1);
    }
    ever.insert(seen.begin(), seen.end());
  }
  for (const auto& [path, field] : fields) {
    INFO(path << ", present if: " << field.when);
    if (elsewhere.count(field.when) == 0) CHECK(ever.count(path) == 1);
  }
}

std::vector<json> elements(const json& list) { return {list.begin(), list.end()}; }

// ---- files --------------------------------------------------------------------------------------------------------
// Names of sources, receivers and snapshots in a path become S, R and NAME.
std::string general(const std::string& file, const std::string& object) {
  std::vector<std::string> parts;
  const std::string path = object.substr(0, object.find('@'));
  for (std::size_t at = 1; at < path.size();) {
    const std::size_t end = std::min(path.find('/', at), path.size());
    parts.push_back(path.substr(at, end - at));
    at = end + 1;
  }
  const auto name = [&](std::size_t place, const char* placeholder) {
    if (parts.size() > place) parts[place] = placeholder;
  };
  const std::string first = parts.empty() ? "" : parts[0];
  if (file == "snapshots.h5") {
    name(0, "NAME");
    if (parts.size() > 1 && parts[1] != "times" && parts[1] != "air") name(1, "S");
  } else {
    if (first == "sources" || first == "energy") name(1, "S");
    if (first == "receivers" || first == "raw" || first == "exchanged" || first == "ears") name(1, "R");
    if (first == "level") name(1, "S");
    if (first == "frames") name(1, "N");
    if (first == "above" && parts.size() > 1 && parts[1] == "energy") name(2, "I");
  }
  std::string text = "/";
  for (const std::string& part : parts) text += (text.size() > 1 ? "/" : "") + part;
  return text + object.substr(path.size());
}

void check_contents(const std::string& name, const std::vector<fs::path>& files) {
  INFO(name);
  std::map<std::string, std::string> entries;  // path -> when
  for (const json& file : reference("files"))
    if (file["name"] == name)
      for (const json& entry : file["entries"]) entries.emplace(entry["path"], entry["when"]);
  std::set<std::string> ever;
  for (const fs::path& file : files) {
    std::set<std::string> seen;
    for (const std::string& object : h5_objects(file)) seen.insert(general(name, object));
    for (const std::string& path : seen) {
      INFO(path);
      CHECK(entries.count(path) == 1);
    }
    for (const auto& [path, when] : entries) {
      INFO(path);
      if (when.empty()) CHECK(seen.count(path) == 1);
    }
    ever.insert(seen.begin(), seen.end());
  }
  for (const auto& [path, when] : entries) {
    INFO(path << ", present if: " << when);
    CHECK(ever.count(path) == 1);
  }
}

}  // namespace

TEST_CASE("the pages of the reference manual are those that the program prints", "[cli]") {
  for (const char* page : {"scene", "commands", "files", "json"}) {
    const Outcome printed = run_fdtd({"reference", page}, ".");
    REQUIRE(printed.status == 0);
    INFO("docs/reference/" << page << ".md is not what the program prints. This command writes it again: "
                           << "fdtd reference -o docs/reference --force");
    const bool same =
        read_file(fs::path(FDTD_SOURCE_DIR) / "docs/reference" / (std::string(page) + ".md")) == printed.out;
    CHECK(same);
  }
}

TEST_CASE("the pages of the reference manual are written together, and replaced only on demand", "[cli]") {
  const TemporaryFolder folder;
  REQUIRE(run_fdtd({"reference", "-o", "pages"}, folder.path()).status == 0);
  CHECK(names_in(folder / "pages") == std::vector<std::string>{"commands.md", "files.md", "json.md", "scene.md"});
  CHECK(read_file(folder / "pages/json.md") == run_fdtd({"reference", "json"}, folder.path()).out);
  CHECK(run_fdtd({"reference", "-o", "pages"}, folder.path()).status == 5);
  CHECK(run_fdtd({"reference", "scene", "-o", "pages", "--force"}, folder.path()).status == 0);
  CHECK(run_fdtd({"reference", "tables"}, folder.path()).status == 2);
  CHECK(run_fdtd({"reference", "--json", "-o", "pages", "--force"}, folder.path()).status == 2);
}

TEST_CASE("every command and option is described", "[cli]") {
  std::set<std::string> commands;
  for (const json& command : reference("commands")) {
    const std::string name = command["name"];
    commands.insert(name);
    const std::string help = run_fdtd({name, "--help"}, ".").out;
    for (const json& option : command["options"]) {
      INFO(name << " " << option["name"]);
      CHECK_FALSE(option["about"].get<std::string>().empty());
      const std::string last = option["name"].get<std::string>();
      if (last.starts_with("-")) CHECK(help.find(last.substr(last.rfind("--"))) != std::string::npos);
    }
  }
  const std::string help = run_fdtd({"--help"}, ".").out;
  for (const std::string& name : commands) CHECK(help.find("  " + name) != std::string::npos);
  CHECK(commands.size() >= 14);
}

TEST_CASE("every field of a plan is described", "[cli]") {
  const TemporaryFolder folder;
  folder.write("small.toml", small);
  folder.write("rich.toml", rich);
  folder.write("mesh.toml", odd_mesh_scene);
  folder.write("odd.obj", odd_mesh);
  folder.write("leaky.obj", as_obj(room_with_short_wall({3.0, 2.5, 2.0}, 0.05)));
  write_closet(folder);
  write_audio(folder / "dry.wav", {std::vector<double>(100, 0.1)}, 8000, SampleFormat::float32, false);
  const auto plan = [&](std::vector<std::string> words) {
    words.insert(words.begin(), "plan");
    words.emplace_back("--json");
    return json_of(run_fdtd(words, folder.path()));
  };
  write_pointed(folder);
  const json with_pointed = plan({"pointed.toml"});
  CHECK(with_pointed["ambisonic"]["orders"].size() == 1);
  CHECK(with_pointed["ambisonic"]["orders"][0]["order"] == 4);
  CHECK(with_pointed["ambisonic"]["source_inside"] == "S1 in that of R1");
  CHECK(with_pointed["measured_sources"][0]["directions"] == 6);
  CHECK(with_pointed["measured_sources"][0]["octaves"].size() > 0);
  CHECK(with_pointed["paths"][0]["highest_speed"].get<double>() == Approx(std::sqrt(0.36 + 0.25 + 0.09)));
  CHECK(with_pointed["paths"][0]["turns"] == true);
  CHECK(with_pointed["paths"][0]["places"] > 2);
  check_documents("fdtd plan SCENE --json",
                  {with_pointed, plan({"small.toml"}), plan({"small.toml", "--set", "above.method=rays"}),
                   plan(with_gradient), plan({"rich.toml"}), plan({"mesh.toml"}), plan({"closet.toml"}),
                   plan({"mesh.toml", "--set", "room.mesh=leaky.obj", "--set", "room.seal=0.06"}),
                   plan({"small.toml", "--gpu-memory", "200MB", "--set", "room.box=[1.3, 1.1, 30]", "--set",
                         "simulation.max_frequency=6000"}),
                   plan({"small.toml", "--set", "simulation.wall_error=0.002", "--set",
                         "materials.panel.branches=[{D=1e-3,E=2.0,F=2e4}]"})},
                  {"there is one"});
}

TEST_CASE("every field and file of a run is described", "[cli]") {
  const TemporaryFolder folder;
  folder.write("small.toml", small);
  folder.write("rich.toml", rich);
  write_audio(folder / "dry.wav", {std::vector<double>(100, 0.1)}, 8000, SampleFormat::float32, false);
  write_audio(folder / "two.wav", {std::vector<double>(9, 0.1), std::vector<double>(9, 0.1)}, 8000,
              SampleFormat::float32, false);
  const auto run = [&](std::vector<std::string> words) {
    words.insert(words.begin(), "run");
    return run_fdtd(words, folder.path());
  };

  for (int session = 0; session < 2; ++session)
    REQUIRE(
        run({"rich.toml", "-o", "rich", "--resume", "--max-time", "0.01s", "--checkpoint-every", "5steps"}).status ==
        130);
  check_contents("checkpoint.h5", {folder / "rich/checkpoint.h5", folder / "rich/checkpoint-previous.h5"});
  std::set<std::string> made;
  for (const std::string& name : names_in(folder / "rich")) made.insert(name);
  const json first = json_of(run({"rich.toml", "-o", "rich", "--resume", "--sofa", "--json"}));
  const json second = json_of(run({"small.toml", "-o", "small", "--json"}));
  folder.write("tones.toml", tones);
  const json third = json_of(run({"tones.toml", "-o", "tones", "--json"}));
  for (const json& tone : third["receivers"][0]["residual_tones"]) CHECK(tone["removed"] == true);
  const json whole_band = json_of(run({"small.toml", "-o", "whole", "--set", "above.method=rays", "--json"}));
  write_closet(folder);
  const json closet = json_of(run({"closet.toml", "-o", "closet", "--json"}));
  const json taken = json_of(run({"small.toml", "-o", "taken", "--waves", "small", "--json"}));
  check_documents("fdtd run SCENE --json", {first, second, third, whole_band, taken, closet}, conditions_of_plans);
  check_documents("fdtd run SCENE --resume --json",
                  {json_of(run({"small.toml", "-o", "small", "--resume", "--json"}))});
  const std::string radial = "simulation.stencil=\"compact-3/radial1\"";
  REQUIRE(run({"small.toml", "-o", "radial", "--set", radial}).status == 0);
  REQUIRE(run({"small.toml", "-o", "exchanged", "--set", "simulation.reciprocity=on"}).status == 0);
  REQUIRE(run({"small.toml", "-o", "joint", "--set", "simulation.reciprocity=off", "--set",
               "source.S1.pattern=cardioid", "--set", "source.S1.direction=[1, 0, 0]"})
              .status == 0);
  folder.write("many.toml", many);
  const json fourth = json_of(run({"many.toml", "-o", "many", "--json"}));
  check_documents("fdtd run SCENE --json", {fourth, second, third, first, whole_band, taken, closet},
                  conditions_of_plans);
  const Turn turn = turned(27.0, 16.0, {2.5, 1.5, 0.5});
  folder.write("turned.obj", as_obj(box_mesh({0, 0, 0}, {3.6, 3.1, 2.7}, turn)));
  SceneText oblique;
  oblique.simulation = "duration = 0.02\nmax_frequency = 300\nstencil = \"leggy-2\"\n";
  oblique.room = "mesh = \"turned.obj\"\nunits = \"m\"\nup = \"z\"\n";
  const auto place = [&](const Place& p) { return fmt::format("[{}]", fmt::join(turn(p), ", ")); };
  oblique.source = place({0.6, 0.5, 0.6});
  oblique.receiver = place({0.9, 0.5, 0.6});
  oblique.receiver_keys = "pattern = \"ambisonic\"\norder = 3";
  folder.write("oblique.toml", text_of(oblique));
  REQUIRE(run({"oblique.toml", "-o", "oblique"}).status == 0);
  write_stage(folder);
  REQUIRE(run({"stage.toml", "-o", "stage", "--sofa"}).status == 0);
  write_measured(folder);
  REQUIRE(run({"loudspeaker.toml", "-o", "loudspeaker", "--sofa"}).status == 0);
  for (const char* where : {"stage", "loudspeaker"})
    for (const std::string& name : names_in(folder / where))
      if (name.find("binaural") != name.npos || name.starts_with("ir_R2_yaw") || name.find("_array_") != name.npos)
        made.insert(name);
  check_contents("result.h5", {folder / "rich/result.h5", folder / "small/result.h5", folder / "radial/result.h5",
                               folder / "many/result.h5", folder / "oblique/result.h5", folder / "exchanged/result.h5",
                               folder / "joint/result.h5", folder / "whole/result.h5", folder / "closet/result.h5",
                               folder / "stage/result.h5", folder / "loudspeaker/result.h5"});
  check_contents("snapshots.h5", {folder / "rich/snapshots.h5"});

  // Other numbers of sources and receivers have files of other names.
  REQUIRE(run({"rich.toml", "-o", "one", "--sofa", "--set", "source.S2=", "--set", "receiver.R1.pattern=omni", "--set",
               "receiver.R1.direction="})
              .status == 0);
  const Outcome sweep =
      run_fdtd({"sweep", "small.toml", "-o", "values", "--set", "source.S1.signal=[impulse, two.wav]"}, folder.path());
  std::vector<json> lines;
  for (std::size_t at = 0, end = 0; (end = sweep.out.find('\n', at)) != sweep.out.npos; at = end + 1)
    lines.push_back(json::parse(sweep.out.substr(at, end - at)));
  REQUIRE(lines.size() == 2);
  for (json& line : lines) {
    if (line["status"] != 0) continue;
    const Fields fields = described("fdtd sweep SCENE --set KEY=[...]");
    std::set<std::string> seen;
    visit(line, "", fields, seen);
    CHECK(seen.count("set") + seen.count("plan.stencil") == 2);
  }
  const auto failed = std::find_if(lines.begin(), lines.end(), [](const json& line) { return line["status"] != 0; });
  REQUIRE(failed != lines.end());
  CHECK(failed->contains("error"));

  REQUIRE(
      run_fdtd({"estimate", "small.toml", "--cells", "500", "--map", "z=0.4", "-o", "levels"}, folder.path()).status ==
      0);
  check_contents("estimate.h5", {folder / "levels/estimate.h5"});
  for (const char* name : run_small_rooms(folder)) check_contents(name, {folder / "small_rooms" / name});
  REQUIRE(run_fdtd({"movie", "rich/snapshots.h5"}, folder.path()).status == 0);
  fs::create_directory(folder / "imported");
  folder.write("model.json", R"({"mats_hash": {"w": {"pts": [[0, 0, 0], [1, 0, 0], [0, 1, 0], [0, 0, 1]],
    "tris": [[0, 2, 1], [0, 1, 3], [1, 2, 3], [2, 0, 3]]}},
    "sources": [{"xyz": [0.1, 0.1, 0.1], "name": "S1"}], "receivers": [{"xyz": [0.2, 0.2, 0.2], "name": "R1"}]})");
  REQUIRE(run_fdtd({"import", "model.json", "-o", "imported/NAME.toml"}, folder.path()).status == 0);
  fs::create_directory(folder / "fitted");
  folder.write("panel.toml", panel);
  folder.write("measured.json", R"({"bands_hz": [125], "pairs": {"S1 R1": {"t20": [0.5]}}})");
  REQUIRE(
      run_fdtd({"fit", "panel.toml", "measured.json", "-o", "fitted/FITTED.toml", "--folder", "fits", "--runs", "1"},
               folder.path())
          .status == 0);
  for (const char* where : {"rich", "one", "small", "values", "imported", "fitted", "levels", "small_rooms"})
    for (const auto& entry : fs::recursive_directory_iterator(folder / where)) {
      std::string name = fs::relative(entry.path(), folder / where).string();
      if (entry.is_directory()) name += "/";
      made.insert(name);
    }
  std::set<std::string> known, met;
  for (const json& file : reference("files")) known.insert(file["name"].get<std::string>());
  for (std::string name : made) {
    INFO(name);
    if (name.ends_with("/") && name.starts_with("movie_")) continue;
    const auto put = [&](const std::string& from, const std::string& to) {
      for (std::size_t at = name.find(from); at != name.npos; at = name.find(from)) name.replace(at, from.size(), to);
    };
    if (name.size() > 4 && name.starts_with("00")) {  // a run of the sweep
      if (!name.ends_with("run.json")) continue;
      name = "NNN/run.json";
    } else if (name.starts_with("movie_")) {
      name = "movie_NAME/frame_NNN.png";
    } else if (name.starts_with("00")) {
      name = "NNN/";
    }
    put("S1", "S"), put("S2", "S"), put("R1", "R"), put("R2", "R"), put("ambisonic_1", "ambisonic_N"),
        put("yaw20", "yawNNN"), put("array_R.", "array_NAME.");
    CHECK(known.count(name) == 1);
    met.insert(name);
  }
  for (const std::string& name : known) {
    INFO(name);
    CHECK(met.count(name) == 1);
  }
}

TEST_CASE("every field of the other documents is described", "[cli]") {
  const TemporaryFolder folder;
  folder.write("small.toml", small);
  write_audio(folder / "ir.wav", {std::vector<double>{0.0, 1.0, 0.5, 0.25, 0.1, 0.0, 0.0}}, 8000, SampleFormat::float32,
              false);
  const auto output = [&](const std::vector<std::string>& words) { return json_of(run_fdtd(words, folder.path())); };
  const std::vector<std::string> estimate = {"estimate", "small.toml", "--cells", "500", "--json"};
  std::vector<std::string> mapped = estimate, silent = estimate;
  mapped.insert(mapped.end(), {"--map", "z=0.4", "-o", "levels"});
  silent.insert(silent.end(), {"--no-air", "--set", "room.walls.default=rigid", "--set", "room.walls.z_min=rigid",
                               "--set", "materials.rigid.rigid=true"});
  folder.write("open.obj", "v 0 0 0\nv 9 0 0\nv 9 9 0\nv 0 9 9\nf 1 2 3\nf 3 2 4\n");
  check_documents("fdtd surface SCENE --json",
                  {output({"surface", "small.toml", "--json"}),
                   output({"surface", "small.toml", "--set",
                           "room={mesh=\"open.obj\", walls={default=\"brick-painted\"}}", "--json"})},
                  {"`count` is not 0"});
  check_documents("fdtd estimate SCENE --json", {output(estimate), output(mapped), output(silent)});
  write_stage(folder);
  for (const auto& [document, words] : small_room_commands())
    check_documents(document, {output(words), output(widened(words))});
  REQUIRE(run_fdtd({"run", "stage.toml", "-o", "stage", "--quiet"}, folder.path()).status == 0);
  check_documents("fdtd metrics IR.wav --json",
                  {output({"metrics", "ir.wav", "--json"}),
                   output({"metrics", "stage/ir_L_1.wav", "--scale", "1", "--speech", "65", "--json"})});
  REQUIRE(run_fdtd({"run", "small.toml", "-o", "small", "--quiet"}, folder.path()).status == 0);
  check_documents("fdtd metrics result.h5 --json",
                  {output({"metrics", "small/result.h5", "--json"}),
                   output({"metrics", "stage/result.h5", "--line", "L_1,L_2,L_3,L_4", "--speech", "65", "--noise",
                           "40,40,40,40,40,40,40", "--json"})});
  folder.write("measured.json", R"({"bands_hz": [125], "pairs": {"S1 R1": {"t20": [1]}}})");
  check_documents("fdtd match RESULT MEASURED --json", {output({"match", "small", "measured.json", "--json"})});
  check_documents("fdtd materials --json", elements(output({"materials", "--json"})));
  std::vector<json> fits = elements(output({"materials", "carpet-heavy", "--json"}));
  for (const json& fit : output({"materials", "--scene", "small.toml", "--json"})) fits.push_back(fit);
  check_documents("fdtd materials NAME --json", fits, {"there is one"});
  check_documents("fdtd stencils --json", elements(output({"stencils", "leggy-1", "box-222", "--json"})));
  check_documents("fdtd doctor --json", {output({"doctor", "--json"})},
                  {"there is a GPU", "there is no GPU", "the GPU is usable", "the GPU is not usable"});
  const std::vector<std::string> quickly = {"--grid", "24x24x24", "--repeats", "1", "--threads", "1", "--json"};
  const auto timed = [&](std::vector<std::string> words, std::size_t options) {
    words.insert(words.end(), quickly.begin() + static_cast<std::ptrdiff_t>(options), quickly.end());
    return output(words);
  };
  check_documents("fdtd profile --json", {timed({"profile", "--stencil", "leggy-1"}, 0)});
  check_documents("fdtd profile SCENE --json", {timed({"profile", "small.toml", "--device", "cpu"}, 2)});
  check_documents(
      "fdtd profile --multigrid V --mask ball --json",
      {output({"profile", "--multigrid", "V", "--mask", "ball", "--grid", "16x16x16", "--repeats", "1", "--json"})});
  check_documents("fdtd profile --multigrid V --json",
                  {output({"profile", "--multigrid", "V", "--grid", "31x31x31", "--repeats", "1", "--json"}),
                   output({"profile", "--multigrid", "W", "--grid", "15x15x15", "--smoother", "jacobi", "--sweeps", "1",
                           "--repeats", "1", "--json"})});
  check_documents("fdtd bench --json", {timed({"bench", "--families", "leggy", "--count", "1", "--error", "0.2"}, 0)});
}

TEST_CASE("every field of a GPU's profile is described", "[cli]") {
  study::GpuProfile profile;
  profile.points = 7;
  profile.declared_bytes = 12.0;
  profile.ctpn = profile.triad = {0.003, 0.01};
  profile.roofs = study::RoofTimes{profile.triad, profile.triad, profile.triad};
  profile.tiles.resize(1);
  profile.tiles[0].ctpn_ns = 0.003;
  profile.tiles[0].predicted = true;
  profile.counters.emplace();
  // The rest of the documents as a GPU's study, which is kept, has them.
  json study = json::parse(read_file(fs::path(FDTD_SOURCE_DIR) / "bench/results/h200/compare.json"));
  check_documents(
      "fdtd bench --device cuda --json", {study},
      {"fdtd profile", "--tiles all", "--counters", "the kernel failed", "literature", "literature and --counters"});
  const json full = json::parse(study::to_json(profile).dump());
  for (const char* key : {"seconds", "accuracy", "volume", "max_frequency", "costs"}) study.erase(key);
  study["results"] = json::array({full});
  check_documents("fdtd profile --device cuda --json", {study}, {"the kernel failed"});
}
