#include "engine/responses/crossover/band_origin.hpp"

#include <numbers>

namespace fdtd {

const char* name_of(BandOrigin origin) {
  switch (origin) {
    case BandOrigin::wave:
      return "wave";
    case BandOrigin::both:
      return "both";
    case BandOrigin::geometry:
      return "geometry";
    case BandOrigin::unknown:
      break;
  }
  return "";
}

BandOrigin origin_of(double centre, const BandParts& parts) {
  constexpr double rounding = 1.01;  // of bandwidths
  if (!parts.known) return BandOrigin::unknown;
  if (!(parts.geometry_from > 0.0)) return BandOrigin::wave;
  if (!(centre > 0.0)) return BandOrigin::both;
  if (centre * std::numbers::sqrt2 <= parts.waves_to * rounding) return BandOrigin::wave;
  if (centre / std::numbers::sqrt2 * rounding >= parts.geometry_from) return BandOrigin::geometry;
  return BandOrigin::both;
}

BandOrigin joint(BandOrigin a, BandOrigin b) {
  if (a == b || b == BandOrigin::unknown) return a;
  return a == BandOrigin::unknown ? b : BandOrigin::both;
}

}  // namespace fdtd
