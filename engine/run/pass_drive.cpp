#include "engine/run/pass_drive.hpp"

#include <algorithm>
#include <vector>

namespace fdtd {
namespace {

// f[0] is that of step `first`.
void put_signal(const std::vector<double>& signal, std::int64_t first, std::int64_t steps, double* f) {
  const auto length = static_cast<std::int64_t>(signal.size());
  if (first >= length) return;
  std::copy_n(signal.begin() + first, std::min(steps, length - first), f);
}

}  // namespace

Drive drive_of_block(const Plan& plan, std::size_t source, std::int64_t first, std::int64_t steps) {
  Drive drive;
  drive.steps = steps;
  drive.f.assign(plan.sources.size() * static_cast<std::size_t>(steps), 0.0);
  double* f = drive.f.data() + source * static_cast<std::size_t>(steps);
  if (const JointPass* const joint = joint_pass_of(plan, source)) {
    for (const auto& signal : joint->signals) {
      put_signal(signal, first, steps, f);
      f += steps;
    }
    return drive;
  }
  if (first == 0) f[0] = 1.0;
  if (first <= 1 && first + steps > 1) f[1 - first] = -1.0;
  return drive;
}

}  // namespace fdtd
