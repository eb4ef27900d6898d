#include "engine/plan/joint_pass.hpp"

namespace fdtd {

void undo_signals(const JointPass& pass, std::span<double> record, std::int64_t last) {
  JointFilter filter(pass);
  for (double& sample : record.first(static_cast<std::size_t>(last + 1))) sample = filter(sample);
}

}  // namespace fdtd
