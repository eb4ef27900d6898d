#include "engine/cpu/schedule/tile_order.hpp"

#include <fmt/format.h>

#include <array>

namespace fdtd::cpu {
namespace {

int part_of(int count, int part, int parts) {
  return static_cast<int>(static_cast<std::int64_t>(count) * part / parts);
}

// A cut through the tiles of a slab of layers in column-major order: below it lie all columns before `column` and the
// layers before `layer` of that column.
struct Cut {
  int column = 0, layer = 0;
};

// Cuts into `parts` of nearly equal cost.
std::vector<Cut> cuts_of(const Layout& layout, const std::vector<double>& costs, int parts, int from, int to) {
  double total = 0.0, before = 0.0;
  const auto cost = [&](int column, int layer) {
    return costs[layout.first_tile(layer) + static_cast<std::size_t>(column)];
  };
  for (int layer = from; layer < to; ++layer)
    for (int column = 0; column < layout.columns; ++column) total += cost(column, layer);
  std::vector<Cut> cuts{{0, from}};
  for (int column = 0; column < layout.columns; ++column) {
    for (int layer = from; layer < to; ++layer) {
      const double until = before + cost(column, layer);
      // The tile belongs to the next part if most of it lies beyond the cut.
      while (static_cast<int>(cuts.size()) < parts &&
             (before + until) / 2.0 > total * static_cast<double>(cuts.size()) / parts)
        cuts.push_back({column, layer});
      before = until;
    }
  }
  cuts.resize(static_cast<std::size_t>(parts), {layout.columns, from});
  cuts.push_back({layout.columns, from});
  return cuts;
}

// Jobs between two cuts: blocks of columns, of which the first and the last may have one more column in some layers. A
// block up to a quarter wider than requested is better than one more block: narrow blocks read many rows beside them.
void add_jobs(std::vector<Job>& jobs, const TileOrder& order, Cut begin, Cut end, int from, int to) {
  const int columns = end.column - begin.column;
  const int most = order.columns + order.columns / 4;
  const int blocks = std::max(1, (columns + most - 1) / most);
  for (int b = 0; b < blocks; ++b) {
    const Cut lower = b > 0 ? Cut{begin.column + part_of(columns, b, blocks), from} : begin;
    const Cut upper = b + 1 < blocks ? Cut{begin.column + part_of(columns, b + 1, blocks), from} : end;
    const std::array<int, 4> layers = {from, std::min(lower.layer, upper.layer), std::max(lower.layer, upper.layer),
                                       to};
    for (std::size_t i = 0; i < 3; ++i) {
      const Job job{lower.column + (layers[i] < lower.layer ? 1 : 0), upper.column + (layers[i] < upper.layer ? 1 : 0),
                    layers[i], layers[i + 1]};
      if (job.begin < job.end && job.layer_begin < job.layer_end) jobs.push_back(job);
    }
  }
}

// One step of the layers [from, to): slabs along z, in each of them along_y threads side by side along y.
Phase step_of_layers(const Layout& layout, const TileOrder& order, Division division, const std::vector<double>& costs,
                     int from, int to) {
  double total = 0.0, before = 0.0;
  std::vector<double> until;  // cost of the layers up to each
  for (int layer = from; layer < to; ++layer) {
    for (std::size_t tile = layout.first_tile(layer); tile < layout.first_tile(layer + 1); ++tile) total += costs[tile];
    until.push_back(total);
  }
  Phase phase;
  phase.first.push_back(0);
  int begin = from;
  for (int z = 0; z < division.along_z; ++z) {
    int end = begin;
    const double goal = total * (z + 1) / division.along_z;
    for (; end < to && (before + until[static_cast<std::size_t>(end - from)]) / 2.0 <= goal; ++end)
      before = until[static_cast<std::size_t>(end - from)];
    if (z + 1 == division.along_z) end = to;
    const std::vector<Cut> cuts = cuts_of(layout, costs, division.along_y, begin, end);
    for (std::size_t y = 0; y + 1 < cuts.size(); ++y) {
      if (begin < end) add_jobs(phase.jobs, order, cuts[y], cuts[y + 1], begin, end);
      phase.first.push_back(phase.jobs.size());
    }
    begin = end;
  }
  return phase;
}

}  // namespace

std::string to_string(const TileOrder& order) {
  return fmt::format("{}blocks of {} rows{}{}", order.steps > 1 ? fmt::format("{} steps a sweep, ", order.steps) : "",
                     order.columns * tile_edge, order.width > 0 ? fmt::format(" of {} nodes", order.width) : "",
                     order.whole_rows ? ", whole rows" : "");
}

Division divide(const Layout& layout, int threads, int memory_nodes) {
  Division best{threads, 1};
  double least = 0.0;
  for (int along_z = 1; along_z <= threads; ++along_z) {
    if (threads % along_z != 0 || (memory_nodes > 1 && threads % memory_nodes == 0 && along_z % memory_nodes != 0))
      continue;
    const int along_y = threads / along_z;
    if (along_y > std::max(1, layout.columns)) continue;
    const double columns = static_cast<double>(layout.columns) / along_y;
    const int max_layers = (layout.layers + along_z - 1) / along_z;
    const auto layers = static_cast<double>(max_layers);
    // The tiles of the slowest thread plus what it reads beyond them: from the shared cache along y, from memory along
    // z.
    const double reach = static_cast<double>(layout.radius) / tile_edge;
    const double beyond_y = along_y > 1 ? 2.0 * reach * layers : 0.0;
    const double beyond_z = along_z > 1 ? 2.0 * reach * columns : 0.0;
    const double cost = columns * layers + 0.1 * beyond_y + 0.5 * beyond_z;
    if (least == 0.0 || cost < least) {
      least = cost;
      best = {along_y, along_z};
    }
  }
  return best;
}

Phase single_step(const Layout& layout, const TileOrder& order, Division division, const std::vector<double>& costs) {
  return step_of_layers(layout, order, division, costs, 0, layout.layers);
}

std::vector<Phase> edges_first(const Layout& layout, const TileOrder& order, Division division,
                               const std::vector<double>& costs, int below, int above) {
  const Division across{division.along_y * division.along_z, 1};
  const Phase lower = step_of_layers(layout, order, across, costs, 0, below);
  const Phase upper = step_of_layers(layout, order, across, costs, above, layout.layers);
  Phase edges;
  edges.first.push_back(0);
  for (std::size_t t = 0; t + 1 < upper.first.size(); ++t) {
    for (const Phase* phase : {&lower, &upper}) {
      for (std::size_t j = phase->first[t]; j < phase->first[t + 1]; ++j)
        if (phase->jobs[j].layer_begin < phase->jobs[j].layer_end) edges.jobs.push_back(phase->jobs[j]);
    }
    edges.first.push_back(edges.jobs.size());
  }
  return {std::move(edges), step_of_layers(layout, order, division, costs, below, above)};
}

}  // namespace fdtd::cpu
