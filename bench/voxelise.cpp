// The voxeliser's time and memory: a hall with a vault, oblique walls and rows of seats, of about 10^4 triangles, on
// grids up to 1.4e8 voxels. Prints one JSON document, medians of three; the peak is what the process held beyond its
// start. Voxels are cut, as for the stencils that plans take. Under mpirun the ranks share each room; then time and peak
// are those of the rank that has most. An argument is the most voxels (in millions) of a room.
#include <fmt/format.h>
#include <sys/resource.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdlib>
#include <cstring>
#include <nlohmann/json.hpp>
#include <span>
#include <vector>

#include "engine/system/machine.hpp"
#include "engine/system/ranks.hpp"
#include "engine/system/threads.hpp"
#include "engine/system/version.hpp"
#include "engine/voxels/shared/plane_borders.hpp"
#include "engine/voxels/shared/plane_lists.hpp"
#include "engine/voxels/voxelise_mesh.hpp"

namespace {

using namespace fdtd;

std::uint32_t add_vertex(Mesh& mesh, double x, double y, double z) {
  mesh.vertices.push_back({x, y, z});
  return static_cast<std::uint32_t>(mesh.vertices.size() - 1);
}

void add_quad(Mesh& mesh, std::array<std::uint32_t, 4> q, std::uint16_t material) {
  mesh.triangles.push_back({q[0], q[1], q[2]});
  mesh.triangles.push_back({q[0], q[2], q[3]});
  mesh.material.insert(mesh.material.end(), 2, material);
}

void add_block(Mesh& mesh, std::array<double, 3> low, std::array<double, 3> high) {
  std::array<std::uint32_t, 8> corner;
  for (std::size_t i = 0; i < 8; ++i) {
    corner[i] = add_vertex(mesh, (i & 1U) != 0 ? high[0] : low[0], (i & 2U) != 0 ? high[1] : low[1],
                           (i & 4U) != 0 ? high[2] : low[2]);
  }
  constexpr std::array<std::array<std::size_t, 4>, 6> sides = {
      {{0, 2, 6, 4}, {1, 3, 7, 5}, {0, 1, 5, 4}, {2, 3, 7, 6}, {0, 1, 3, 2}, {4, 5, 7, 6}}};
  for (const auto& s : sides) add_quad(mesh, {corner[s[0]], corner[s[1]], corner[s[2]], corner[s[3]]}, 1);
}

// A fan-shaped hall, 40 m long, 20 to 30 m wide, under a barrel vault; 40 by 20 seats.
Mesh hall() {
  constexpr int along = 20, around = 20, rows = 38, seats = 20;
  Mesh mesh;
  mesh.materials = {"walls", "seats"};
  std::vector<std::uint32_t> ring;
  for (int i = 0; i <= along; ++i) {
    const double x = 40.0 * i / along, half = 10.0 + 5.0 * i / along;
    ring.push_back(add_vertex(mesh, x, -half, 0.0));
    for (int j = 0; j <= around; ++j) {
      const double angle = std::acos(-1.0) * j / around;
      ring.push_back(add_vertex(mesh, x, -half * std::cos(angle), 6.0 + 8.0 * std::sin(angle)));
    }
    ring.push_back(add_vertex(mesh, x, half, 0.0));
  }
  constexpr std::uint32_t n = around + 3;
  for (std::uint32_t i = 0; i < along; ++i) {
    for (std::uint32_t j = 0; j < n; ++j) {
      const std::uint32_t k = (j + 1) % n;
      add_quad(mesh, {ring[i * n + j], ring[i * n + k], ring[(i + 1) * n + k], ring[(i + 1) * n + j]}, 0);
    }
  }
  for (const std::uint32_t end : {0U, static_cast<std::uint32_t>(along)}) {
    for (std::uint32_t j = 1; j + 1 < n; ++j) {
      mesh.triangles.push_back({ring[end * n], ring[end * n + j], ring[end * n + j + 1]});
      mesh.material.push_back(0);
    }
  }
  for (int r = 0; r < rows; ++r) {
    for (int s = 0; s < seats; ++s) {
      const double x = 4.0 + 0.9 * r, y = -9.0 + 0.9 * s;
      add_block(mesh, {x, y, 0.1}, {x + 0.5, y + 0.5, 0.9});
    }
  }
  merge_vertices(mesh);
  return mesh;
}

PlanePartition partition_of(Ranks& all) {
  if (all.alone()) return {};
  return {all.rank(), all.size(), [&all](std::span<const std::byte> mine) { return gather_all(all, mine); }};
}

double largest(Ranks& all, double mine) {
  double most = 0.0;
  for (const auto& one : all.gather(std::as_bytes(std::span(&mine, 1)))) {
    double theirs = 0.0;
    std::memcpy(&theirs, one.data(), sizeof theirs);
    most = std::max(most, theirs);
  }
  return most;
}

double cpu_seconds() {
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  return static_cast<double>(usage.ru_utime.tv_sec + usage.ru_stime.tv_sec) +
         1e-6 * static_cast<double>(usage.ru_utime.tv_usec + usage.ru_stime.tv_usec);
}

double peak_bytes() {
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  return 1024.0 * static_cast<double>(usage.ru_maxrss);
}

}  // namespace

int main(int argc, char** argv) {
  const double max_millions = argc > 1 ? std::atof(argv[1]) : 140.0;
  Ranks& all = ranks();
  const Mesh mesh = hall();
  nlohmann::ordered_json document{{"program", version_line()},
                                  {"machine", fmt::format("{}, {} threads", processor_name(), hardware_threads())},
                                  {"what", "voxelise_mesh of a hall, voxels cut: seconds and bytes"},
                                  {"triangles", mesh.triangles.size()}};
  if (!all.alone()) document["ranks"] = all.size();
  const double held = largest(all, peak_bytes());
  for (const double millions : {1.0, 10.0, 140.0}) {
    if (millions > max_millions) continue;
    const double volume = (mesh.high[0] - mesh.low[0]) * (mesh.high[1] - mesh.low[1]) * (mesh.high[2] - mesh.low[2]);
    const double h = std::cbrt(volume / (1e6 * millions));
    MeshGrid grid{{}, {h, h, h}, mesh.low, true, partition_of(all)};
    std::int64_t voxels = 1;
    for (std::size_t d = 0; d < 3; ++d) {
      grid.size[d] = static_cast<int>(std::ceil((mesh.high[d] - mesh.low[d]) / h));
      voxels *= grid.size[d];
    }
    if (!all.alone()) grid.partition.borders = plane_borders(mesh, grid.size, grid.spacing, grid.corner, all.size());
    std::vector<double> seconds, cpu;
    MeshVoxels made;
    for (int i = 0; i < 3; ++i) {
      made = {};
      const double before = cpu_seconds();
      const auto start = std::chrono::steady_clock::now();
      made = voxelise_mesh(mesh, mesh.materials, grid, {{2.0, 0.0, 1.5}}, {{30.0, 3.0, 1.5}});
      seconds.push_back(std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count());
      cpu.push_back(cpu_seconds() - before);
    }
    for (auto* list : {&seconds, &cpu}) std::sort(list->begin(), list->end());
    const double peak = largest(all, peak_bytes());
    std::size_t faces = 0;
    for (const std::size_t one : gathered(std::vector<std::size_t>{made.voxels.faces.size()}, grid.partition))
      faces += one;
    document["rooms"].push_back({{"size", grid.size},
                                 {"voxels", voxels},
                                 {"air", made.voxels.air.count()},
                                 {"faces", faces},
                                 {"seconds", largest(all, seconds[1])},
                                 {"cpu_seconds", largest(all, cpu[1])},
                                 {"peak_bytes", peak - held},
                                 {"bytes_a_voxel", (peak - held) / static_cast<double>(voxels)},
                                 {"bytes_a_face", (peak - held) / static_cast<double>(faces)}});
  }
  if (all.first()) fmt::print("{}\n", document.dump(2));
  leave_ranks(0);
}
