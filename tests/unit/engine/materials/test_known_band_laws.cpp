// The table of the library's laws is what the search finds.
#include "engine/materials/known_band_laws.hpp"

#include <algorithm>
#include <cmath>
#include <complex>
#include <set>
#include <string>
#include <vector>

#include "engine/materials/absorption.hpp"
#include "engine/materials/band_law.hpp"
#include "scenes/toml/material_library.hpp"
#include "tests/support/catch.hpp"

using namespace fdtd;

TEST_CASE("the table of laws has those of the library's materials, as the search finds them") {
  std::set<std::string> seen;
  for (const LibraryMaterial& material : material_library()) {
    INFO(material.name << ": run bench_known_band_laws and bench/materials/band_law_table.py");
    const std::vector<double> centres(material.bands.begin(),
                                      material.bands.begin() + static_cast<std::ptrdiff_t>(material.alpha.size()));
    std::vector<double> bands = centres;
    bands.insert(bands.end(), material.alpha.begin(), material.alpha.end());
    const auto known = known_band_law(bands);
    REQUIRE(known);
    CHECK(fit_band_law(centres, material.alpha) == *known);
    // Another compiler or library may round otherwise on the way: the law is the same, not its digits.
    const std::vector<Branch> found = search_band_law(centres, material.alpha);
    for (double f = centres.front(); f <= centres.back(); f *= 1.5) {
      const std::complex<double> y = admittance(found, f);
      CHECK(std::abs(admittance(*known, f) - y) < 0.01 * std::abs(y));
    }
    bands.back() += 1e-6;
    CHECK_FALSE(known_band_law(bands));
    seen.insert(material.name);
  }
  for (const KnownBandLaw& law : known_band_laws())
    CHECK(seen.contains(std::string(law.materials.substr(0, law.materials.find(' ')))));
}
