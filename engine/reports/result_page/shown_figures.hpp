// The figures of a result's responses by octave, as stored: nothing is measured again.
#pragma once

#include <array>
#include <optional>
#include <string>
#include <vector>

#include "engine/responses/figure_table.hpp"
#include "engine/results/result.hpp"

namespace fdtd {

struct OctaveValues {
  std::vector<double> centres;                           // Hz
  std::vector<std::array<double, main_figures>> values;  // by octave, of named_figures; NaN where one is missing
};

// The figures of one response.
struct ShownFigures {
  std::string source, receiver;  // the scene's names
  std::array<double, 3> at{};    // m, of the receiver
  bool placed = false;           // `at` is known
  OctaveValues octaves;
};

// In the order of responses. Throws nlohmann::json::exception for a document that this program does not write.
std::vector<ShownFigures> shown_figures(const Result& result);

// The octaves of any response, ascending.
std::vector<double> octaves_of(const std::vector<ShownFigures>& all);
// The value of one response in an octave; NaN where there is none.
double value_at(const ShownFigures& one, std::size_t figure, double centre);

// Over all responses that have a value.
struct Spread {
  std::size_t count = 0;
  double mean = 0.0, low = 0.0, high = 0.0;
};
Spread spread_of(const std::vector<ShownFigures>& all, std::size_t figure, double centre);

// m3, of the air: the box of the room or the mesh of the plan; nullopt: the result states neither.
std::optional<double> air_volume(const Result& result);

}  // namespace fdtd
