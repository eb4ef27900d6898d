#include "engine/planning/judge/memory.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "base/error.hpp"
#include "base/rounded_text.hpp"
#include "engine/plan/frames.hpp"
#include "engine/plan/single_responses.hpp"
#include "engine/planning/build/plan_snapshots.hpp"
#include "engine/system/machine.hpp"
#include "engine/transducers/channels.hpp"
#include "engine/transducers/harmonic_ball.hpp"
#include "engine/transducers/taps.hpp"
#include "engine/walls/grid_fit.hpp"
#include "engine/walls/near_wall_operator.hpp"

namespace fdtd {
namespace {

constexpr double memory_fraction = 0.9;  // of the available memory; the rest is for files and the system
constexpr double longest_block = 100;    // steps between two energy balances, of which a backend holds the samples

}  // namespace

namespace {

// Counts of walls: faces, states of branches, and an upper bound of the near-wall operator. Outside the leggy family
// nearly all rows at oblique and curved walls are different: two thirds of them, each with all of the stencil's points.
struct WallCount {
  double faces = 0.0, branch_states = 0.0, near_wall_bytes = 0.0;
};

WallCount count_walls(const RoomTally& room, const GridStencil& stencil, const std::vector<MaterialFit>& materials) {
  WallCount count;
  double points = 1.0;
  bool off_axes = false;
  for (const Term& term : stencil.terms) {
    points += image_count(term);
    off_axes = off_axes || image_count(term) > 2;
  }
  for (std::size_t m = 0; m < materials.size(); ++m)
    count.branch_states +=
        static_cast<double>(room.faces[m]) * static_cast<double>(branch_limit(materials[m].branches.size()));
  count.faces = static_cast<double>(room.all_faces());
  count.near_wall_bytes = count.faces * stencil.radius * sizeof(WallSegment);
  // Cut voxels: a row for every node with one in reach along an axis, or anywhere. Their neighbours lend mass.
  const auto cut = static_cast<double>(room.cut), oblique = static_cast<double>(room.oblique);
  if (!off_axes)
    count.near_wall_bytes += cut * (stencil.radius + 2.0) * (2.0 * stencil.radius + 1.0) * sizeof(RowEntry);
  const double layers = room.cut == 0 ? stencil.radius : stencil.radius + 2.0;
  if (off_axes) count.near_wall_bytes += std::max(oblique, cut) * layers * points * sizeof(RowEntry) * 2.0 / 3.0;
  return count;
}

WallCount count_walls(const Scene& scene, const GridChoice& choice, const std::vector<MaterialFit>& materials) {
  WallCount count;
  const std::vector<std::uint16_t> numbers = scene.room.materials().numbers;
  for (std::size_t side = 0; side < 6; ++side) {
    const std::size_t u = (side / 2 + 1) % 3, v = (side / 2 + 2) % 3;
    const double area = static_cast<double>(choice.grid.size[u]) * choice.grid.size[v];
    count.faces += area;
    if (!scene.room.mesh)  // the sides of the box around a mesh have no materials
      count.branch_states += area * static_cast<double>(branch_limit(materials[numbers[side]].branches.size()));
  }
  count.near_wall_bytes = static_cast<double>(near_wall_bytes_of_box(choice.grid_stencil, choice.grid.size));
  return count;
}

// Upper bound of the taps of these channels, in the plan and in a backend.
double tap_bytes(const std::vector<Channel>& channels, const Grid& grid, double wave) {
  const TapWeights weights(wave);
  double bytes = 0.0;
  for (const Channel& one : channels) {
    double nodes = 1.0;
    if (read_by_ball(one.operation))
      nodes = ball_nodes(wave);
    else
      for (const int n : grid.size) nodes *= std::min(n, weights.points(one.operation));
    bytes += 160.0 + 20.0 * nodes;
  }
  return bytes;
}

}  // namespace

MemoryEstimate estimate_memory(const Scene& scene, const GridChoice& choice, const std::vector<MaterialFit>& materials,
                               const RoomTally* room, const Target& target) {
  Plan shape;  // what the backend's own estimate uses
  shape.precision = scene.simulation.precision;
  shape.grid = choice.grid;
  shape.stencil = choice.grid_stencil;
  const double real = scene.simulation.precision == Precision::f32 ? 4.0 : 8.0;
  const WallCount walls =
      room != nullptr ? count_walls(*room, choice.grid_stencil, materials) : count_walls(scene, choice, materials);
  MemoryEstimate memory;
  memory.state = field_bytes(target, shape);
  memory.near_wall = static_cast<std::int64_t>(std::min(walls.near_wall_bytes, 4e18));
  const double boundary = walls.faces * (sizeof(BoundaryFace) + sizeof(BoundarySite) + 2 * sizeof(std::uint64_t) +
                                         sizeof(std::uint32_t) + 6.0 * real) +
                          walls.branch_states * 2.0 * real;
  shape.steps = choice.steps;
  plan_snapshots(scene, choice, shape);
  const auto frames = static_cast<double>(snapshot_memory(shape));
  // Held at the same time: recorded samples, rendered responses and the block of samples that a backend returns. The
  // figures of a response take 1 KiB; as a group of its own in a result that is composed in memory it takes 124 KiB
  // with the reasons of its figures (measured: 122 to 125 KiB of 100 to 860 responses). A tap's nodes
  // and weights are held by the plan and, with smaller indices, by the backend.
  const auto [sources, receivers] = channels_of(scene);
  const double wave = finest_wave(choice.grid, choice.max_frequency);
  const double channels = static_cast<double>(sources.size()) * static_cast<double>(receivers.size());
  const auto recorded = static_cast<double>(choice.passes.exchanged ? sources.size() : receivers.size());
  const bool single = channels <= static_cast<double>(max_single_responses);
  const double steps = static_cast<double>(choice.steps),
               samples = scene.simulation.duration * scene.output.sample_rate;
  const double recording = channels * ((single ? 16.0 : 8.5) * (steps + samples) + (single ? 136.0 : 1.0) * 1024.0) +
                           recorded * 8.0 * std::min(steps, longest_block) + tap_bytes(sources, choice.grid, wave) +
                           tap_bytes(receivers, choice.grid, wave) + 64.0 * steps + frames;
  memory.boundary = static_cast<std::int64_t>(std::min(boundary, 4e18));
  memory.recording = static_cast<std::int64_t>(std::min(recording, 4e18));
  return memory;
}

namespace {

// Largest scale of max_frequency at which a grid of the same room fits: fields grow with its cube, walls with its
// square, recordings linearly. 0 when none fits.
double scale_that_fits(const MemoryEstimate& memory, double room) {
  double low = 0.0, high = 1.0;
  for (int i = 0; i < 50; ++i) {
    const double scale = (low + high) / 2.0;
    const double walls = static_cast<double>(memory.near_wall) + static_cast<double>(memory.boundary);
    const double needed =
        ((static_cast<double>(memory.state) * scale + walls) * scale + static_cast<double>(memory.recording)) * scale;
    (needed <= room ? low : high) = scale;
  }
  return low;
}

}  // namespace

void require_memory(const MemoryEstimate& memory, std::int64_t available, const GridChoice& choice,
                    const std::string& where) {
  const double room = memory_fraction * static_cast<double>(available);
  const double walls = static_cast<double>(memory.near_wall) + static_cast<double>(memory.boundary);
  const double needed = static_cast<double>(memory.state) + walls + static_cast<double>(memory.recording);
  if (needed <= room) return;
  const double scale = 0.98 * scale_that_fits(memory, room);
  throw Error(
      Status::resource,
      fmt::format(
          "not enough memory{}: the grid of {} x {} x {} nodes needs {} ({} for the field, {} for walls, {} for "
          "recordings), {} are available",
          where, choice.grid.size[0], choice.grid.size[1], choice.grid.size[2], human_bytes(needed),
          human_bytes(static_cast<double>(memory.state)), human_bytes(walls),
          human_bytes(static_cast<double>(memory.recording)), human_bytes(static_cast<double>(available))),
      static_cast<double>(memory.recording) > room
          ? "shorten simulation.duration, or record fewer sources and receivers"
          : fmt::format("a grid spacing of {:.4g} m fits: a max_frequency of about {} Hz with this stencil; "
                        "stencils with more points need fewer nodes",
                        choice.grid.mean_spacing() / scale, rounded_text(choice.max_frequency * scale, 4)));
}

void require_memory(const MemoryEstimate& memory, const Target& target, const GridChoice& choice) {
  MemoryEstimate here = memory;
  if (!target.on_gpu()) return require_memory(here, available_memory(), choice);
  MemoryEstimate there = memory;
  there.recording = 0;
  here.state = 0;
  require_memory(there, target.free_memory, choice, " on the GPU");
  require_memory(here, available_memory(), choice);
}

void require_field_parts(MemoryEstimate memory, const Target& target, const GridChoice& choice) {
  if (target.ranks == 0) return;
  memory.state /= target.ranks;
  if (target.on_gpu()) return require_memory(memory, target.free_memory, choice, " on the GPU");
  memory.state *= target.local_ranks;
  require_memory(memory, available_memory(), choice);
}

void require_parts(const MemoryEstimate& memory, std::int64_t largest_slab, std::int64_t largest_host,
                   const Target& target, const GridChoice& choice) {
  if (target.on_gpu()) {
    MemoryEstimate there;
    there.state = std::min(largest_slab, memory.state / target.ranks);
    there.near_wall = largest_slab - there.state;
    require_memory(there, target.free_memory, choice, " on the GPU");
  }
  MemoryEstimate here;
  if (!target.on_gpu()) here.state = memory.state / target.ranks * target.local_ranks;
  here.near_wall = std::max<std::int64_t>(0, largest_host * target.local_ranks - here.state);
  here.recording = memory.recording * target.local_ranks;
  require_memory(here, available_memory(), choice);
}

}  // namespace fdtd
