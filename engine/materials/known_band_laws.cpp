#include "engine/materials/known_band_laws.hpp"

#include <algorithm>

#include "base/known_values.hpp"

namespace fdtd {

std::optional<std::vector<Branch>> known_band_law(std::span<const double> bands) {
  const std::uint64_t fingerprint = hash_of_numbers(bands);
  const auto laws = known_band_laws();
  const auto found = std::ranges::lower_bound(laws, fingerprint, {}, &KnownBandLaw::fingerprint);
  if (found == laws.end() || found->fingerprint != fingerprint) return std::nullopt;
  std::vector<Branch> branches;
  for (const KnownBranch& one : known_branches().subspan(found->first, found->count))
    branches.push_back({one.D, one.E, one.F});
  return branches;
}

}  // namespace fdtd
