#include "engine/calibration/sensitivities.hpp"

#include <cmath>

#include "scenes/toml/parse.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/meshes/mesh_scene.hpp"
#include "tests/support/scene_text.hpp"

using namespace fdtd;
using namespace fdtd::test;

namespace {

const double per_neper = 1.0 / std::log(1.05);  // steps of a time

std::string material(const std::string& name, double alpha) {
  return fmt::format("[materials.{}]\nabsorption = {{ bands = [125, 500, 1000], alpha = [{}, {}, {}] }}\n", name, alpha,
                     alpha, alpha);
}

double sum_of(const Sensitivities& found, std::size_t octave, std::size_t figure) {
  double sum = 0.0;
  for (std::size_t m = 0; m < found.materials.size(); ++m) sum += found.slope(octave, 0, 0, figure, m);
  return sum;
}

}  // namespace

TEST_CASE("times fall in inverse proportion to all exponents together, and by material as it absorbs",
          "[calibration]") {
  // Of a cube with smooth walls, where each pair of walls absorbs the same.
  SceneText text;
  text.box = "[3.0, 3.0, 3.0]";
  text.source = "[0.8, 0.9, 1.1]";
  text.receiver = "[2.1, 1.7, 1.9]";
  text.walls = "default = \"a\"\nx_max = \"b\"\ny_max = \"b\"\nz_max = \"b\"\n";
  text.materials = material("a", 0.1) + material("b", 0.1);
  const Scene scene = parse_scene(text_of(text), "room.toml").scene;
  const Sensitivities found = estimate_sensitivities(scene, {500.0, 1000.0}, 1000);
  REQUIRE(found.materials.size() == 2);
  CHECK(found.areas[0] == Approx(27.0).epsilon(0.01));
  for (const std::size_t octave : {0u, 1u}) {
    CHECK(sum_of(found, octave, 0) == Approx(-per_neper).epsilon(0.1));
    CHECK(found.slope(octave, 0, 0, 0, 0) == Approx(found.slope(octave, 0, 0, 0, 1)).epsilon(0.05));
    CHECK(sum_of(found, octave, 2) > 1.0);   // clarity rises,
    CHECK(sum_of(found, octave, 3) < -2.0);  // and level falls, as (1 - alpha)/alpha at most
    CHECK(sum_of(found, octave, 3) > -4.35 / (1.0 - 0.1));
  }
}

TEST_CASE("of a mesh, materials count by their area and exponent", "[calibration]") {
  const TemporaryFolder folder;
  Mesh mesh;
  add_box(mesh, {0.0, 0.0, 0.0}, {4.0, 3.0, 3.0}, {"a", "b", "a", "a", "a", "a"}, unturned);
  add_box(mesh, {1.0, 1.0, 0.0}, {2.0, 2.0, 1.0}, {"a", "a", "a", "a", "a", "a"}, unturned);
  SceneText text = mesh_scene(folder, mesh, unturned, {0.8, 0.5, 1.5}, {3.0, 2.0, 2.0});
  text.materials = material("panel", 0.1);
  const Scene scene = parse_scene(text_of(text), folder / "room.toml").scene;
  REQUIRE(scene.room.mesh);
  const Sensitivities found = estimate_sensitivities(scene, {500.0}, 2000);
  REQUIRE(found.materials.size() == 1);
  CHECK(sum_of(found, 0, 0) == Approx(-per_neper).epsilon(0.1));
}
