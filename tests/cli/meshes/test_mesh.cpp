// Rooms from meshes as a user meets them: what is reported of a mesh, what is refused, and a run from end to end.
#include <fmt/format.h>

#include <array>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "tests/support/catch.hpp"
#include "tests/support/meshes/mesh_files.hpp"
#include "tests/support/meshes/meshes.hpp"
#include "tests/support/program.hpp"
#include "tests/support/sanitized.hpp"
#include "tests/support/scene_text.hpp"

using namespace fdtd::test;

namespace {

// A cube of 2 m; walls named, the one at z = 2 last.
const std::string corners = "v 0 0 0\nv 2 0 0\nv 2 2 0\nv 0 2 0\nv 0 0 2\nv 2 0 2\nv 2 2 2\nv 0 2 2\n";
const std::string walls = "usemtl floor\nf 1 4 3 2\nusemtl Wall\nf 1 2 6 5\nf 2 3 7 6\nf 3 4 8 7\nf 4 1 5 8\n";
const std::string ceiling = "usemtl Wall\nf 5 6 7 8\n";

std::string scene(const std::string& room, const std::string& receiver = "[1.5, 1.4, 1.3]") {
  SceneText text;
  text.simulation = "duration = 0.02\nmax_frequency = 300\nstencil = \"leggy-2\"\n";
  text.room = room + "\n";
  text.walls = "";
  text.materials = "[materials.floor]\nadmittance = 0.1\n[materials.wall]\nrigid = true\n";
  text.source = "[0.6, 0.5, 0.4]";
  text.receiver = receiver;
  return text_of(text);
}

const std::string usual = "mesh = \"room.obj\"\nwalls = { Wall = \"wall\" }";

Outcome run_in(const TemporaryFolder& folder, const std::string& obj, const std::string& text,
               std::vector<std::string> arguments = {"plan", "scene.toml"}) {
  folder.write("room.obj", obj);
  folder.write("scene.toml", text);
  return run_fdtd(arguments, folder.path());
}

bool says(const Outcome& outcome, const std::string& what) {
  UNSCOPED_INFO(outcome.err);
  return outcome.err.find(what) != std::string::npos;
}

}  // namespace

TEST_CASE("a mesh room runs and renders from end to end", "[cli]") {
  const TemporaryFolder folder;
  for (const char* stencil : {"leggy-3", "compact-5", "box-211", "compact-19"}) {
    CAPTURE(stencil);
    const Outcome run = run_in(
        folder, corners + walls + ceiling, scene(usual),
        {"run", "scene.toml", "-o", "out", "--force", "--json", "--set", std::string("simulation.stencil=") + stencil});
    INFO(run.err);
    REQUIRE(run.status == 0);
    const auto json = nlohmann::json::parse(run.out);
    CHECK(json["plan"]["mesh"]["triangles"] == 12);
    CHECK(json["plan"]["mesh"]["volume"].get<double>() == Approx(8.0).epsilon(0.01));
    CHECK(json["energy"]["balance_error"].get<double>() < 1e-5);
    CHECK(json["receivers"][0]["peak"].get<double>() > 0.0);
    CHECK(std::filesystem::exists(folder.path() / "out/ir_R1.wav"));
  }
  CHECK(run_fdtd({"render", "out/result.h5", "-o", "again"}, folder.path()).status == 0);
}

TEST_CASE("plan reports areas by material, and the mesh's oddities with their places", "[cli]") {
  const TemporaryFolder folder;
  // A facet twice, and a shelf standing free in the room.
  const std::string odd = "f 5 6 7 8\nv 0.5 1.5 1\nv 1.5 1.5 1\nv 1.5 1.8 1\nv 0.5 1.8 1\nusemtl shelf\nf 9 10 11 12\n";
  const Outcome plan = run_in(folder, corners + walls + ceiling + odd,
                              scene("mesh = \"room.obj\"\nwalls = { Wall = \"wall\", default = \"floor\" }"),
                              {"plan", "scene.toml", "--json"});
  INFO(plan.err);
  REQUIRE(plan.status == 0);
  const auto mesh = nlohmann::json::parse(plan.out)["mesh"];
  REQUIRE(mesh["materials"].size() == 3);
  for (const auto& one : mesh["materials"]) {
    const double area = one["name"] == "floor" ? 4.0 : one["name"] == "Wall" ? 20.0 : 0.3;
    CHECK(one["area"].get<double>() == Approx(area));
    const double facing = one["name"] == "shelf" ? 2.0 * area : area;  // both sides of it
    CHECK(one["area_in_room"].get<double>() == Approx(facing).epsilon(0.03));
  }
  CHECK(mesh["open_edges"] == 4);
  CHECK(mesh["open_rims"][0]["extent"].get<double>() == Approx(1.0));
  CHECK(mesh["duplicate_facets"]["count"] == 2);
  // Without cut voxels the shelf is a wall as thick as one, and the plan says how thick that is.
  const auto thickness = [](const nlohmann::json& of) {
    std::string thin;
    for (const auto& warning : of["warnings"])
      if (warning.get<std::string>().find("one voxel thick") != std::string::npos) thin = warning;
    return thin;
  };
  CHECK(thickness(nlohmann::json::parse(plan.out)).empty());
  const Outcome thick =
      run_fdtd({"plan", "scene.toml", "--json", "--set", "simulation.stencil=compact-19"}, folder.path());
  REQUIRE(thick.status == 0);
  const auto whole = nlohmann::json::parse(thick.out);
  const std::string thin = thickness(whole);
  const double voxel = whole["spacing"];
  REQUIRE(voxel < 0.1);
  CHECK(thin.find(fmt::format("thick here, {:.2g} mm (", 1000.0 * voxel)) != std::string::npos);
  CHECK(thin.find("finer grid") != std::string::npos);
}

TEST_CASE(
    "a room in the wrong unit gets a hint where memory is short, and units of auto are in the plan and the result",
    "[cli]") {
  const TemporaryFolder folder;
  // The cube, in millimetres.
  const std::string large =
      "v 0 0 0\nv 2000 0 0\nv 2000 2000 0\nv 0 2000 0\nv 0 0 2000\nv 2000 0 2000\nv 2000 2000 2000\n"
      "v 0 2000 2000\n" +
      walls + ceiling;
  for (const char* stencil : {"leggy-2", "auto"}) {
    const Outcome short_of_memory = run_in(
        folder, large, scene(usual), {"plan", "scene.toml", "--set", std::string("simulation.stencil=") + stencil});
    CHECK(short_of_memory.status == 3);
    CHECK(says(
        short_of_memory,
        "its bounding box is 2000 x 2000 x 2000 m: are its numbers millimetres? units = \"mm\" makes it 2 x 2 x 2 m"));
  }
  const Outcome noted =
      run_in(folder, large, scene(usual), {"plan", "scene.toml", "--set", "simulation.max_frequency=30"});
  INFO(noted.err);
  CHECK(noted.status == 0);
  CHECK(noted.out.find("note: mesh: its bounding box is 2000 x 2000 x 2000 m: are its numbers millimetres?") !=
        std::string::npos);
  const std::string automatic = "mesh = \"room.obj\"\nunits = \"auto\"\nwalls = { Wall = \"wall\" }";
  const Outcome plan = run_in(folder, large, scene(automatic));
  CHECK(plan.out.find("units = \"mm\" by \"auto\", up = \"z\"\n") != std::string::npos);
  const Outcome run = run_in(folder, large, scene(automatic), {"run", "scene.toml", "-o", "out", "--force", "--json"});
  INFO(run.err);
  REQUIRE(run.status == 0);
  const auto mesh = nlohmann::json::parse(run.out)["plan"]["mesh"];
  CHECK(mesh["units"] == "mm");
  CHECK(mesh["units_auto"] == true);
  CHECK(mesh["up"] == "z");
  CHECK(mesh["up_auto"] == false);
  CHECK(mesh["volume"].get<double>() == Approx(8.0).epsilon(0.01));
}

TEST_CASE("several files make one mesh, and a file that names no materials is one by its name", "[cli]") {
  const TemporaryFolder folder;
  const std::string floor_ply =
      "ply\nformat ascii 1.0\nelement vertex 4\nproperty float x\nproperty float y\nproperty float z\nelement face 1\n"
      "property list uchar int vertex_indices\nend_header\n0 0 0\n2 0 0\n2 2 0\n0 2 0\n4 0 3 2 1\n";
  folder.write("floor.ply", floor_ply);
  folder.write("shell.obj", corners + walls.substr(walls.find("usemtl Wall")) + ceiling);
  folder.write("scene.toml", scene("mesh = [\"shell.obj\", \"floor.ply\"]\nwalls = { Wall = \"wall\" }"));
  const Outcome plan = run_fdtd({"plan", "scene.toml", "--json"}, folder.path());
  INFO(plan.err);
  REQUIRE(plan.status == 0);
  const auto mesh = nlohmann::json::parse(plan.out)["mesh"];
  CHECK(mesh["triangles"] == 12);
  CHECK(mesh["open_edges"] == 0);
  REQUIRE(mesh["materials"].size() == 2);
  for (const auto& one : mesh["materials"]) {
    CHECK(one["area"].get<double>() == Approx(one["name"] == "floor" ? 4.0 : 20.0));
    CHECK(one["material"] == (one["name"] == "floor" ? "floor" : "wall"));
  }
  folder.write("broken.stl", "solid x\nfacet nonsense\n");
  folder.write("scene.toml", scene("mesh = [\"shell.obj\", \"broken.stl\"]\nwalls = { default = \"wall\" }"));
  const Outcome broken = run_fdtd({"plan", "scene.toml"}, folder.path());
  CHECK(broken.status == 2);
  CHECK(says(broken, "scene.toml:7:22: room.mesh[1]: \"broken.stl\": line 2"));
  folder.write("scene.toml", scene("mesh = []"));
  CHECK(run_fdtd({"plan", "scene.toml"}, folder.path()).status == 2);
}

TEST_CASE("names of the mesh without a material are reported with the nearest", "[cli]") {
  const TemporaryFolder folder;
  const std::string obj = corners + walls + ceiling;
  const Outcome bare = run_in(folder, obj, scene("mesh = \"room.obj\""));
  CHECK(bare.status == 2);
  CHECK(says(bare, "scene.toml:7:8: room.mesh: no material for \"Wall\" of the mesh"));
  CHECK(says(bare, "the nearest is \"wall\""));
  const Outcome fallen = run_in(folder, obj, scene("mesh = \"room.obj\"\nwalls = { default = \"floor\" }"));
  CHECK(fallen.status == 0);
  CHECK(fallen.out.find("the default, \"floor\", stands for \"Wall\" (the nearest is \"wall\")") != std::string::npos);
  const Outcome unknown =
      run_in(folder, obj, scene("mesh = \"room.obj\"\nwalls = { Wal = \"wall\", default = \"floor\" }"));
  CHECK(unknown.status == 2);
  CHECK(says(unknown, "the mesh has no material \"Wal\""));
  CHECK(says(unknown, "did you mean \"Wall\"?"));
}

TEST_CASE("a room that leaks is refused with the place, one open below the grid's scale is not", "[cli]") {
  const TemporaryFolder folder;
  const Outcome open = run_in(folder, corners + walls, scene(usual));
  CHECK(open.status == 2);
  CHECK(says(open, "the room leaks: from source S1 sound gets out through an opening about"));
  CHECK(says(open, "4 open edges, 1 hole or free end: 2 m across at (1, 1, 2)"));
  const std::string almost = "v 0 0.02 2\nv 2 0.02 2\nusemtl Wall\nf 9 10 7 8\n";
  CHECK(run_in(folder, corners + walls + almost, scene(usual)).status == 0);
}

TEST_CASE("receivers outside, inside objects and beyond the mesh are refused by name", "[cli]") {
  const TemporaryFolder folder;
  // A closed block from (1.2, 1.2, 0.8) to (1.8, 1.6, 1.6).
  std::string block = "usemtl Wall\n";
  for (const char* x : {"1.2", "1.8"})
    for (const char* y : {"1.2", "1.6"})
      for (const char* z : {"0.8", "1.6"}) block += std::string("v ") + x + " " + y + " " + z + "\n";
  block += "f 9 10 12 11\nf 13 14 16 15\nf 9 10 14 13\nf 11 12 16 15\nf 9 11 15 13\nf 10 12 16 14\n";
  const std::string obj = corners + walls + ceiling + block;
  const Outcome inside = run_in(folder, obj, scene(usual, "[1.5, 1.4, 1.3]"));
  CHECK(inside.status == 2);
  CHECK(says(inside, "receiver.R1: position (1.5, 1.4, 1.3) is in a closed part of space of 0."));
  const Outcome beyond = run_in(folder, obj, scene(usual, "[2.5, 1.4, 1.3]"));
  CHECK(beyond.status == 2);
  CHECK(says(beyond, "position (2.5, 1.4, 1.3) is outside the mesh, which reaches from (0, 0, 0) to (2, 2, 2) m"));
  CHECK(run_in(folder, obj, scene(usual, "[1.5, 1.4, 0.4]")).status == 0);
}

TEST_CASE("an absorber of which the grid has less than the mesh is a warning, and a rigid wall is none", "[cli]") {
  // A box of 0.6 m in the room, and one of 0.5 m inside it, which faces no air of the room.
  const auto box = [](double low, double high, int first) {
    std::string text;
    for (const double z : {low, high})
      for (const auto& [x, y] : {std::pair{low, low}, {high, low}, {high, high}, {low, high}})
        text += fmt::format("v {} {} {}\n", x + 0.8, y, z);
    for (const auto& face : {std::array{0, 3, 2, 1}, std::array{4, 5, 6, 7}, std::array{0, 1, 5, 4},
                             std::array{1, 2, 6, 5}, std::array{2, 3, 7, 6}, std::array{3, 0, 4, 7}})
      text += fmt::format("f {} {} {} {}\n", first + face[0], first + face[1], first + face[2], first + face[3]);
    return text;
  };
  const std::string room = corners + walls + ceiling + "usemtl pad\n" + box(0.2, 0.8, 9), inner = box(0.25, 0.75, 17);
  const auto warnings = [&](const std::string& obj, const std::string& pad) {
    const TemporaryFolder folder;
    const std::string usual_and_pad = "mesh = \"room.obj\"\nwalls = { Wall = \"wall\", pad = \"" + pad + "\" }";
    const Outcome outcome = run_in(folder, obj, scene(usual_and_pad),
                                   {"plan", "scene.toml", "--json", "--set", "simulation.max_frequency=1000"});
    INFO(outcome.err);
    REQUIRE(outcome.status == 0);
    return nlohmann::json::parse(outcome.out)["warnings"].dump();
  };
  CHECK(warnings(room + inner, "floor").find("m2 of pad (floor) face the air of the room on this grid") !=
        std::string::npos);
  CHECK(warnings(room, "floor").find("of pad") == std::string::npos);
  CHECK(warnings(room + inner, "wall").find("of pad") == std::string::npos);
}

TEST_CASE("hostile meshes are refused in a moment with one message, the scene's place and the mesh's line", "[cli]") {
  struct Row {
    const char *name, *bytes, *expect;
  };
  const std::vector<Row> rows = {
      {"empty.obj", "", "\"empty.obj\": is empty"},
      {"comments.obj", "# nothing\n", "it has no facets"},
      {"index.obj", "v 0 0 0\nf 1 1 2147483648\n", "line 2: vertex 2147483648 of a facet: there are 1 before it"},
      {"nan.obj", "v 0 0 nan\nv 1 0 0\nv 0 1 0\nf 1 2 3\n", "line 1: \"nan\" is not a coordinate"},
      {"huge.obj", "v 0 0 0\nv 1e300 0 0\nv 0 1 0\nf 1 2 3\n", "line 2: \"1e300\" is not a coordinate"},
      {"flat.obj", "v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\n", "its bounding box is 1 x 1 x 0 m"},
      {"tiny.obj", "v 0 0 0\nv 1e-3 0 0\nv 0 1e-3 0\nv 0 0 1e-3\nf 1 2 3\nf 1 2 4\n", "its bounding box is 0.001"},
      {"text.stl", "solid\nfacet normal 0 0 1\nouter loop\nvertex 0 0\nendloop\n",
       "line 5: \"endloop\" is not a coordinate"},
      {"short.stl", "no solid at all", "it is neither binary STL"},
      {"count.ply", "ply\nformat ascii 1.0\nelement vertex 99999999999\nend_header\n", "in a file of"},
      {"type.ply", "ply\nformat ascii 1.0\nelement vertex 1\nproperty quad x\nend_header\n0\n",
       "the type \"quad\" is unknown"},
      {"cut.glb", "glTF\x02", "\"cut.glb\": it is truncated"},
      {"loop.gltf", "{\"asset\":{\"version\":\"2.0\"},\"scenes\":[{\"nodes\":[0]}],\"nodes\":[{\"children\":[0]}]}",
       "nodes[0]: is in the scene twice, or below itself"},
      {"face.dxf", "0\nSECTION\n2\nENTITIES\n0\n3DFACE\n10\nnan\n", "line 8: \"nan\" is no finite number"},
      {"room.fbx", "Kaydara", "meshes are read from .obj, .stl, .ply, .gltf, .glb, .dae and .dxf"},
  };
  for (const Row& row : rows) {
    const TemporaryFolder folder;
    folder.write(row.name, row.bytes);
    folder.write("scene.toml", scene(std::string("mesh = \"") + row.name + "\"\nwalls = { default = \"wall\" }"));
    const Outcome outcome = run_fdtd({"run", "scene.toml", "-o", "made"}, folder.path());
    INFO(row.name << "\n" << outcome.err);
    CHECK(outcome.status == 2);
    CHECK(says(outcome, "scene.toml:7:8: room.mesh: "));
    CHECK(says(outcome, row.expect));
    CHECK(says(outcome, "1 problem in"));
    CHECK(outcome.seconds < 1.0 * times_seconds);
    CHECK(!std::filesystem::exists(folder.path() / "made"));
  }
}

TEST_CASE("the same room as OBJ, GLB and DXF gives the same bytes, each in the frame that its format states", "[cli]") {
  fdtd::Mesh mesh;
  add_box(mesh, {0, 0, 0}, {2, 1.7, 1.3}, {"Wall", "Wall", "Wall", "Wall", "floor", "Wall"});
  fdtd::Mesh millimetres = mesh;
  for (auto& vertex : millimetres.vertices)
    for (double& x : vertex) x *= 1000.0;
  const TemporaryFolder folder;
  std::string expected;
  for (const auto& [name, bytes, line] :
       {std::tuple<std::string, std::string, std::string>{"a.obj", as_obj(mesh), "units = \"m\", up = \"z\"\n"},
        {"a.glb", as_glb(mesh), "units = \"m\" by the file, up = \"y\" by the file\n"},
        {"a.gltf", as_gltf(mesh), "units = \"m\" by the file, up = \"y\" by the file\n"},
        {"a.dxf", as_dxf(dxf_faces(millimetres), "", 4), "units = \"mm\" by the file, up = \"z\" by the file\n"}}) {
    CAPTURE(name);
    folder.write(name, bytes);
    folder.write("scene.toml", scene("mesh = \"" + name + "\"\nwalls = { Wall = \"wall\" }", "[1.5, 1.2, 1.1]"));
    const Outcome plan = run_fdtd({"plan", "scene.toml"}, folder.path());
    INFO(plan.err << plan.out);
    REQUIRE(plan.status == 0);
    CHECK(plan.out.find(line) != std::string::npos);
    CHECK(plan.out.find("open edge") == std::string::npos);
    REQUIRE(run_fdtd({"run", "scene.toml", "-o", "out", "--force", "--quiet"}, folder.path()).status == 0);
    const std::string response = read_file(folder.path() / "out/ir_R1.wav");
    if (expected.empty()) expected = response;
    CHECK(response == expected);
  }
  // The scene's units and axis go before the file's; "auto" takes the file's; a list may mix formats.
  folder.write("b.obj", "v 0.2 0.2 0.5\nv 0.4 0.2 0.5\nv 0.2 0.4 0.5\nusemtl Wall\nf 1 2 3\n");
  for (const auto& [keys, line] :
       {std::pair<std::string, std::string>{"mesh = \"a.glb\"\nunits = \"auto\"\nup = \"auto\"",
                                            "units = \"m\" by the file, up = \"y\" by the file\n"},
        {"mesh = [\"a.glb\", \"b.obj\", \"a.dxf\"]", "units = \"m\", up = \"z\"\n"}}) {
    folder.write("scene.toml", scene(keys + "\nwalls = { Wall = \"wall\" }", "[1.5, 1.2, 1.1]"));
    const Outcome plan = run_fdtd({"plan", "scene.toml"}, folder.path());
    INFO(plan.err << plan.out);
    REQUIRE(plan.status == 0);
    CHECK(plan.out.find(line) != std::string::npos);
  }
  folder.write("scene.toml", scene("mesh = \"a.glb\"\nup = \"z\"\nwalls = { Wall = \"wall\" }"));
  CHECK(says(run_fdtd({"plan", "scene.toml"}, folder.path()), "outside"));
}
