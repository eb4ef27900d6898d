#include "engine/cuda/kernels/tma/work_partition.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

namespace fdtd::cuda {
namespace {

// Where memory bounds a kernel too many blocks are no gain, for a few fill the wires; where arithmetic does every place
// counts. Which of the two it is only a trial tells, so the best guesses of both are worth it. A last round that is not
// full is a loss, and at each chunk's ends 2 R planes of u1 are fetched twice. The constants were fitted to an H200's
// times of six stencils on three grids in f32 and f64, marching in step: the best of all guesses is 0.1 % behind the
// best of 12 in the mean and 1.5 % at the worst.
constexpr double ends = 2.0, idle_rounds = 0.6;
constexpr double memory_bound = 0.05, arithmetic_bound = 1.0;  // what an idle place costs
constexpr int max_chunks = 10;
constexpr std::size_t max_of_each = 2;

constexpr std::int64_t divide_up(std::int64_t a, std::int64_t b) { return (a + b - 1) / b; }

// In planes' times; only their order counts.
double cost_of(const WorkPartition& partition, std::int64_t columns, int planes, int R, int resident,
               double idle_places) {
  const double items = static_cast<double>(columns * divide_up(planes, partition.chunk)), blocks = partition.blocks;
  const double rounds = std::ceil(items / blocks);
  return items * (partition.chunk + ends * R) * (1 + idle_places * (resident / blocks - 1)) *
         (1 + idle_rounds * (rounds * blocks / items - 1));
}

// All places for as long as there is work: where arithmetic binds, and each piece takes as long as the next. On a small
// grid that is pieces of a few planes: 121 x 101 x 91 nodes took leggy-4 23 us by pieces of 16.
WorkPartition all_at_work(std::int64_t columns, int planes, int pieces, int R, int resident) {
  WorkPartition best;
  double least = 0.0;
  for (int chunks = pieces; chunks <= std::max(pieces, planes); ++chunks) {
    const auto chunk = static_cast<int>(divide_up(planes, chunks));
    const double rounds = static_cast<double>(divide_up(columns * divide_up(planes, chunk), resident));
    const double cost = rounds * (chunk + 0.9 * R);
    if (best.chunk == 0 || cost < least) best = {chunk, resident}, least = cost;
  }
  return best;
}

}  // namespace

std::vector<WorkPartition> worthy_partitions(std::int64_t columns, int planes, int pieces, int R, int resident) {
  std::vector<WorkPartition> partitions;
  const auto add = [&](std::int64_t chunk, std::int64_t work) {  // blocks: so that all rounds of `work` are full
    const WorkPartition partition{static_cast<int>(chunk),
                                  static_cast<int>(divide_up(work, divide_up(work, resident)))};
    if (std::find(partitions.begin(), partitions.end(), partition) == partitions.end()) partitions.push_back(partition);
  };
  for (int chunks = pieces; chunks <= std::max(pieces, std::min(planes / (2 * R + 6), max_chunks)); ++chunks) {
    const std::int64_t chunk = divide_up(planes, chunks);
    add(chunk, columns * divide_up(planes, chunk));
    add(chunk, columns);
  }
  const auto ranked = [&](double idle_places) {
    std::vector<std::pair<double, WorkPartition>> all;
    for (const WorkPartition& partition : partitions)
      all.emplace_back(cost_of(partition, columns, planes, R, resident, idle_places), partition);
    std::stable_sort(all.begin(), all.end(), [](const auto& a, const auto& b) { return a.first < b.first; });
    return all;
  };
  const auto by_memory = ranked(memory_bound), by_arithmetic = ranked(arithmetic_bound);
  std::vector<WorkPartition> worthy;
  for (std::size_t i = 0; i < std::min(max_of_each, partitions.size()); ++i)
    for (const WorkPartition& partition : {by_memory[i].second, by_arithmetic[i].second})
      if (std::find(worthy.begin(), worthy.end(), partition) == worthy.end()) worthy.push_back(partition);
  const WorkPartition all = all_at_work(columns, planes, pieces, R, resident);
  if (std::find(worthy.begin(), worthy.end(), all) == worthy.end()) worthy.push_back(all);
  return worthy;
}

std::vector<int> worthy_rows(int across, int ny, int most, int resident) {
  const std::int64_t min_columns = std::int64_t{across} * divide_up(ny, most);
  const std::int64_t places = divide_up(min_columns, resident) * resident;  // of the fewest rounds
  const auto rows = static_cast<int>(divide_up(ny, places / across));
  return rows < most ? std::vector{rows, most} : std::vector{most};
}

}  // namespace fdtd::cuda
