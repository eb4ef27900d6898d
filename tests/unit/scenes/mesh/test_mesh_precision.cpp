// Coordinates keep the precision that their file has, however far from the origin: a room that is moved keeps its areas
// and its volume.
#include <cmath>
#include <limits>
#include <string>
#include <utility>
#include <vector>

#include "scenes/mesh/mesh.hpp"
#include "scenes/mesh/mesh_diagnosis.hpp"
#include "scenes/mesh/mesh_weld.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/meshes/exported_meshes.hpp"
#include "tests/support/meshes/mesh_files.hpp"
#include "tests/support/meshes/meshes.hpp"
#include "tests/support/program.hpp"

using namespace fdtd;
using namespace fdtd::test;

namespace {

// An L-shaped room askew, its coordinates in millimetres with three decimals.
Mesh askew() {
  Mesh mesh = ell_mesh(3.217, turned(23.0, 11.0, {0.31, 0.17, 0.05}));
  for (auto& vertex : mesh.vertices)
    for (double& x : vertex) x = std::round(1e6 * x) / 1e3;
  merge_vertices(mesh);
  return mesh;
}

// The same with `by` (mm) added, as the decimals of a file have it.
Mesh moved(Mesh mesh, double by) {
  for (auto& vertex : mesh.vertices)
    for (double& x : vertex) x = std::round(1e3 * (x + by)) / 1e3;
  merge_vertices(mesh);
  return mesh;
}

double enclosed_volume(const Mesh& mesh) {
  double volume = 0.0;
  for (std::size_t t = 0; t < mesh.triangles.size(); ++t) {
    const auto v = area_vector(mesh, t);
    const auto& corner = mesh.vertices[mesh.triangles[t][0]];
    for (std::size_t d = 0; d < 3; ++d) volume += v[d] * (corner[d] - mesh.low[d]) / 6.0;
  }
  return volume;
}

Mesh read_as(const std::string& name, const std::string& bytes, const std::string& units) {
  const TemporaryFolder folder;
  std::string why;
  const auto mesh = read_mesh(folder.write(name, bytes), {units, name.ends_with("gltf") ? "y" : "z"}, why);
  INFO(why);
  REQUIRE(mesh);
  return *mesh;
}

std::string double_ply(const Mesh& mesh, bool big) {
  std::string bytes = fmt::format(
      "ply\nformat binary_{}_endian 1.0\nelement vertex {}\nproperty double x\nproperty double y\nproperty double z\n"
      "element face {}\nproperty list uchar int vertex_indices\nend_header\n",
      big ? "big" : "little", mesh.vertices.size(), mesh.triangles.size());
  const auto add = [&](auto value) {
    std::string raw;
    put(raw, value);
    if (big) std::reverse(raw.begin(), raw.end());
    bytes += raw;
  };
  for (const auto& vertex : mesh.vertices)
    for (const double x : vertex) add(x);
  for (const auto& triangle : mesh.triangles) {
    add(std::uint8_t{3});
    for (const std::uint32_t corner : triangle) add(corner);
  }
  return bytes;
}

void check_same(const Mesh& near, const Mesh& far, double last_place) {
  const MeshDiagnosis expected = diagnose(near), found = diagnose(far);
  REQUIRE(found.areas.size() == expected.areas.size());
  constexpr double min_side = 2.0;  // m, of the room
  const double bound = 1e-9 + 8.0 * last_place / min_side;
  for (std::size_t m = 0; m < found.areas.size(); ++m)
    CHECK(found.areas[m] == Approx(expected.areas[m]).epsilon(bound));
  CHECK(enclosed_volume(far) == Approx(enclosed_volume(near)).epsilon(bound));
  CHECK(found.open_edges == 0);
  CHECK_FALSE(found.far_away);
  CHECK(found.tolerance == Approx(expected.tolerance));
}

}  // namespace

TEST_CASE(
    "a room far from the origin has the areas and the volume that it has there, in every format with double precision",
    "[scenes]") {
  const Mesh here = askew();
  const Mesh near = read_as("m.obj", as_obj(here), "mm");
  CHECK(enclosed_volume(near) == Approx((8.0 * 6.0 - 3.0 * 2.0) * 3.217).epsilon(1e-6));
  for (const double by : {-1e6, 1e7, -3e9, 1e12 - 1e4}) {
    CAPTURE(by);
    const Mesh there = moved(here, by);
    const double last_place = 1e-3 * (std::nextafter(std::abs(by), 1e300) - std::abs(by));  // m
    for (const auto& [name, bytes] : {std::pair{std::string("m.obj"), as_obj(there)},
                                      {"m.stl", as_stl_text(there)},
                                      {"m.ply", as_ply(there, true)},
                                      {"little.ply", double_ply(there, false)},
                                      {"big.ply", double_ply(there, true)},
                                      {"m.dxf", as_dxf(dxf_faces(there))},
                                      {"m.dae", as_dae(there)}}) {
      CAPTURE(name);
      Mesh far = read_as(name, bytes, "mm");
      Mesh expected = near;
      if (far.materials.size() == 1) {  // of formats without materials
        expected.materials = {"default"};
        std::fill(expected.material.begin(), expected.material.end(), std::uint16_t{0});
      }
      check_same(expected, far, last_place);
    }
  }
}

TEST_CASE("transforms of nodes keep double precision where the vertices have single", "[scenes]") {
  Mesh here = askew();
  for (auto& vertex : here.vertices)
    for (double& x : vertex) x /= 1e3;
  const Mesh near = read_as("m.gltf", as_gltf(here), "m");
  const Mesh far =
      read_as("m.gltf", as_gltf(here, "\"mesh\": 0, \"translation\": [6251234.25, -17.5, 3334571.125]"), "m");
  check_same(near, far, 1e-9);
  const Mesh dae =
      read_as("m.dae", as_dae(here, "<unit meter=\"1\"/>", "<translate>6251234.25 -3334571.125 0</translate>"), "m");
  check_same(read_as("m.dae", as_dae(here), "m"), dae, 1e-9);
}

TEST_CASE("coordinates of single precision are known as such, and welded by it", "[scenes]") {
  Mesh here = askew();
  for (auto& vertex : here.vertices)
    for (double& x : vertex) x = x / 1e3 + 40000.0;
  merge_vertices(here);
  CHECK_FALSE(read_as("m.obj", as_obj(here), "m").single_precision);
  Mesh rounded = here;
  for (auto& vertex : rounded.vertices)
    for (double& x : vertex) x = static_cast<double>(static_cast<float>(x));
  merge_vertices(rounded);
  for (const auto& [name, bytes] : {std::pair{std::string("m.obj"), as_obj(rounded)}, {"m.stl", as_stl(here)}}) {
    CAPTURE(name);
    const Mesh far = read_as(name, bytes, "m");
    CHECK(far.single_precision);
    CHECK(diagnose(far).far_away);
    CHECK(weld_tolerance(far) > 2.0 * weld_tolerance(read_as("m.obj", as_obj(here), "m")));
  }
  // Whole metres use no last digits, wherever they are.
  CHECK_FALSE(read_as("m.obj", as_obj(box_mesh({100000, 200000, 0}, {100005, 200004, 3})), "m").single_precision);
}
