// The laws of the library's materials (band_law.hpp), which the program knows without a search: a table of what the search
// finds. bench/materials/band_law_table.py writes known_band_laws_data.cpp.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "scenes/scene.hpp"

namespace fdtd {

struct KnownBandLaw {
  std::uint64_t fingerprint;   // hash_of_numbers of the bands and their coefficients
  std::string_view materials;  // names in the library, with blanks between them
  std::size_t first, count;    // of known_branches()
};

struct KnownBranch {
  double D, E, F;
};

std::span<const KnownBandLaw> known_band_laws();  // by fingerprint
std::span<const KnownBranch> known_branches();

// The law of bands (centres, then coefficients) that are those of a material of the library.
std::optional<std::vector<Branch>> known_band_law(std::span<const double> bands);

}  // namespace fdtd
