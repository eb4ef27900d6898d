#include "engine/directivity/balloon_remark.hpp"

#include <fmt/format.h>

#include <numbers>

namespace fdtd {

HeldBand held_band(const Balloon& balloon) {
  HeldBand band;
  for (const Balloon::Octave& one : balloon.octaves) {
    const bool holds = one.left_out <= held_left_out;
    if (!holds && band.to > 0.0) break;
    if (!holds) continue;
    if (!(band.to > 0.0)) band.from = one.centre / std::numbers::sqrt2;
    band.to = one.centre * std::numbers::sqrt2;
  }
  return band;
}

std::vector<std::string> balloon_remarks(const std::vector<SourceSpec>& sources, double bandwidth) {
  std::vector<std::string> remarks;
  for (const SourceSpec& source : sources) {
    if (!source.directivity.balloon) continue;
    const Balloon& balloon = *source.directivity.balloon;
    std::string octaves;
    for (const Balloon::Octave& one : balloon.octaves)
      if (octaves.empty() || one.centre / std::numbers::sqrt2 < bandwidth)
        octaves += fmt::format("{}{:.2g} % at {:g} Hz", octaves.empty() ? "" : ", ", 100.0 * one.left_out, one.centre);
    const HeldBand band = held_band(balloon);
    remarks.push_back(fmt::format(
        "source {}: spherical harmonics to order {} of {} directions at {:.3g} m (gaps of {:.2g} degrees) leave out of "
        "the directivity's energy {}; {}",
        source.name, balloon.order, balloon.directions, balloon.distance, balloon.widest_gap, octaves,
        band.to > 0.0 ? fmt::format("within 1 % from {:.3g} to {:.3g} Hz", band.from, band.to)
                      : "more than 1 % of every octave"));
  }
  return remarks;
}

}  // namespace fdtd
