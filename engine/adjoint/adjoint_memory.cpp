#include "engine/adjoint/adjoint_memory.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <vector>

#include "base/error.hpp"
#include "engine/adjoint/recomputation.hpp"
#include "engine/adjoint/site_filters.hpp"
#include "engine/system/machine.hpp"

namespace fdtd {
namespace {

constexpr int most_checkpoints = 64;
constexpr int most_segments = 1024;

// The memory of a gradient of the plan, in bytes, and of its parts.
struct Needs {
  Precision precision = Precision::f32;
  std::int64_t places = 0, states = 0;  // of a row, of the filters
  std::int64_t steps = 0, block = 0, passes = 0;
  std::int64_t always = 0;      // records and their slopes, blocks
  std::int64_t checkpoint = 0;  // the state of a run
};

Needs needs_of(const Plan& plan, double share) {
  const Boundary& boundary = plan.boundary;
  const auto of_rank = [share](auto all) {
    return static_cast<std::int64_t>(std::ceil(share * static_cast<double>(all)));
  };
  FilterSizes filters = filter_sizes(boundary, plan.precision);
  filters = {of_rank(filters.states), of_rank(filters.answers), of_rank(filters.sums)};
  constexpr auto full = static_cast<std::int64_t>(sizeof(double)), single = static_cast<std::int64_t>(sizeof(float));
  const std::int64_t value = plan.precision == Precision::f32 ? single : full;
  Needs needs;
  needs.precision = plan.precision;
  needs.places = of_rank(boundary.nodes.size());
  needs.states = filters.states;
  needs.steps = plan.steps;
  needs.passes = static_cast<std::int64_t>(pass_count(plan));
  const auto receivers = static_cast<std::int64_t>(plan.receivers.size()),
             sources = static_cast<std::int64_t>(plan.sources.size());
  constexpr std::int64_t most_block = 64, least_block = 16, block_bytes = std::int64_t{1} << 28U;
  needs.block = std::min(plan.steps, std::clamp(block_bytes / (value * (needs.places + 1)), least_block, most_block));
  constexpr std::int64_t index_bytes = 32;  // of a place: its node, chunk and copy
  const std::int64_t moment = value * (filters.states + 2 * needs.places);
  needs.always = full * (2 * needs.passes * receivers * (plan.steps + 1) + sources * plan.steps +
                         (receivers + 2 * sources) * needs.block + filters.sums) +
                 value * ((needs.block + 2) * needs.places + filters.answers + 2 * needs.places) + moment +
                 index_bytes * needs.places;
  needs.checkpoint = value * 2 * (plan.grid.nodes() + static_cast<std::int64_t>(boundary.branch_begin.back())) + moment;
  return needs;
}

std::int64_t history_of(const Needs& needs, HistoryFormat format, std::int64_t steps) {
  const auto of = [&](std::int64_t some) {
    return some > 0 ? history_bytes(format, needs.precision, needs.places, needs.states, some) : 0;
  };
  return steps / needs.block * of(needs.block) + of(steps % needs.block);
}

// All histories at once, or of one pass at a time; nothing where that does not fit.
std::optional<AdjointMemory> whole_histories(const Needs& needs, HistoryFormat format, bool all_passes,
                                             std::int64_t limit) {
  const std::int64_t histories = (all_passes ? needs.passes : 1) * history_of(needs, format, needs.steps);
  const std::int64_t bytes = needs.always + histories;
  if (bytes > limit) return std::nullopt;
  return AdjointMemory{format, needs.block, needs.steps, 1, 0, all_passes, all_passes ? 2.0 : 3.0, bytes, histories, 0};
}

std::int64_t blocks_of(const Needs& needs) { return (needs.steps + needs.block - 1) / needs.block; }

// Blocks of the shortest segments.
std::int64_t shortest_of(const Needs& needs) { return (blocks_of(needs) + most_segments - 1) / most_segments; }

// The state of the second run waits while segments are computed again.
std::int64_t held_of(const Needs& needs, HistoryFormat format, std::int64_t length) {
  return needs.always + history_of(needs, format, length * needs.block) + needs.checkpoint;
}

AdjointMemory from_checkpoints(const Needs& needs, HistoryFormat format, std::int64_t limit) {
  const std::int64_t blocks = blocks_of(needs);
  const double swept = needs.passes > 1 ? 2.0 : 1.0;  // where several passes are swept for their records first
  const auto segments_of = [&](std::int64_t length) { return static_cast<int>((blocks + length - 1) / length); };
  const std::int64_t shortest = shortest_of(needs);
  const Recomputation table(segments_of(shortest), most_checkpoints);
  std::optional<AdjointMemory> best;
  for (std::int64_t length = shortest; length <= blocks; length += std::max<std::int64_t>(1, length / 8)) {
    const int segments = segments_of(length);
    if (segments < 2) break;
    const std::int64_t held = held_of(needs, format, length);
    if (held > limit) break;
    const auto checkpoints =
        static_cast<int>(std::min<std::int64_t>({(limit - held) / needs.checkpoint, segments - 1, most_checkpoints}));
    // The last segment, which may be shorter, is computed once.
    const std::int64_t steps = length * needs.block, others = table.cost(segments, checkpoints) - 1;
    const double runs = swept + static_cast<double>(others * steps + needs.steps - (segments - 1) * steps) /
                                    static_cast<double>(needs.steps);
    if (best && runs >= best->runs) continue;
    best = AdjointMemory{.format = format,
                         .block = needs.block,
                         .segment_steps = steps,
                         .segments = segments,
                         .checkpoints = checkpoints,
                         .all_passes = false,
                         .runs = runs,
                         .bytes = held + checkpoints * needs.checkpoint,
                         .histories = history_of(needs, format, steps),
                         .states = (checkpoints + 1) * needs.checkpoint};
  }
  if (best) return *best;
  const std::int64_t least = held_of(needs, format, shortest);
  throw Error(
      Status::resource,
      fmt::format("the gradient needs {} at least beside the field, and may take {}",
                  human_bytes(static_cast<double>(least)), human_bytes(static_cast<double>(limit))),
      "allow it more memory (memory=, --gradient-memory), or shorten the run or its band: walls have fewer nodes "
      "on a coarser grid");
}

HistoryFormat coarsest(Precision precision) {
  return precision == Precision::f64 ? HistoryFormat::f32 : HistoryFormat::i16;
}

}  // namespace

AdjointMemory adjoint_memory(const Plan& plan, std::int64_t limit, std::optional<HistoryFormat> format, double share) {
  const Needs needs = needs_of(plan, share);
  std::vector<HistoryFormat> formats;
  if (format) {
    formats = {*format};
  } else {
    formats = {plan.precision == Precision::f64 ? HistoryFormat::f64 : HistoryFormat::f32, coarsest(plan.precision)};
  }
  for (const HistoryFormat one : formats)
    if (const auto memory = whole_histories(needs, one, true, limit)) return *memory;
  for (const HistoryFormat one : formats)
    if (const auto memory = whole_histories(needs, one, false, limit)) return *memory;
  return from_checkpoints(needs, formats.back(), limit);
}

}  // namespace fdtd
