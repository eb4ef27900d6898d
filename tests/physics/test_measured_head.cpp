// Plane waves from every measured direction of KEMAR, heard by the filters that are made of its responses.
#include <algorithm>
#include <array>
#include <cmath>
#include <filesystem>
#include <numeric>
#include <vector>

#include "tests/support/catch.hpp"
#include "tests/support/sofa_files.hpp"
#include "tests/support/solutions/plane_wave_ears.hpp"

using namespace fdtd;
using namespace fdtd::test;

TEST_CASE(
    "KEMAR hears plane waves from its directions with the levels and times that docs/how-to/directivity.md states",
    "[physics]") {
  const std::filesystem::path file = sofa_file("mit_kemar_normal_pinna.sofa");
  if (file.empty()) {
    WARN("skipped: no mit_kemar_normal_pinna.sofa");
    return;
  }
  const HeadResponses head = read_head(file);
  REQUIRE(head.directions.size() == 710);
  constexpr std::array centres = {250.0, 1000.0, 2000.0, 4000.0, 8000.0, 16000.0},
                       stated = {0.1, 0.3, 0.9, 0.8, 1.6, 1.3};
  EarErrors errors = errors_in_plane_waves(head, 5, centres);
  std::ranges::sort(errors.time);
  CHECK(errors.time[static_cast<std::size_t>(0.95 * static_cast<double>(errors.time.size() - 1))] < 16.5);
  for (std::size_t o = 0; o < centres.size(); ++o) {
    const std::vector<double>& level = errors.level[o];
    const double squares = std::inner_product(level.begin(), level.end(), level.begin(), 0.0);
    CAPTURE(centres[o]);
    CHECK(std::sqrt(squares / static_cast<double>(level.size())) < stated[o] + 0.05);
  }
}
