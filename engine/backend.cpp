#include "engine/backend.hpp"

namespace fdtd {

Energy sum_of(const std::vector<Energy>& layers) {
  Energy sum;
  for (const Energy& layer : layers) {
    sum.stored += layer.stored;
    sum.injected += layer.injected;
    sum.dissipated += layer.dissipated;
  }
  return sum;
}

}  // namespace fdtd
