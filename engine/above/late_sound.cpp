#include "engine/above/late_sound.hpp"

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

double pattern_value(const std::vector<double>& factors, const std::array<double, 3>& direction) {
  if (factors.empty()) return 1.0;
  double sum = 0.0;
  for (std::size_t acn = 0; acn < factors.size(); ++acn)
    if (factors[acn] != 0.0) sum += factors[acn] * value(solid_harmonic(static_cast<int>(acn)), direction);
  return sum;
}

}  // namespace fdtd
