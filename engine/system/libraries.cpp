#include "engine/system/libraries.hpp"

#include <fmt/format.h>
#include <Eigen/Core>

namespace fdtd {

std::vector<std::pair<std::string, std::string>> library_versions() {
  return {{"Eigen", fmt::format("{}.{}.{}", EIGEN_WORLD_VERSION, EIGEN_MAJOR_VERSION, EIGEN_MINOR_VERSION)},
          {"fmt", fmt::format("{}.{}.{}", FMT_VERSION / 10000, FMT_VERSION / 100 % 100, FMT_VERSION % 100)}};
}

}  // namespace fdtd
