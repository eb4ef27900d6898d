#include "engine/above/blocked_pairs.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>

#include "base/parallel_failure.hpp"
#include "engine/facets/off_facets.hpp"

namespace fdtd {

ShadowedReceivers shadowed_receivers(const EdgePaths& edges, const Point& source, std::span<const Point> receivers) {
  ShadowedReceivers result(receivers.size());
  const auto count = static_cast<std::int64_t>(receivers.size());
  ParallelFailure failure;
#pragma omp parallel for schedule(dynamic)
  for (std::int64_t i = 0; i < count; ++i)
    failure.guard([&] {
      const auto r = static_cast<std::size_t>(i);
      result[r].blocked = edges.blocked(source, receivers[r]);
      if (result[r].blocked) result[r].paths = edges(source, receivers[r]);
    });
  failure.rethrow();
  return result;
}

void BlockedPairs::add(std::uint32_t source, const ShadowedReceivers& receivers) {
  pairs += static_cast<std::int64_t>(receivers.size());
  for (std::size_t r = 0; r < receivers.size(); ++r) {
    if (!receivers[r].blocked) continue;
    ++blocked;
    if (receivers[r].paths.empty()) silent.emplace_back(source, static_cast<std::uint32_t>(r));
  }
}

std::optional<BlockedPairs> blocked_pairs(const Scene& scene, const FacetRoom& room) {
  if (!scene.room.mesh) return std::nullopt;
  const EdgePaths edges(room);
  std::vector<Point> receivers;
  for (const ReceiverSpec& one : scene.receivers) receivers.push_back(off_facets(room, one.position));
  BlockedPairs pairs;
  for (std::uint32_t s = 0; s < scene.sources.size(); ++s)
    pairs.add(s, shadowed_receivers(edges, off_facets(room, scene.sources[s].position), receivers));
  return pairs;
}

std::string blocked_text(const BlockedPairs& pairs, const Scene& scene) {
  if (pairs.blocked == 0) return "";
  std::string text =
      fmt::format("direct sound is blocked for {} of {} pair{}; {} bend{} around one edge", pairs.blocked, pairs.pairs,
                  pairs.pairs == 1 ? "" : "s", pairs.bent(), pairs.bent() == 1 ? "s" : "");
  if (pairs.silent.empty()) return text;
  constexpr std::size_t most_named = 4;
  std::vector<std::string> names;
  for (const auto& [source, receiver] : pairs.silent) {
    if (names.size() == most_named) break;
    names.push_back(fmt::format("{} to {}", scene.sources[source].name, scene.receivers[receiver].name));
  }
  const std::size_t more = pairs.silent.size() - names.size();
  return text +
         fmt::format(", none for {}{}", fmt::join(names, ", "), more > 0 ? fmt::format(" and {} more", more) : "");
}

}  // namespace fdtd
