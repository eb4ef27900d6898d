// Pairs of a source and a receiver without line of sight, and the sound that edges bend to the receiver.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "engine/facets/facets.hpp"
#include "engine/images/edge_paths.hpp"
#include "scenes/scene.hpp"

namespace fdtd {

struct ShadowedReceiver {
  bool blocked = false;  // from the source
  std::vector<SpecularPath> paths;
};
using ShadowedReceivers = std::vector<ShadowedReceiver>;

// Of each receiver; the same for any number of threads.
ShadowedReceivers shadowed_receivers(const EdgePaths& edges, const Point& source, std::span<const Point> receivers);

struct BlockedPairs {
  std::int64_t pairs = 0, blocked = 0;
  std::vector<std::pair<std::uint32_t, std::uint32_t>> silent;  // sources and receivers of the scene without any path

  void add(std::uint32_t source, const ShadowedReceivers& receivers);
  std::int64_t bent() const { return blocked - static_cast<std::int64_t>(silent.size()); }
};

// Of a scene's mesh, whose facets are `room`; nothing without one.
std::optional<BlockedPairs> blocked_pairs(const Scene& scene, const FacetRoom& room);

// "direct sound is blocked for 3 of 8 pairs: ..."; empty where none is.
std::string blocked_text(const BlockedPairs& pairs, const Scene& scene);

}  // namespace fdtd
