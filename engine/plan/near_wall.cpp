#include "engine/plan/near_wall.hpp"

#include <cmath>
#include <limits>

namespace fdtd {
namespace {

template <class T>
std::int64_t bytes_of(const std::vector<T>& values) {
  return static_cast<std::int64_t>(values.size() * sizeof(T));
}

}  // namespace

std::int64_t NearWall::bytes() const {
  return bytes_of(entries) + bytes_of(pattern_begin) + bytes_of(segments) + bytes_of(masses);
}

NearWall rounded_to_float(const NearWall& walls) {
  const auto rounded = [](double weight) { return static_cast<double>(static_cast<float>(weight)); };
  NearWall out = walls;
  out.entries.clear();
  out.pattern_begin.assign(1, 0);
  for (std::size_t p = 0; p + 1 < walls.pattern_begin.size(); ++p) {
    RowEntry own;         // the weight at the node itself
    double excess = 0.0;  // rounded sum minus exact sum
    for (std::uint64_t e = walls.pattern_begin[p]; e < walls.pattern_begin[p + 1]; ++e) {
      RowEntry entry = walls.entries[e];
      if (entry.offset == own.offset) {
        own.weight += entry.weight;
        continue;
      }
      entry.weight = rounded(entry.weight);
      excess += entry.weight - walls.entries[e].weight;
      if (entry.weight != 0.0) out.entries.push_back(entry);
    }
    const double wanted = own.weight - excess;
    float weight = static_cast<float>(wanted);
    // Rounding of the sums in double is no excess: the stencil's own weights have as much.
    if (static_cast<double>(weight) > wanted + 1e-15)
      weight = std::nextafter(weight, -std::numeric_limits<float>::infinity());
    own.weight = weight;
    if (own.weight != 0.0) out.entries.push_back(own);
    out.pattern_begin.push_back(out.entries.size());
  }
  return out;
}

}  // namespace fdtd
