#include "engine/planning/judge/memory_of_ranks.hpp"

#include <algorithm>
#include <optional>

#include "base/error.hpp"
#include "engine/system/ranks.hpp"

namespace fdtd {

PlanePartition shared_planes(const Target& target) {
  Ranks* const all = target.planners;
  if (all == nullptr || target.ranks < 2 || target.rank < 0) return {};
  return {target.rank, target.ranks, [all](std::span<const std::byte> mine) { return gather_all(*all, mine); }};
}

void require_together(const Target& target, const std::function<void()>& require) {
  if (shared_planes(target).whole()) return require();
  std::optional<Error> refused;
  try {
    require();
  } catch (const Error& error) {
    refused = error;
  }
  if (!any_of(*target.planners, refused.has_value())) return;
  throw refused ? *refused
                : Error(Status::resource, "another rank has too little memory", "see what `fdtd plan` reports of it");
}

MemoryEstimate require_fields(const Scene& scene, const GridChoice& choice, const Target& target) {
  const double value = scene.simulation.precision == Precision::f32 ? 4.0 : 8.0;
  const double fields = 2.0 * static_cast<double>(choice.grid.nodes()) * value;
  MemoryEstimate memory;
  memory.state = static_cast<std::int64_t>(std::min(fields, 9e18));
  if (target.ranks == 1)
    require_memory(memory, target, choice);
  else
    require_together(target, [&] { require_field_parts(memory, target, choice); });
  return memory;
}

}  // namespace fdtd
