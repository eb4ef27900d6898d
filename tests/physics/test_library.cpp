// Materials of the library on the grids of every kind of stencil: a part of bench/library.cpp, and its stored results.
#include <algorithm>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <set>
#include <string>

#include "bench/library_study.hpp"
#include "scenes/toml/material_library.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/places.hpp"

using namespace fdtd;

TEST_CASE("plans take the library's materials on every kind of stencil, up to max_frequency and within the bounds",
          "[physics]") {
  // Materials and frequencies in turns, so that every stencil has two of each kind.
  const std::vector<LibraryMaterial>& library = material_library();
  std::size_t turn = 0;
  for (const std::string& stencil : bench::surveyed_stencils)
    for (int i = 0; i < 2; ++i, ++turn) {
      const std::string& material = library[11 * turn % library.size()].name;
      const double frequency = bench::surveyed_frequencies[turn % bench::surveyed_frequencies.size()];
      const bench::SurveyedPlan plan = bench::survey(material, stencil, frequency);
      CAPTURE(stencil, material, frequency, plan.error);
      REQUIRE(plan.error.empty());
      CHECK(plan.valid_bandwidth >= frequency * (1.0 - 1e-9));
      REQUIRE_FALSE(plan.bands.empty());
      for (const bench::SurveyedBand& band : plan.bands) {
        CAPTURE(band.centre, band.asked, band.fitted, band.on_grid);
        CHECK(bench::over_tolerance(band.fitted, band.asked) <= 1.0);
        CHECK(bench::over_tolerance(band.on_grid, band.asked) <= 1.0);
      }
    }
}

TEST_CASE(
    "the stored survey of the library has all materials, stencils and frequencies, within the bounds but for a few",
    "[physics]") {
  std::ifstream file(std::filesystem::path(FDTD_SOURCE_DIR) / "bench/results/library.json");
  const nlohmann::json rows = nlohmann::json::parse(file).at("rows");
  std::set<std::pair<std::string, double>> found;
  int off = 0;
  for (const nlohmann::json& row : rows) {
    CAPTURE(row.dump());
    found.emplace(row["stencil"], row["max_frequency"]);
    CHECK(row["plans"] == material_library().size());
    CHECK(row["refused"].empty());
    CHECK(row["short"].empty());
    CHECK(row["fitted"]["off"] == 0);
    // Four bands of radial sets are 5.3 to 5.6 % off on the grid, which their plans note.
    CHECK(row["on_grid"]["over"] <= 1.12);
    off += row["on_grid"]["off"].get<int>();
  }
  CHECK(off <= 4);
  CHECK(found.size() == bench::surveyed_stencils.size() * bench::surveyed_frequencies.size());
}
