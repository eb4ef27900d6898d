// Meshes from files: what is read of each format, and what is refused.
#include <fmt/format.h>

#include <cmath>
#include <cstring>
#include <map>
#include <optional>
#include <string>

#include "scenes/mesh/mesh.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/meshes/meshes.hpp"
#include "tests/support/program.hpp"

using namespace fdtd;
using fdtd::test::TemporaryFolder;

namespace {

std::optional<Mesh> read(const std::string& name, const std::string& bytes, std::string& why,
                         const MeshFrame& frame = {}) {
  const TemporaryFolder folder;
  return read_mesh(folder.write(name, bytes), frame, why);
}

Mesh good(const std::string& name, const std::string& bytes, const MeshFrame& frame = {}) {
  std::string why;
  const auto mesh = read(name, bytes, why, frame);
  INFO(why);
  REQUIRE(mesh);
  return *mesh;
}

std::string message(const std::string& name, const std::string& bytes) {
  std::string why;
  CHECK(!read(name, bytes, why));
  return why;
}

template <class T>
std::string raw(T value) {
  std::string bytes(sizeof value, '\0');
  std::memcpy(bytes.data(), &value, sizeof value);
  return bytes;
}

// A tetrahedron, corners (0 0 0) (1 0 0) (0 2 0) (0 0 5.1).
const std::string tetrahedron_obj =
    "mtllib none.mtl\no thing\nv 0 0 0\nv 1 0 0\nv 0 2 0\nv 0 0 5.1 1.0\nvt 0 0\nvn 0 0 1\nusemtl Floor tiles\n"
    "f 1/1/1 3/1/1 2/1/1\nusemtl wall\nf 1 2 4\nf -3//1 -2//1 \\\n -1//1\nusemtl Floor tiles\nf 3/1 1/1 4/1\n";

std::string binary_stl(const Mesh& mesh, const std::string& begin) {
  std::string bytes = begin + std::string(80 - begin.size(), ' ');
  bytes += raw(static_cast<std::uint32_t>(mesh.triangles.size()));
  for (const auto& triangle : mesh.triangles) {
    for (int i = 0; i < 3; ++i) bytes += raw(NAN);
    for (const std::uint32_t corner : triangle) {
      for (const double x : mesh.vertices[corner]) bytes += raw(static_cast<float>(x));
    }
    bytes += raw(static_cast<std::uint16_t>(0xFFFF));
  }
  return bytes;
}

}  // namespace

TEST_CASE("OBJ: facets, their materials by usemtl, numbers as written") {
  const Mesh mesh = good("room.obj", tetrahedron_obj);
  CHECK(mesh.vertices.size() == 4);
  REQUIRE(mesh.triangles.size() == 4);
  CHECK(mesh.high == std::array{1.0, 2.0, 5.1});  // not the float beside 5.1
  CHECK(std::count(mesh.materials.begin(), mesh.materials.end(), "Floor tiles") == 1);
  CHECK(std::count(mesh.materials.begin(), mesh.materials.end(), "wall") == 1);
  double floor = 0.0;
  for (std::size_t t = 0; t < 4; ++t) {
    const auto v = area_vector(mesh, t);
    if (mesh.materials[mesh.material[t]] == "Floor tiles") floor += 0.5 * std::hypot(v[0], v[1], v[2]);
  }
  CHECK(floor == Approx(1.0 + 5.1));
}

TEST_CASE("names of materials that are not UTF-8 are read as Latin-1") {
  const TemporaryFolder folder;
  std::string why;
  const auto mesh = read_mesh(
      folder.write("m.obj", "v 0 0 0\nv 1 0 0\nv 0 1 0\nusemtl T\xFCr\nf 1 2 3\nusemtl T\xC3\xBCr\nf 1 3 2\n"), {},
      why);
  REQUIRE(mesh);
  CHECK(mesh->materials == std::vector<std::string>{"T\xC3\xBCr"});
}

TEST_CASE("OBJ: polygons are cut into triangles, hollow ones too, facets without usemtl are of the default") {
  const Mesh mesh = good("ell.obj", "v 0 0 0\nv 2 0 0\nv 2 1 0\nv 1 1 0\nv 1 2 0\nv 0 2 0\nf 1 2 3 4 5 6\n");
  CHECK(mesh.triangles.size() == 4);
  CHECK(fdtd::test::area_of(mesh) == Approx(3.0));
  CHECK(mesh.materials == std::vector<std::string>{"default"});
}

TEST_CASE("STL: binary, even one that begins with solid, and text") {
  const Mesh box = fdtd::test::box_mesh({0, 0, 0}, {1, 2.5, 0.3});
  for (const std::string begin : {"exported", "solid COLOR=1234"}) {
    const Mesh mesh = good("box.stl", binary_stl(box, begin));
    CHECK(mesh.triangles.size() == 12);
    CHECK(mesh.vertices.size() == 8);
    CHECK(mesh.high == box.high);
  }
  const Mesh text = good("one.STL",
                         "solid a name\r\n facet normal nan nan nan\n  OUTER LOOP\n vertex 0 0 0\nvertex 1 0 0\n"
                         "vertex 0 1e0 0\nendloop\nendfacet\nendsolid a name\n");
  CHECK(text.triangles.size() == 1);
  CHECK(text.high == std::array{1.0, 1.0, 0.0});
}

TEST_CASE("STL: solids of a text name the materials of their facets, an only solid none") {
  const auto facet = [](double z) {
    return fmt::format(
        "facet normal 0 0 1\nouter loop\nvertex 0 0 {0}\nvertex 1 0 {0}\nvertex 0 1 {0}\nendloop\nendfacet\n", z);
  };
  const std::string only = "solid made by hand\n" + facet(0) + facet(1) + "endsolid made by hand\n";
  CHECK(good("one.stl", only).materials == std::vector<std::string>{"default"});
  const Mesh mesh = good("two.stl", "solid oak floor\n" + facet(0) + "endsolid oak floor\nsolid\n" + facet(1) +
                                        "endsolid\n  SOLID Wall \r\n" + facet(2) + facet(3) + "endsolid Wall\n");
  REQUIRE(mesh.triangles.size() == 4);
  std::map<double, std::string> found;
  for (std::size_t t = 0; t < 4; ++t) found[mesh.vertices[mesh.triangles[t][0]][2]] = mesh.materials[mesh.material[t]];
  CHECK(found == std::map<double, std::string>{{0, "oak floor"}, {1, "default"}, {2, "Wall"}, {3, "Wall"}});
}

TEST_CASE("PLY: text and both byte orders, elements and properties that do not matter walked over") {
  const std::string head =
      " 1.0\ncomment made by hand\nelement vertex 4\nproperty float x\nproperty double y\nproperty float z\n"
      "property uchar red\nelement extra 1\nproperty list uchar short some\nelement face 1\nproperty uchar flags\n"
      "property list uchar int vertex_indices\nend_header\n";
  const Mesh text =
      good("a.ply", "ply\nformat ascii" + head + "0 0 0 255\n1 0 0 255\n1 1 0 255\n0 1 0 255\n3 1 2 3\n7 4 0 1 2 3\n");
  CHECK(text.triangles.size() == 2);
  for (const bool big : {false, true}) {
    const auto put = [&](auto value) {
      std::string bytes = raw(value);
      if (big) std::reverse(bytes.begin(), bytes.end());
      return bytes;
    };
    std::string body;
    for (int i = 0; i < 4; ++i)
      body += put(i == 1 || i == 2 ? 1.0F : 0.0F) + put(i >= 2 ? 1.0 : 0.0) + put(0.0F) + put(std::uint8_t{9});
    body += put(std::uint8_t{2}) + put(std::int16_t{1}) + put(std::int16_t{2});
    body += put(std::uint8_t{0}) + put(std::uint8_t{4});
    for (int i = 0; i < 4; ++i) body += put(i);
    const Mesh mesh =
        good("b.ply", std::string("ply\nformat binary_") + (big ? "big" : "little") + "_endian" + head + body);
    CHECK(mesh.triangles.size() == 2);
    CHECK(fdtd::test::area_of(mesh) == Approx(1.0));
  }
}

TEST_CASE("units and the axis that points up: turned, not mirrored") {
  const std::string text = "v 0 0 0\nv 1000 0 0\nv 0 2000 0\nv 0 0 5100\nf 1 3 2\nf 1 2 4\nf 2 3 4\nf 3 1 4\n";
  CHECK(good("t.obj", text, {"mm", "z"}).high == std::array{1.0, 2.0, 5.1});
  CHECK(good("t.obj", text, {"cm", "z"}).high == std::array{10.0, 20.0, 51.0});
  CHECK(good("t.obj", text, {"ft", "z"}).high[0] == Approx(304.8));
  CHECK(good("t.obj", text, {"in", "z"}).high[0] == Approx(25.4));
  const Mesh y_up = good("t.obj", text, {"mm", "y"});
  CHECK(y_up.high == std::array{1.0, 0.0, 2.0});
  CHECK(y_up.low[1] == -5.1);
  CHECK(good("t.obj", text, {"mm", "x"}).high == std::array{2.0, 5.1, 1.0});
  const auto signed_volume = [](const Mesh& mesh) {
    double sum = 0.0;
    for (const auto& [a, b, c] : mesh.triangles) {
      const auto &p = mesh.vertices[a], &q = mesh.vertices[b], &r = mesh.vertices[c];
      sum +=
          p[0] * (q[1] * r[2] - q[2] * r[1]) - p[1] * (q[0] * r[2] - q[2] * r[0]) + p[2] * (q[0] * r[1] - q[1] * r[0]);
    }
    return sum;
  };
  for (const char* up : {"x", "y", "z"}) CHECK(signed_volume(good("t.obj", text, {"mm", up})) > 0.0);
}

TEST_CASE("files that are no mesh are refused with their place and the reason") {
  const std::string v = "v 0 0 0\nv 1 0 0\nv 0 1 0\n";
  CHECK(message("a.obj", "") == "is empty");
  CHECK(message("a.txt", v) == "ends in \"txt\": meshes are read from .obj, .stl, .ply, .gltf, .glb, .dae and .dxf");
  CHECK(message("a.obj", v) == "it has no facets: an OBJ text has lines \"f 1 2 3\"");
  CHECK(message("a.obj", v + "f 1 2 4\n") == "line 4: vertex 4 of a facet: there are 3 before it");
  CHECK(message("a.obj", v + "f 1 2 -4\n") == "line 4: vertex -4 of a facet: there are 3 before it");
  CHECK(message("a.obj", v + "f 1 2 99999999999999999999\n") ==
        "line 4: \"99999999999999999999\" is not a corner of a facet");
  CHECK(message("a.obj", v + "f 1 2\n") == "line 4: a facet needs three corners or more");
  CHECK(message("a.obj", "v 0 nan 0\n" + v + "f 1 2 3\n") == "line 1: \"nan\" is not a coordinate");
  CHECK(message("a.obj", "v 0 1e39 0\n" + v + "f 1 2 3\n") == "line 1: \"1e39\" is not a coordinate");
  CHECK(message("a.obj", "v 0 0\n") == "line 1: a vertex needs three coordinates");
  CHECK(message("a.stl", std::string(83, 'x')).find("neither binary STL") != std::string::npos);
  CHECK(message("a.stl", std::string(80, ' ') + raw(std::uint32_t{4'000'000'000})) == "more than 20000000 facets");
  CHECK(message("a.stl", std::string(80, ' ') + raw(std::uint32_t{3}) + std::string(100, '\0')) ==
        "it is truncated: 3 facets need 234 bytes, and there are 184");
  CHECK(message("a.stl", "solid x\nfacet normal 0 0 1\nouter loop\nvertex 0 0 inf\n") ==
        "line 4: \"inf\" is not a coordinate");
  CHECK(message("a.stl", "solid x\nfacet normal 0 0 1\nouter loop\nvertex 0 0 0\nendloop\n") ==
        "line 5: \"endloop\" where vertex should be");
  CHECK(message("a.ply", "plx\n") == "it does not begin with \"ply\"");
  CHECK(message("a.ply", "ply\nformat ascii 1.0\nelement vertex 4000000000\n") ==
        "line 3: 4000000000 elements \"vertex\" in a file of 47 bytes");
  const std::string head =
      "ply\nformat ascii 1.0\nelement vertex 3\nproperty float x\nproperty float y\nproperty float z\n"
      "element face 1\nproperty list uchar int vertex_indices\nend_header\n0 0 0\n1 0 0\n0 1 0\n";
  CHECK(message("a.ply", head + "3 0 1 3\n") == "line 13: vertex 3 of a face: there are 3");
  CHECK(message("a.ply", head + "3 0 1\n") == "line 13: no valid value for \"vertex_indices\" of \"face\" 1");
  CHECK(message("a.ply", "ply\nformat ascii 1.0\nelement vertex 1\nproperty float x\nend_header") ==
        "line 5: no valid value for \"x\" of \"vertex\" 1");
  CHECK(message("a.ply", head + "2 0 1\n") == "line 13: a face needs three corners or more");
}
