#include "engine/cuda/tuning/tile_model.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

namespace fdtd::cuda {
namespace {

constexpr int warp = 32;
constexpr std::int64_t sector_bytes = 32;
constexpr int bank_bytes = 4;
constexpr int registers_granularity = 256;            // a warp's registers are given out in these
constexpr int partitions = 4;                         // of a multiprocessor
constexpr std::size_t shared_granularity = 128;       // bytes
constexpr std::size_t shared_taken_by_system = 1024;  // bytes a block, compute capability 8.0 and up

// How far behind the best candidate a tile may stand on each count and still be in the predicted set: of four stencils,
// all of whose tiles were timed, the fastest is in it each time (bench/results/h200/tiles.json).
constexpr double transactions_slack = 1.15, conflicts_slack = 1.5, occupancy_slack = 0.5, efficiency_slack = 0.9;
// From here on more warps do not help a kernel that waits for memory (V. Volkov, "Better performance at lower
// occupancy", GPU Technology Conference 2010).
constexpr double enough_occupancy = 0.5;

template <class T>
constexpr T divide_up(T a, T b) {
  return (a + b - 1) / b;
}

template <class T>
constexpr T up_to(T a, T multiple) {
  return divide_up(a, multiple) * multiple;
}

// The tile's extent on this grid: a marching distance of 0 is all of z.
std::array<std::int64_t, 3> extent_of(const Tile& tile, const Layout& layout) {
  return {std::max(1, tile.x), std::max(1, tile.y), tile.z > 0 ? tile.z : layout.size[2]};
}

bool has_corners(const GridStencil& stencil) {
  return std::any_of(stencil.terms.begin(), stencil.terms.end(), [](const Term& term) {
    return std::count_if(term.offset.begin(), term.offset.end(), [](int q) { return q != 0; }) > 1;
  });
}

// Values that a lane takes side by side in x: as many as a thread has points in a plane, 16 bytes at most, and so that
// rows divide by it.
int vector_of(const Tile& tile, int threads, std::size_t value_bytes) {
  const int plane = std::max(1, tile.x) * std::max(1, tile.y);
  int vector = 16 / static_cast<int>(value_bytes);
  while (vector > 1 && (plane < threads * vector || tile.x % vector != 0)) vector /= 2;
  return vector;
}

double rim_efficiency(const std::array<std::int64_t, 3>& extent, const std::array<int, 3>& size) {
  double efficiency = 1.0;
  for (std::size_t d = 0; d < 3; ++d)
    efficiency *= static_cast<double>(size[d]) / static_cast<double>(up_to<std::int64_t>(size[d], extent[d]));
  return efficiency;
}

double wave_efficiency(const std::array<std::int64_t, 3>& extent, const std::array<int, 3>& size, std::int64_t places) {
  std::int64_t blocks = 1;
  for (std::size_t d = 0; d < 3; ++d) blocks *= divide_up<std::int64_t>(size[d], extent[d]);
  return static_cast<double>(blocks) / static_cast<double>(up_to(blocks, places));
}

TilePrediction predict(const Job& job, const Device& device, const TileCandidate& candidate) {
  const auto& [tile, resources] = candidate;
  const int threads = std::max(1, resources.threads);
  const auto extent = extent_of(tile, job.layout);
  TilePrediction p;
  p.tile = tile;
  p.resources = resources;
  p.transactions = transactions_a_point(job.layout, has_corners(job.stencil), tile);
  if (resources.shared_bytes > 0) {
    const int vector = vector_of(tile, threads, job.layout.value_bytes);
    p.conflicts =
        bank_passes(std::max(1, tile.x / vector), tile.x + 2 * job.layout.radius, vector, job.layout.value_bytes);
  }
  p.active_blocks = active_blocks(device, resources);
  if (p.active_blocks == 0) {
    p.cost = std::numeric_limits<double>::infinity();
    return p;
  }
  p.footprint = footprint_bytes_a_point(job, device, tile, p.active_blocks);
  const int warps = divide_up(threads, warp);
  p.occupancy = std::min(1.0, static_cast<double>(p.active_blocks * warps * warp) / device.threads_per_multiprocessor);
  p.thread_efficiency = rim_efficiency(extent, job.layout.size) * threads / (warps * warp);
  // Rows that a tile leaves out are computed all the same, which costs time where the grid lies in L2 and memory bounds
  // nothing.
  const bool in_l2 = lies_in_l2(job.layout, device);
  if (in_l2 && resources.nodes > 0) p.thread_efficiency *= static_cast<double>(extent[0] * extent[1]) / resources.nodes;
  const std::int64_t places = static_cast<std::int64_t>(p.active_blocks) * std::max(1, device.multiprocessors);
  p.wave_efficiency = wave_efficiency(extent, job.layout.size, tile.blocks > 0 ? tile.blocks : places);
  // Places that a kernel leaves idle of its own will are no loss where memory bounds it, all loss where arithmetic
  // does.
  const double used =
      tile.blocks > 0 ? std::min(1.0, static_cast<double>(tile.blocks) / static_cast<double>(places)) : 1.0;
  // Sectors are the currency; idle lanes and idle multiprocessors make them dearer, and so do too few warps to wait
  // with. A conflict costs a pass of shared memory, which hides behind the sectors in part: its root.
  p.cost = p.transactions * std::sqrt(p.conflicts) / (in_l2 ? used : std::sqrt(used)) /
           (p.thread_efficiency * p.wave_efficiency * std::min(1.0, p.occupancy / enough_occupancy));
  return p;
}

}  // namespace

std::int64_t sectors_of(std::int64_t begin, std::int64_t end, std::size_t value_bytes) {
  if (begin >= end) return 0;
  const auto bytes = static_cast<std::int64_t>(value_bytes);
  const auto floor = [](std::int64_t a) {
    return a >= 0 ? a / sector_bytes : -((-a + sector_bytes - 1) / sector_bytes);
  };
  return floor(end * bytes - 1) - floor(begin * bytes) + 1;
}

double transactions_a_point(const Layout& layout, bool corners, const Tile& tile) {
  const auto extent = extent_of(tile, layout);
  const std::int64_t radius = layout.radius;
  std::int64_t sectors = 0;  // of one row of blocks, of all its planes
  for (std::int64_t begin = 0; begin < layout.size[0]; begin += extent[0]) {
    const std::int64_t end = std::min<std::int64_t>(begin + extent[0], layout.size[0]);
    const std::int64_t bare = sectors_of(begin, end, layout.value_bytes);
    const std::int64_t wide = sectors_of(begin - radius, end + radius, layout.value_bytes);
    // Planes of the tile: its rows with the halo of x, the halo's rows in y; planes of the halo in z.
    const std::int64_t inner = extent[1] * wide + 2 * radius * (corners ? wide : bare);
    const std::int64_t outer = corners ? inner : extent[1] * bare;
    sectors += extent[2] * inner + 2 * radius * outer + 2 * extent[2] * extent[1] * bare;
  }
  return static_cast<double>(sectors) / static_cast<double>(layout.size[0] * extent[1] * extent[2]);
}

double bank_passes(int lanes_x, int pitch, int vector, std::size_t value_bytes) {
  const int lane_bytes = vector * static_cast<int>(value_bytes);
  const int lanes = std::max(1, warp * bank_bytes / std::max(bank_bytes, lane_bytes));  // that one pass can serve
  int passes = 0;
  for (int first = 0; first < warp; first += lanes) {
    std::array<int, warp> words{};  // of each bank; lanes never share a word: they lie side by side
    for (int lane = first; lane < std::min(warp, first + lanes); ++lane) {
      const int value = lane / lanes_x * pitch + lane % lanes_x * vector;
      const int word = value * static_cast<int>(value_bytes) / bank_bytes;
      for (int i = 0; i < lane_bytes / bank_bytes; ++i) ++words[static_cast<std::size_t>((word + i) % warp)];
    }
    passes += *std::max_element(words.begin(), words.end());
  }
  return static_cast<double>(passes) * lanes / warp;
}

int active_blocks(const Device& device, const Resources& resources) {
  const int warps = divide_up(std::max(1, resources.threads), warp);
  int blocks = std::min(device.blocks_per_multiprocessor, device.threads_per_multiprocessor / (warps * warp));
  if (resources.registers > 0) {
    // Each partition of a multiprocessor has a part of its registers for whole warps.
    const int registers = up_to(resources.registers * warp, registers_granularity);  // of a warp
    if (registers * up_to(warps, partitions) > device.registers_per_multiprocessor) return 0;
    const int held = device.registers_per_multiprocessor / partitions / registers * partitions;
    blocks = std::min(blocks, held / warps);
  }
  if (resources.shared_bytes > device.shared_per_block) return 0;
  const std::size_t shared = up_to(resources.shared_bytes + shared_taken_by_system, shared_granularity);
  return std::min(blocks, static_cast<int>(device.shared_per_multiprocessor / shared));
}

double footprint_bytes_a_point(const Job& job, const Device& device, const Tile& tile, int active_blocks) {
  const auto extent = extent_of(tile, job.layout);
  const auto& size = job.layout.size;
  const std::int64_t wave = static_cast<std::int64_t>(active_blocks) * device.multiprocessors;
  const std::int64_t row = divide_up<std::int64_t>(size[0], extent[0]),
                     column = divide_up<std::int64_t>(size[1], extent[1]);
  const double values = 3.0, halo = 2.0 * job.layout.radius;
  const auto bytes = static_cast<double>(job.layout.value_bytes);
  const auto l2 = static_cast<double>(device.l2_bytes);
  const double row_bytes = values * bytes * static_cast<double>(size[0] * extent[1] * extent[2]);
  double again = 0.0;  // of u1's values
  if (row > wave && row_bytes > l2) again += halo / static_cast<double>(extent[1]);
  if (extent[2] < size[2] && row * column > wave && row_bytes * static_cast<double>(column) > l2)
    again += halo / static_cast<double>(extent[2]);
  return bytes * (values + again);
}

study::Launch launch_of(const Tile& tile) {
  return {tile.x, tile.y, tile.z, tile.threads, tile.depth, tile.blocks, tile.max_lead};
}

Tile tile_of(const study::Launch& launch) {
  return {launch.x, launch.y, launch.z, launch.threads, launch.depth, launch.blocks, launch.max_lead};
}

std::string to_string(const Tile& tile) { return study::to_string(launch_of(tile)); }

std::vector<TilePrediction> predict_tiles(const Job& job, const Device& device,
                                          std::span<const TileCandidate> candidates) {
  std::vector<TilePrediction> tiles;
  for (const TileCandidate& candidate : candidates) tiles.push_back(predict(job, device, candidate));
  std::stable_sort(tiles.begin(), tiles.end(),
                   [](const TilePrediction& a, const TilePrediction& b) { return a.cost < b.cost; });
  if (tiles.empty() || tiles.front().active_blocks == 0) return tiles;
  TilePrediction best = tiles.front();
  const auto efficiency = [](const TilePrediction& p) { return p.thread_efficiency * p.wave_efficiency; };
  double best_efficiency = 0.0;
  for (const TilePrediction& p : tiles) {
    if (p.active_blocks == 0) continue;
    best.transactions = std::min(best.transactions, p.transactions);
    best.conflicts = std::min(best.conflicts, p.conflicts);
    best.occupancy = std::max(best.occupancy, std::min(enough_occupancy, p.occupancy));
    best_efficiency = std::max(best_efficiency, efficiency(p));
  }
  for (TilePrediction& p : tiles)
    p.predicted = p.active_blocks > 0 && p.transactions <= transactions_slack * best.transactions &&
                  p.conflicts <= conflicts_slack * best.conflicts && p.occupancy >= occupancy_slack * best.occupancy &&
                  efficiency(p) >= efficiency_slack * best_efficiency;
  tiles.front().predicted = true;
  return tiles;
}

}  // namespace fdtd::cuda
