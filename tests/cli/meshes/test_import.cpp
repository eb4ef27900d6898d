// fdtd import of models: a model of PFFDTD as a scene that plans and runs, and every way in which it can be malformed.
#include <filesystem>
#include <nlohmann/json.hpp>
#include <string>
#include <utility>
#include <vector>

#include "tests/support/catch.hpp"
#include "tests/support/json_of.hpp"
#include "tests/support/program.hpp"

using namespace fdtd::test;
using Catch::Matchers::Contains;
using nlohmann::json;

namespace {

// A box of 3 x 2.5 x 2 m: floor, ceiling without a material, walls, by names that need care.
json small_model() {
  const json corners = {{0, 0, 0}, {3, 0, 0}, {3, 2.5, 0}, {0, 2.5, 0}, {0, 0, 2}, {3, 0, 2}, {3, 2.5, 2}, {0, 2.5, 2}};
  const auto material = [&](const json& triangles, int side) {
    return json{
        {"tris", triangles}, {"pts", corners}, {"color", {204, 255, 10}}, {"sides", json(triangles.size(), side)}};
  };
  json model;
  model["mats_hash"]["[Wood #1] floor"] = material({{0, 2, 1}, {0, 3, 2}}, 1);
  model["mats_hash"]["_RIGID"] = material({{4, 5, 6}, {4, 6, 7}}, 0);
  model["mats_hash"]["Wände"] =
      material({{0, 1, 5}, {0, 5, 4}, {1, 2, 6}, {1, 6, 5}, {2, 3, 7}, {2, 7, 6}, {3, 0, 4}, {3, 4, 7}}, 3);
  model["sources"] = {{{"xyz", {0.5, 0.6, 0.7}}, {"name", ""}}};
  model["receivers"] = {{{"xyz", {2.1, 1.3, 1.1}}, {"name", " R one"}}, {{"xyz", {1.1, 1.3, 1.1}}, {"name", "r_One"}}};
  model["export_datetime"] = "2020-01-01 00:00:00 +0000";
  return model;
}

Outcome import(const TemporaryFolder& folder, const std::string& text, std::vector<std::string> more = {}) {
  folder.write("model.json", text);
  std::vector<std::string> arguments = {"import", "model.json", "-o", "room.toml"};
  arguments.insert(arguments.end(), more.begin(), more.end());
  return run_fdtd(arguments, folder.path());
}

}  // namespace

TEST_CASE("a model of PFFDTD becomes a scene that plans and runs", "[cli]") {
  const TemporaryFolder folder;
  const Outcome made = import(folder, small_model().dump());
  INFO(made.err << made.out);
  REQUIRE(made.status == 0);
  CHECK_THAT(made.out, Contains("wrote room.toml and room.obj: 12 triangles of 3 materials, 1 source, 2 receivers") &&
                           Contains("note: 2 materials are the library's plasterboard until you fill it in"));
  CHECK(made.out.find("open edge") == std::string::npos);
  const std::string scene = read_file(folder.path() / "room.toml");
  CHECK_THAT(scene, Contains("[materials.Wood_1_floor]  # \"[Wood #1] floor\" in the model, 7.5 m2, colour 204 255 10\n"
                             "library = \"plasterboard\"  # fill in\n") &&
                        Contains("[materials.RIGID]") && Contains("rigid = true\n") &&
                        Contains("[[source]]\nname = \"S1\"\nposition = [0.5, 0.6, 0.7]\n") &&
                        Contains("name = \"R_one\"  # \" R one\"\n") && Contains("name = \"r_One-2\"  # \"r_One\"\n") &&
                        Contains("# 2 triangles absorb on one side in PFFDTD"));
  const auto plan = json_of(run_fdtd({"plan", "room.toml", "--json"}, folder.path()));
  CHECK(plan["mesh"]["triangles"] == 12);
  CHECK(plan["mesh"]["open_edges"] == 0);
  CHECK(plan["mesh"]["volume"].get<double>() == Approx(15.0).epsilon(0.01));
  REQUIRE(plan["mesh"]["materials"].size() == 3);
  const auto run = json_of(
      run_fdtd({"run", "room.toml", "-o", "out", "--json", "--set", "simulation.duration=0.02"}, folder.path()));
  CHECK(run["receivers"].size() == 2);
}

TEST_CASE("what is odd in a model is noted", "[cli]") {
  const TemporaryFolder folder;
  json model = small_model();
  model["receivers"][0]["xyz"] = {9, 9, 9};
  model["mats_hash"]["Wände"]["tris"].erase(0);
  model["mats_hash"]["Wände"].erase("sides");
  const Outcome made = import(folder, model.dump());
  INFO(made.err);
  REQUIRE(made.status == 0);
  CHECK_THAT(made.out, Contains("note: receiver 1 at (9, 9, 9) is outside the mesh") &&
                           Contains("3 open edges, 1 hole or free end"));
}

TEST_CASE("a model without sources or receivers makes no scene, which no command would take", "[cli]") {
  for (const char* kind : {"sources", "receivers"})
    for (const json& none : {json(), json::array(), json("absent")}) {
      const TemporaryFolder folder;
      json model = small_model();
      model[kind] = none;
      if (none == "absent") model.erase(kind);
      const Outcome refused = import(folder, model.dump());
      CHECK(refused.status == 5);
      CHECK_THAT(refused.err, Contains(std::string("the model has no ") + kind) && Contains("hint: place one"));
      CHECK(names_in(folder.path()) == std::vector<std::string>{"model.json"});
    }
}

TEST_CASE("models that the Python package reads are named to it", "[cli]") {
  const TemporaryFolder folder;
  for (const std::string name : {"hall.ifc", "hall.SKP", "hall.off"}) {
    const Outcome outcome = run_fdtd({"import", name, "-o", "room.toml"}, folder.path());
    CHECK(outcome.status == 2);
    CHECK_THAT(outcome.err, Contains(name + ": ." + (name == "hall.SKP" ? "skp" : name.substr(5)) +
                                     " is read by the Python package alone") &&
                                Contains("python -m roomfdtd.models " + name + " -o room.toml"));
    folder.write(name, "ISO-10303-21;");
    for (const char* command : {"run", "plan"}) {
      const Outcome scene = run_fdtd({command, name}, folder.path());
      CHECK(scene.status == 2);
      CHECK_THAT(scene.err, Contains(name + ": is a model, where a scene (.toml) is expected") &&
                                Contains("python -m roomfdtd.models " + name + " -o room.toml"));
    }
  }
  CHECK(!std::filesystem::exists(folder.path() / "room.toml"));
}

TEST_CASE("existing files are replaced by import only with --force, both or none", "[cli]") {
  const TemporaryFolder folder;
  const std::string model = small_model().dump();
  for (const char* name : {"room.toml", "room.obj"}) {
    folder.write(name, "mine");
    const Outcome refused = import(folder, model);
    CHECK(refused.status == 5);
    CHECK_THAT(refused.err, Contains(name) && Contains("--force"));
    CHECK(names_in(folder.path()) == std::vector<std::string>{"model.json", name});
    CHECK(read_file(folder.path() / name) == "mine");
    std::filesystem::remove(folder.path() / name);
  }
  folder.write("room.obj", "mine");
  CHECK(import(folder, model, {"--force"}).status == 0);
  CHECK(read_file(folder.path() / "room.obj").find("usemtl Wood_1_floor") != std::string::npos);
  folder.write("model.json", model);
  CHECK(run_fdtd({"import", "model.json", "-o", "room.txt"}, folder.path()).status == 2);
  CHECK(run_fdtd({"import", "model.json", "-o", "none/room.toml"}, folder.path()).status == 5);
  CHECK(run_fdtd({"import", "model.json"}, folder.path()).status == 2);
}

TEST_CASE("a malformed model is refused with its place, and nothing is written", "[cli]") {
  const auto broken = [](const char* pointer, const json& value) {
    json model = small_model();
    model[json::json_pointer(pointer)] = value;
    return model.dump();
  };
  const std::string floor = "/mats_hash/[Wood #1] floor";
  const std::vector<std::pair<std::string, std::string>> rows = {
      {"", "is empty"},
      {"{\n \"mats_hash\": [,]\n}", "line 2, column 16: no valid JSON at \",]\""},
      {"{\"mats_hash\": {}", "line 1, column 17: the text ends within its JSON"},
      {"{\"mats_hash\": {},\n \"x\": 1e999}", "line 2, column 7: a number is too large"},
      {"[1, 2]", "it is no object with \"mats_hash\""},
      {"{}", "it has no object \"mats_hash\""},
      {"{\"mats_hash\": {}}", "no material has triangles"},
      {broken(floor.c_str(), 3), "mats_hash.\"[Wood #1] floor\": is not an object"},
      {broken((floor + "/tris").c_str(), "x"), ".tris: is not a list"},
      {broken((floor + "/tris/1").c_str(), {0, 1}), ".tris[1]: is not a list of three"},
      {broken((floor + "/tris/1/2").c_str(), 8), ".tris[1]: its corner 8 is none of the 8 points"},
      {broken((floor + "/tris/1/2").c_str(), -1), "its corner -1 is none"},
      {broken((floor + "/tris/1/2").c_str(), 1e300), "is none of the 8 points"},
      {broken((floor + "/tris/1/2").c_str(), 0.5), "its corner 0.5 is none"},
      {broken((floor + "/pts/3").c_str(), {0, 1}), ".pts[3]: has 2 numbers instead of 3"},
      {broken((floor + "/pts/3/0").c_str(), "x"), ".pts[3]: is not a coordinate"},
      {broken((floor + "/pts/3/0").c_str(), 1e20), ".pts[3]: is not a coordinate"},
      {broken((floor + "/sides").c_str(), {1}), ".sides: has 1 numbers for 2 triangles"},
      {broken("/sources", 7), "sources: is not a list"},
      {broken("/sources/0", 7), "sources[0]: is not an object"},
      {broken("/receivers/1/xyz", nullptr), "receivers[1].xyz: is not a list"},
      {std::string(200'000, '['), "line 1, column 200001: "},
      {"{\"mats_hash\": \"\xFF\"}", "line 1"},
  };
  for (const auto& [text, expected] : rows) {
    const TemporaryFolder folder;
    const Outcome outcome = import(folder, text);
    INFO(text.substr(0, 200) << "\n" << outcome.err);
    CHECK(outcome.status == 5);
    CHECK_THAT(outcome.err, Contains("model.json: ") && Contains(expected) && Contains("hint: import reads"));
    CHECK(names_in(folder.path()) == std::vector<std::string>{"model.json"});
  }
  const TemporaryFolder folder;
  CHECK(run_fdtd({"import", "none.json", "-o", "room.toml"}, folder.path()).status == 5);
  CHECK(names_in(folder.path()).empty());
}
