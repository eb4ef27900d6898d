#include "engine/cuda/tuning/tune_cache.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <vector>

namespace fdtd::cuda {
namespace {

// FNV-1a over the distinct points, in an order of their own: the same for every order of terms.
std::uint64_t shape_hash(const GridStencil& stencil) {
  std::vector<std::array<int, 3>> points;
  for (const Term& term : stencil.terms) points.push_back(term.offset);
  std::sort(points.begin(), points.end());
  std::uint64_t hash = 14695981039346656037U;
  for (const auto& point : points)
    for (const int q : point) hash = (hash ^ static_cast<std::uint64_t>(q)) * 1099511628211U;
  return hash;
}

std::array<int*, 7> parts_of(Tile& tile) {
  return {&tile.x, &tile.y, &tile.z, &tile.threads, &tile.depth, &tile.blocks, &tile.max_lead};
}

}  // namespace

std::string tune_key(const Job& job, const Device& device, const std::string& kernel) {
  const char* const walls = job.ends           ? ", ends updated"
                            : job.mirror.sides ? ", mirrored"
                            : job.solids       ? ", solids"
                                               : "";
  return TuneKey{fmt::format("{} x {}; driver {}", device.name, device.multiprocessors, device.driver_version),
                 kernel,
                 fmt::format("{} points {:016x}", job.stencil.point_count(), shape_hash(job.stencil)),
                 to_string(job.precision),
                 job.layout.size,
                 fmt::format("{} pieces{}", job.pieces, walls)}
      .text();
}

std::optional<TunedTile> TuneCache::find(const std::string& key) const {
  const TunedChoice* const known = file_.find(key);
  TunedTile tuned;
  const std::array parts = parts_of(tuned.tile);
  if (known == nullptr || known->numbers.size() != parts.size() || known->ctpn_ns <= 0.0) return std::nullopt;
  for (std::size_t i = 0; i < parts.size(); ++i) *parts[i] = known->numbers[i];
  tuned.ctpn_ns = known->ctpn_ns;
  return tuned;
}

void TuneCache::keep(const std::string& key, const TunedTile& tuned) {
  TunedChoice choice;
  choice.ctpn_ns = tuned.ctpn_ns;
  Tile tile = tuned.tile;
  for (const int* const part : parts_of(tile)) choice.numbers.push_back(*part);
  file_.keep(key, choice);
}

}  // namespace fdtd::cuda
