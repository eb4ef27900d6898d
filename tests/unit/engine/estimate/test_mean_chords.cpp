#include "engine/estimate/mean_chords.hpp"

#include <memory>

#include "engine/plan/voxels.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/meshes/meshes.hpp"

using namespace fdtd;

namespace {

// Of rooms whose cells are those of a box: only volume and areas of it count for the chords of a mesh.
DiffusionRoom room_of(double volume, double area, const std::vector<std::string>& materials) {
  DiffusionRoom room;
  room.volume = volume;
  room.area = area;
  room.materials = materials;
  room.areas.assign(materials.size(), area / static_cast<double>(materials.size()));
  return room;
}

Scene scene_of(Mesh mesh) {
  merge_vertices(mesh);
  Scene scene;
  scene.room.surfaces = mesh.materials;
  scene.room.mesh = std::make_shared<const Mesh>(std::move(mesh));
  return scene;
}

}  // namespace

TEST_CASE("mean chords of a box are its sides, with each wall's material on its side") {
  Scene scene;
  scene.room.box = {5.0, 4.0, 3.0};
  scene.room.walls = {"a", "a", "a", "a", "b", "a"};
  const MeanChords chords = mean_chords(scene, room_of(60.0, 94.0, {"a", "b"}));
  CHECK(chords.box);
  CHECK(chords.sides == scene.room.box);
  CHECK(chords.areas[4] == std::vector<double>{0.0, 20.0});
  CHECK(chords.areas[5] == std::vector<double>{20.0, 0.0});
  CHECK(chords.areas[0] == std::vector<double>{12.0, 0.0});
}

TEST_CASE("mean chords of a box as a mesh are its sides, a box within it makes them shorter, and no box") {
  Mesh mesh;
  test::add_box(mesh, {0.0, 0.0, 0.0}, {5.0, 4.0, 3.0}, {"a", "a", "a", "a", "b", "a"}, test::unturned);
  const MeanChords chords = mean_chords(scene_of(mesh), room_of(60.0, 94.0, {"a", "b"}));
  CHECK(chords.box);
  const std::array<double, 3> sides = {5.0, 4.0, 3.0};
  for (std::size_t d = 0; d < 3; ++d) CHECK(chords.sides[d] == Approx(sides[d]));
  CHECK(chords.areas[4][1] == Approx(20.0));
  CHECK(chords.areas[5][1] == Approx(0.0).margin(1e-12));
  test::add_box(mesh, {2.0, 1.0, 0.0}, {3.0, 3.0, 1.0}, {"a", "a", "a", "a", "b", "a"}, test::unturned);
  const MeanChords furnished = mean_chords(scene_of(mesh), room_of(58.0, 104.0, {"a", "b"}));
  CHECK_FALSE(furnished.box);
  CHECK(furnished.sides[0] == Approx(2.0 * 58.0 / (2.0 * 12.0 + 2.0 * 2.0)).epsilon(1e-9));
}

TEST_CASE("of a material that faces the air on half of its area alone, half of the projections count") {
  Mesh mesh;
  test::add_box(mesh, {0.0, 0.0, 0.0}, {5.0, 4.0, 3.0}, {"a", "a", "a", "a", "a", "a"}, test::unturned);
  const MeanChords chords = mean_chords(scene_of(mesh), room_of(60.0, 47.0, {"a"}));
  CHECK_FALSE(chords.box);
  CHECK(chords.areas[0][0] == Approx(6.0));
}
