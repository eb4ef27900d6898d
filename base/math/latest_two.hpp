// The latest two values of a function of x. Least squares asks for each x several times: for the cost of a step, for the
// slopes where the step is taken, and for the measure of the fit.
#pragma once

#include <Eigen/Dense>

#include <array>
#include <cstddef>
#include <optional>

namespace fdtd {

template <class Value>
class LatestTwo {
 public:
  // `make(value)` fills a value that is not known; it may hold that of another x.
  template <class Make>
  const Value& of(const Eigen::VectorXd& x, const Make& make) {
    for (const Known& one : known_)
      if (one.x && one.x->size() == x.size() && *one.x == x) return one.value;
    oldest_ = 1 - oldest_;
    Known& made = known_[oldest_];
    made.x.reset();  // none, if `make` throws
    make(made.value);
    made.x = x;
    return made.value;
  }

 private:
  struct Known {
    std::optional<Eigen::VectorXd> x;
    Value value{};
  };
  std::array<Known, 2> known_;
  std::size_t oldest_ = 0;
};

}  // namespace fdtd
