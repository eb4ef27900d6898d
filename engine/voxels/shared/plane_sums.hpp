// Sums over a room that do not depend on which process has which of its planes: plane by plane, then over these in order.
#pragma once

#include <cstddef>
#include <vector>

#include "engine/voxels/shared/plane_lists.hpp"

namespace fdtd {

class PlaneSums {
 public:
  // `count` sums, all 0, over the planes [begin, end) of this process.
  PlaneSums(int begin, int end, std::size_t count)
      : begin_(begin), count_(count), sums_(count * static_cast<std::size_t>(end > begin ? end - begin : 0), 0.0) {}

  double& at(int plane, std::size_t number) {
    return sums_[static_cast<std::size_t>(plane - begin_) * count_ + number];
  }

  // Over all planes of all processes, which make this call together.
  std::vector<double> total(const PlanePartition& partition) const {
    std::vector<double> all(count_, 0.0);
    const std::vector<double> planes = gathered(sums_, partition);
    for (std::size_t i = 0; i < planes.size(); ++i) all[i % count_] += planes[i];
    return all;
  }

 private:
  int begin_;
  std::size_t count_;
  std::vector<double> sums_;
};

}  // namespace fdtd
