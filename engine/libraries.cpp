#include "engine/libraries.hpp"

#include <Eigen/Core>
#include <fmt/core.h>
#include <nlohmann/json.hpp>
#include <soxr.h>

#include "engine/audio_file.hpp"
#include "engine/h5.hpp"

namespace fdtd {

std::vector<std::pair<std::string, std::string>> library_versions() {
  std::string soxr = soxr_version();  // "libsoxr-0.1.3"
  soxr.erase(0, soxr.find_first_of("0123456789"));
  return {{"HDF5", h5_library_version()},
          {"libsndfile", audio_library_version()},
          {"soxr", soxr},
          {"Eigen", fmt::format("{}.{}.{}", EIGEN_WORLD_VERSION, EIGEN_MAJOR_VERSION, EIGEN_MINOR_VERSION)},
          {"fmt", fmt::format("{}.{}.{}", FMT_VERSION / 10000, FMT_VERSION / 100 % 100, FMT_VERSION % 100)},
          {"nlohmann", fmt::format("{}.{}.{}", NLOHMANN_JSON_VERSION_MAJOR, NLOHMANN_JSON_VERSION_MINOR, NLOHMANN_JSON_VERSION_PATCH)}};
}

}  // namespace fdtd
