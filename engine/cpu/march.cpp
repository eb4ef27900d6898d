#include "engine/cpu/march.hpp"

#include <fmt/format.h>

namespace fdtd::cpu {
namespace {

int part_of(int count, int part, int parts) {
  return static_cast<int>(static_cast<std::int64_t>(count) * part / parts);
}

// One step of the layers [from, to): every thread has a rectangle of tiles, in blocks of columns.
Phase step_of_layers(const Layout& layout, const March& march, Division division, int from, int to) {
  Phase phase;
  phase.first.push_back(0);
  for (int z = 0; z < division.along_z; ++z) {
    for (int y = 0; y < division.along_y; ++y) {
      const int begin = part_of(layout.columns, y, division.along_y),
                end = part_of(layout.columns, y + 1, division.along_y);
      const int blocks = (end - begin + march.columns - 1) / march.columns;
      for (int b = 0; b < blocks; ++b) {
        phase.jobs.push_back({begin + part_of(end - begin, b, blocks), begin + part_of(end - begin, b + 1, blocks),
                              from + part_of(to - from, z, division.along_z),
                              from + part_of(to - from, z + 1, division.along_z)});
      }
      phase.first.push_back(phase.jobs.size());
    }
  }
  return phase;
}

}  // namespace

std::string to_string(const March& march) {
  return fmt::format("{}blocks of {} rows{}", march.steps > 1 ? fmt::format("{} steps a sweep, ", march.steps) : "",
                     march.columns * tile_edge, march.width > 0 ? fmt::format(" of {} nodes", march.width) : "");
}

Division divide(const Layout& layout, int threads, int memory_nodes) {
  Division best{threads, 1};
  double least = 0.0;
  for (int along_z = 1; along_z <= threads; ++along_z) {
    if (threads % along_z != 0 || (memory_nodes > 1 && threads % memory_nodes == 0 && along_z % memory_nodes != 0))
      continue;
    const int along_y = threads / along_z;
    const auto largest = [](int count, int parts) { return (count + parts - 1) / parts; };
    const double columns = largest(layout.columns, along_y), layers = largest(layout.layers, along_z);
    // The slowest thread's tiles, and what it reads beyond them: from the shared cache along y, from memory along z.
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

Phase single_step(const Layout& layout, const March& march, Division division) {
  return step_of_layers(layout, march, division, 0, layout.layers);
}

std::vector<Phase> edges_first(const Layout& layout, const March& march, Division division, int below, int above) {
  const Division across{division.along_y * division.along_z, 1};
  const Phase lower = step_of_layers(layout, march, across, 0, below);
  const Phase upper = step_of_layers(layout, march, across, above, layout.layers);
  Phase edges;
  edges.first.push_back(0);
  for (std::size_t t = 0; t + 1 < upper.first.size(); ++t) {
    for (const Phase* phase : {&lower, &upper}) {
      for (std::size_t j = phase->first[t]; j < phase->first[t + 1]; ++j)
        if (phase->jobs[j].layer_begin < phase->jobs[j].layer_end) edges.jobs.push_back(phase->jobs[j]);
    }
    edges.first.push_back(edges.jobs.size());
  }
  return {std::move(edges), step_of_layers(layout, march, division, below, above)};
}

}  // namespace fdtd::cpu
