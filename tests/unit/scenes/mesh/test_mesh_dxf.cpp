// DXF: faces, polyface meshes and blocks, and what is refused.
#include <fmt/format.h>

#include <string>

#include "scenes/mesh/mesh.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/meshes/mesh_files.hpp"
#include "tests/support/meshes/meshes.hpp"
#include "tests/support/program.hpp"

using namespace fdtd;
using namespace fdtd::test;
using Catch::Matchers::Contains;

namespace {

Mesh box() {
  Mesh mesh;
  add_box(mesh, {0, 0, 0}, {5.1, 4.3, 2.7}, {"wall", "wall", "wall", "wall", "floor", "ceiling"});
  return mesh;
}

Mesh good(const std::string& text) {
  const TemporaryFolder folder;
  std::string why;
  const auto mesh = read_mesh(folder.write("room.dxf", text), {}, why);
  INFO(why);
  REQUIRE(mesh);
  return *mesh;
}

std::string message(const std::string& text) {
  const TemporaryFolder folder;
  std::string why;
  CHECK(!read_mesh(folder.write("room.dxf", text), {}, why));
  return why;
}

std::string groups(std::initializer_list<std::pair<int, const char*>> list) {
  std::string text;
  for (const auto& [code, value] : list) text += fmt::format("{:3}\n{}\n", code, value);
  return text;
}

const std::string triangle = groups({{0, "3DFACE"},
                                     {8, "0"},
                                     {10, "1"},
                                     {20, "0"},
                                     {30, "0"},
                                     {11, "3"},
                                     {21, "0"},
                                     {31, "0"},
                                     {12, "1"},
                                     {22, "2"},
                                     {32, "0"},
                                     {13, "1"},
                                     {23, "2"},
                                     {33, "0"}});

}  // namespace

TEST_CASE("DXF: 3DFACEs are the mesh that OBJ is, layers are materials, $INSUNITS is the unit") {
  const TemporaryFolder folder;
  std::string why;
  const auto obj = read_mesh(folder.write("room.obj", as_obj(box())), {}, why);
  REQUIRE(obj);
  const Mesh dxf = good(as_dxf(dxf_faces(box()), "", 4));
  CHECK(dxf.vertices == obj->vertices);
  CHECK(dxf.triangles == obj->triangles);
  CHECK(dxf.materials == obj->materials);
  CHECK(dxf.stated_units == "mm");
  CHECK(dxf.stated_up == "z");
  CHECK(good(as_dxf(triangle, "", 0)).stated_units.empty());
  CHECK(good(as_dxf(triangle)).materials == std::vector<std::string>{"default"});
}

TEST_CASE("DXF: blocks are placed by scale, rotation, rows and base point, their layer 0 is the INSERT's") {
  const std::string block =
      groups({{0, "BLOCK"}, {2, "part"}, {10, "1"}, {20, "0"}, {30, "0"}}) + triangle + groups({{0, "ENDBLK"}});
  const std::string insert = groups({{0, "INSERT"},
                                     {2, "part"},
                                     {8, "oak"},
                                     {10, "10"},
                                     {20, "0"},
                                     {30, "5"},
                                     {41, "2"},
                                     {50, "90"},
                                     {70, "2"},
                                     {44, "3"}});
  const Mesh mesh = good(as_dxf(insert, block));
  CHECK(mesh.materials == std::vector<std::string>{"oak"});
  CHECK(mesh.triangles.size() == 2);
  // The block is 2 x 2 at its base point; scaled to 4 x 2, turned to 2 x 4, the second 3 further along the turned x.
  CHECK(mesh.low == std::array{8.0, 0.0, 5.0});
  CHECK(mesh.high == std::array{10.0, 7.0, 5.0});
  const Mesh mirrored = good(as_dxf(groups({{0, "INSERT"}, {2, "part"}, {230, "-1"}}), block));
  CHECK(mirrored.low[0] == -2.0);
}

TEST_CASE("DXF: polyface and polygon meshes") {
  const auto vertex = [](const char* x, const char* y, const char* flags) {
    return groups({{0, "VERTEX"}, {8, "a"}, {10, x}, {20, y}, {30, "0"}, {70, flags}});
  };
  std::string polyface = groups({{0, "POLYLINE"}, {8, "a"}, {70, "64"}});
  polyface += vertex("0", "0", "192") + vertex("1", "0", "192") + vertex("1", "1", "192") + vertex("0", "1", "192");
  const std::string face = groups({{0, "VERTEX"}, {8, "b"}, {70, "128"}, {71, "1"}, {72, "-2"}, {73, "3"}, {74, "4"}});
  const Mesh mesh = good(as_dxf(polyface + face + groups({{0, "SEQEND"}})));
  CHECK(mesh.triangles.size() == 2);
  CHECK(mesh.materials == std::vector<std::string>{"b"});
  std::string polygon = groups({{0, "POLYLINE"}, {8, "a"}, {70, "16"}, {71, "2"}, {72, "3"}});
  for (const char* y : {"0", "1"})
    for (const char* x : {"0", "1", "2"}) polygon += vertex(x, y, "64");
  CHECK(good(as_dxf(polygon + groups({{0, "SEQEND"}}))).triangles.size() == 4);
  CHECK_THAT(
      message(as_dxf(polyface + groups({{0, "VERTEX"}, {70, "128"}, {71, "1"}, {72, "2"}, {73, "9"}, {0, "SEQEND"}}))),
      Contains("vertex 9 of a face: there are 4"));
  CHECK_THAT(message(as_dxf(polyface)), Contains("a POLYLINE without its SEQEND"));
}

TEST_CASE("DXF that is hostile, truncated or not for this program is refused with the line and the reason") {
  CHECK(message("AutoCAD Binary DXF\r\n") == "it is binary DXF: save it as DXF text (ASCII)");
  CHECK(message("hello\n") == "line 1: \"hello\" is no code of a group");
  CHECK(message("0\nLINE\n") == "line 2: it is no DXF text: it does not begin with a SECTION");
  CHECK_THAT(message(as_dxf(groups({{0, "LINE"}, {8, "a"}}))), Contains("it has no 3DFACE"));
  const std::string text = as_dxf(triangle);
  for (const std::size_t bytes : {std::size_t{100}, std::size_t{180}, text.size() - 30}) {
    CAPTURE(bytes);
    CHECK_THAT(message(text.substr(0, bytes)),
               Contains("truncated") || Contains("SECTION") || Contains("code of a group"));
  }
  for (const char* x : {"nan", "1e400", "1e20", "inf", "x"}) {
    CAPTURE(x);
    CHECK_THAT(message(as_dxf(groups({{0, "3DFACE"}, {10, x}}))), Contains("is no finite number"));
  }
  CHECK_THAT(message(as_dxf(groups({{0, "3DFACE"}, {10, "2e12"}, {11, "0"}, {12, "1"}, {22, "1"}}))),
             Contains("2000000000000 is not a coordinate"));
  CHECK_THAT(message(as_dxf(groups({{0, "3DFACE"}, {10, "1"}}))), Contains("a 3DFACE needs three corners or four"));
  // A block that contains itself, and blocks that double 30 times.
  const std::string self = groups({{0, "BLOCK"}, {2, "a"}, {0, "INSERT"}, {2, "a"}, {0, "ENDBLK"}});
  CHECK_THAT(message(as_dxf(groups({{0, "INSERT"}, {2, "a"}}), self)), Contains("contains itself"));
  std::string blocks;
  for (int i = 0; i < 30; ++i) {
    const std::string name = fmt::format("b{}", i), below = fmt::format("b{}", i + 1);
    blocks += groups({{0, "BLOCK"}, {2, name.c_str()}});
    for (int k = 0; k < 2; ++k) blocks += groups({{0, "INSERT"}, {2, below.c_str()}});
    blocks += groups({{0, "ENDBLK"}});
  }
  CHECK_THAT(message(as_dxf(groups({{0, "INSERT"}, {2, "b0"}}), blocks)), Contains("more than 1000000 objects"));
  CHECK_THAT(message(as_dxf(groups({{0, "INSERT"}, {2, "b0"}, {70, "32000"}, {71, "32000"}}), blocks)),
             Contains("at most 10000"));
}
