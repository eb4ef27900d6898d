#include "engine/planning/build/leak_hint.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <optional>
#include <vector>

#include "engine/voxels/leads_outside.hpp"
#include "scenes/mesh/mesh_diagnosis.hpp"
#include "scenes/mesh/seal/seal_mesh.hpp"

namespace fdtd {
namespace {

constexpr double most_voxels = 2e7;

// Two digits, above `metres`.
double rounded_up(double metres) {
  const double unit = std::pow(10.0, std::floor(std::log10(metres)) - 1.0);
  return unit * std::ceil(1.001 * metres / unit);
}

std::optional<double> width_that_closes(const Scene& scene, const MeshGrid& grid, const std::array<int, 3>& voxel) {
  const Mesh& mesh = *scene.room.mesh;
  std::vector<Point> inside;
  for (const SourceSpec& source : scene.sources) inside.push_back(source.position);
  for (const ReceiverSpec& receiver : scene.receivers) inside.push_back(receiver.position);
  const auto closed = [&](double width, std::vector<double>* widths) {
    Mesh trial = mesh;
    const Sealing sealing = seal_mesh(trial, width, inside);
    if (widths != nullptr)
      for (const SealedOpening& one : sealing.openings) widths->push_back(rounded_up(one.width));
    return !leads_outside(trial, grid, voxel);
  };
  const double most = widest_seal(mesh);
  std::vector<double> widths;
  if (!closed(most, &widths)) return std::nullopt;
  std::erase_if(widths, [&](double width) { return width > most; });
  widths.push_back(most);
  std::sort(widths.begin(), widths.end());
  const auto least =
      std::partition_point(widths.begin(), widths.end() - 1, [&](double width) { return !closed(width, nullptr); });
  return *least;
}

}  // namespace

std::string leak_hint(const Scene& scene, const MeshGrid& grid, const std::array<int, 3>& voxel) {
  std::string hint;
  const double voxels = static_cast<double>(grid.size[0]) * grid.size[1] * grid.size[2];
  if (voxels <= most_voxels) {
    const auto width = width_that_closes(scene, grid, voxel);
    hint = width ? fmt::format("room.seal = {:.4g} closes it, and all openings to the outside that are narrower; or ",
                               *width)
                 : fmt::format("no room.seal up to {:.3g} m, a tenth of the room, closes it; ",
                               widest_seal(*scene.room.mesh));
  } else {
    hint = "room.seal closes openings to the outside narrower than a width; or ";
  }
  hint +=
      "close it in the mesh; to keep it open, as a window, close it by a face of a material with admittance = 1, "
      "which takes nearly all that falls on it";
  for (const std::string& remark : scene.room.remarks)
    if (remark.starts_with("mesh: room.seal")) hint += "; " + remark;
  for (const std::string& remark : remarks_of(diagnose(*scene.room.mesh))) hint += "; " + remark;
  return hint;
}

}  // namespace fdtd
