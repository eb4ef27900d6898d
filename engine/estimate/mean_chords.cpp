#include "engine/estimate/mean_chords.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <string>

#include "scenes/mesh/mesh.hpp"

namespace fdtd {
namespace {

constexpr double nearly = 0.03;  // the room is a box where area and volume are those of its mean chords

void add_box(MeanChords& chords, const Scene& scene) {
  chords.sides = scene.room.box;
  const std::vector<std::uint16_t> numbers = scene.room.materials().numbers;
  for (std::size_t side = 0; side < 6; ++side) {
    const std::size_t d = side / 2;
    const double area = chords.sides[(d + 1) % 3] * chords.sides[(d + 2) % 3];
    chords.areas[side][numbers[side]] += area;
  }
  chords.box = true;
}

// A material's facets count with the fraction of its area that borders on the air.
void add_mesh(MeanChords& chords, const Scene& scene, const DiffusionRoom& room) {
  const Mesh& mesh = *scene.room.mesh;
  const std::vector<std::uint16_t> numbers = scene.room.materials().numbers;
  std::vector<double> whole(room.materials.size(), 0.0);
  for (std::size_t t = 0; t < mesh.triangles.size(); ++t) {
    const std::size_t m = numbers[mesh.material[t]];
    const auto v = area_vector(mesh, t);
    whole[m] += 0.5 * std::hypot(v[0], v[1], v[2]);
    for (std::size_t d = 0; d < 3; ++d) {
      double centre = 0.0;
      for (const std::uint32_t corner : mesh.triangles[t]) centre += mesh.vertices[corner][d] / 3.0;
      const bool upper = centre > 0.5 * (mesh.low[d] + mesh.high[d]);
      chords.areas[2 * d + (upper ? 1 : 0)][m] += 0.5 * std::abs(v[d]);
    }
  }
  const double all = std::accumulate(whole.begin(), whole.end(), 0.0);
  // Cells miss a few per cent of the area: a mesh of which nearly all borders on the air counts as a whole.
  const bool one_sided = std::abs(room.area - all) < 0.1 * all;
  std::array<double, 3> projected{};
  for (std::size_t side = 0; side < 6; ++side)
    for (std::size_t m = 0; m < whole.size(); ++m) {
      double& area = chords.areas[side][m];
      if (!one_sided && whole[m] > 0.0) area *= room.areas[m] / whole[m];
      projected[side / 2] += area;
    }
  double product = 1.0;
  for (std::size_t d = 0; d < 3; ++d) {
    chords.sides[d] = 2.0 * room.volume / std::max(projected[d], 1e-9);
    product *= chords.sides[d];
  }
  const double surface = projected[0] + projected[1] + projected[2];
  chords.box = one_sided && std::abs(product / room.volume - 1.0) < nearly && std::abs(surface / all - 1.0) < nearly;
}

}  // namespace

MeanChords mean_chords(const Scene& scene, const DiffusionRoom& room) {
  MeanChords chords;
  chords.areas.fill(std::vector<double>(room.materials.size(), 0.0));
  if (scene.room.mesh)
    add_mesh(chords, scene, room);
  else
    add_box(chords, scene);
  return chords;
}

}  // namespace fdtd
