#include "engine/above/late_sound.hpp"

#include "base/math/spherical_harmonics.hpp"
#include "engine/plan/field_operator.hpp"

namespace fdtd {

LateSettings late_settings(const AboveRecord& record, const LateRecord& late) {
  LateSettings settings;
  settings.volume = record.volume;
  settings.sound_speed = record.sound_speed;
  settings.start = late.start;
  settings.seed = record.seed;
  settings.source = late.source;
  settings.receiver = late.receiver;
  return settings;
}

namespace {

constexpr int highest_order = 9;
constexpr std::size_t third_order = 16;  // channels

// All of the last direction: the channels of a receiver ask for one after the other.
const std::vector<double>& harmonics_towards(const std::array<double, 3>& direction) {
  static const SphericalHarmonics harmonics(highest_order, HarmonicNorm::sn3d);
  thread_local std::array<double, 3> known{};
  thread_local std::vector<double> values(harmonics.count());
  if (known != direction) {
    harmonics(direction, values);
    known = direction;
  }
  return values;
}

// Made once: patterns are asked for each image of a box.
const FieldOperator& known_harmonic(std::size_t acn) {
  static const std::vector<FieldOperator> all = [] {
    std::vector<FieldOperator> made;
    for (int i = 0; i < static_cast<int>(third_order); ++i) made.push_back(solid_harmonic(i));
    return made;
  }();
  return all.at(acn);
}

}  // namespace

double pattern_value(const std::vector<double>& factors, const std::array<double, 3>& direction) {
  if (factors.empty()) return 1.0;
  double sum = 0.0;
  if (factors.size() > third_order) {
    const std::vector<double>& harmonics = harmonics_towards(direction);
    for (std::size_t acn = 0; acn < factors.size(); ++acn) sum += factors[acn] * harmonics.at(acn);
    return sum;
  }
  for (std::size_t acn = 0; acn < factors.size(); ++acn)
    if (factors[acn] != 0.0) sum += factors[acn] * value(known_harmonic(acn), direction);
  return sum;
}

}  // namespace fdtd
