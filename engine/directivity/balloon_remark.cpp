#include "engine/directivity/balloon_remark.hpp"

#include <fmt/format.h>

#include <numbers>

#include "base/rounded_text.hpp"

namespace fdtd {
namespace {

constexpr double noted_gap = 45.0;  // degrees from the nearest direction, as of directions 90 degrees apart

}  // namespace

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
        "source {}: spherical harmonics to order {} of {} directions at {:.3g} m (gaps of {} degrees) leave out of "
        "the directivity's energy {}; {}",
        source.name, balloon.order, balloon.directions, balloon.distance, rounded_text(balloon.widest_gap, 2), octaves,
        band.to > 0.0 ? fmt::format("within 1 % from {} to {} Hz", rounded_text(band.from, 3), rounded_text(band.to, 3))
                      : "more than 1 % of every octave"));
    if (balloon.widest_gap > noted_gap)
      remarks.back() += fmt::format(
          "; directions are missing, up to {:.0f} degrees from the nearest one: there the harmonics alone decide, and "
          "a "
          "file with more directions holds a higher order",
          balloon.widest_gap);
  }
  return remarks;
}

}  // namespace fdtd
