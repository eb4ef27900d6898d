#include "engine/results/room_surface.hpp"

#include <cmath>
#include <filesystem>
#include <map>

#include "base/error.hpp"
#include "scenes/mesh/mesh.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/program.hpp"

using namespace fdtd;

namespace {

// Area by material's name, and the volume inside by the divergence theorem (facets turned outwards).
struct Sizes {
  std::map<std::string, double> area;
  double volume = 0.0;
};

Sizes sizes_of(const RoomSurface& surface) {
  Sizes sizes;
  for (std::size_t t = 0; t < surface.triangles.size(); ++t) {
    const auto& a = surface.vertices.at(surface.triangles[t][0]);
    const auto& b = surface.vertices.at(surface.triangles[t][1]);
    const auto& c = surface.vertices.at(surface.triangles[t][2]);
    std::array<double, 3> n{};
    for (std::size_t d = 0; d < 3; ++d) {
      const std::size_t u = (d + 1) % 3, v = (d + 2) % 3;
      n[d] = (b[u] - a[u]) * (c[v] - a[v]) - (b[v] - a[v]) * (c[u] - a[u]);
    }
    const double twice = std::sqrt(n[0] * n[0] + n[1] * n[1] + n[2] * n[2]);
    sizes.area[surface.materials.at(surface.material[t])] += 0.5 * twice;
    sizes.volume += std::abs(a[0] * n[0] + a[1] * n[1] + a[2] * n[2]) / 6.0;
  }
  return sizes;
}

}  // namespace

TEST_CASE("room surface: a box has its walls' areas, by material, around its volume") {
  Room room;
  room.box = {5.0, 4.0, 3.0};
  room.walls = {"brick", "brick", "glass", "brick", "carpet", "brick"};
  const Sizes sizes = sizes_of(surface_of(room));
  CHECK(sizes.area.at("carpet") == Approx(20.0));
  CHECK(sizes.area.at("glass") == Approx(15.0));
  CHECK(sizes.area.at("brick") == Approx(12.0 + 12.0 + 15.0 + 20.0));
  CHECK(sizes.volume == Approx(60.0));
}

TEST_CASE("room surface: a mesh's facets carry the scene's materials, names that mean one are one") {
  Mesh mesh;
  mesh.vertices = {{0, 0, 0}, {2, 0, 0}, {0, 2, 0}, {0, 0, 2}};
  mesh.triangles = {{0, 1, 2}, {0, 1, 3}, {0, 2, 3}};
  mesh.material = {0, 1, 2};
  mesh.materials = {"Wall.001", "Wall.002", "Floor"};
  Room room;
  room.mesh = std::make_shared<const Mesh>(mesh);
  room.surfaces = {"plaster", "plaster", "parquet"};
  const RoomSurface surface = surface_of(room);
  CHECK(surface.materials == std::vector<std::string>{"plaster", "parquet"});
  CHECK(surface.material == std::vector<std::uint32_t>{0, 0, 1});
  CHECK(surface.vertices == mesh.vertices);
  CHECK(surface.triangles == mesh.triangles);
}

TEST_CASE("room surface: what fits together nowhere is refused when it is read") {
  const test::TemporaryFolder folder;
  const auto reads = [&](const RoomSurface& surface) {
    const auto path = folder.path() / "surface.h5";
    H5File file = H5File::create(path, path);
    write_surface(file, surface);
    file.close();
    return read_surface(SealedFile::open(path), path);
  };
  RoomSurface surface{{{0, 0, 0}, {1, 0, 0}, {0, 1, 0}}, {{0, 1, 2}}, {0}, {"stone"}};
  CHECK(reads(surface) == surface);
  CHECK(reads({}) == RoomSurface{});
  surface.triangles = {{0, 1, 3}};
  CHECK_THROWS_AS(reads(surface), Error);
  surface.triangles = {{0, 1, 2}};
  surface.material = {1};
  CHECK_THROWS_AS(reads(surface), Error);
  surface.material = {0};
  surface.vertices[1][1] = std::nan("");
  CHECK_THROWS_AS(reads(surface), Error);
}
