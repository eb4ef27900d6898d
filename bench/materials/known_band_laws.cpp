// The laws of the library's materials, by search. Prints one JSON document, of which bench/materials/band_law_table.py
// makes the program's table.
//
//   build/release/bench/bench_known_band_laws > bench/results/known-band-laws.json
//   python3 bench/result_lines.py bench/results/known-band-laws.json
//   python3 bench/materials/band_law_table.py
//
// A second of one core.
#include <fmt/format.h>

#include <map>
#include <nlohmann/json.hpp>

#include "base/known_values.hpp"
#include "engine/materials/band_law.hpp"
#include "engine/system/version.hpp"
#include "scenes/toml/material_library.hpp"

int main() {
  using namespace fdtd;
  using nlohmann::ordered_json;
  std::map<std::uint64_t, ordered_json> rows;
  for (const LibraryMaterial& material : material_library()) {
    std::vector<double> bands(material.bands.begin(),
                              material.bands.begin() + static_cast<std::ptrdiff_t>(material.alpha.size()));
    const std::vector<Branch> law = search_band_law(bands, material.alpha);
    bands.insert(bands.end(), material.alpha.begin(), material.alpha.end());
    const std::uint64_t fingerprint = hash_of_numbers(bands);
    const auto [place, is_new] = rows.try_emplace(fingerprint);
    if (!is_new) {
      place->second["materials"] = place->second["materials"].get<std::string>() + ' ' + material.name;
      continue;
    }
    ordered_json branches = ordered_json::array();
    for (const Branch& one : law) branches.push_back({one.D, one.E, one.F});
    place->second = {
        {"fingerprint", fmt::format("{:#018x}", fingerprint)}, {"materials", material.name}, {"branches", branches}};
  }
  ordered_json results = ordered_json::array();
  for (const auto& [fingerprint, row] : rows) results.push_back(row);
  const ordered_json document{{"what", "Laws of the library's materials: D (s), E, F (1/s) of each branch"},
                              {"command", "build/release/bench/bench_known_band_laws"},
                              {"program", version_line()},
                              {"results", results}};
  fmt::print("{}\n", document.dump(1));
}
