// Dips of a response that first reflections of walls make: a table, and marks in its spectra.
#pragma once

#include <string>
#include <vector>

#include "engine/notches/wall_notches.hpp"
#include "engine/reports/plot.hpp"
#include "engine/results/result.hpp"

namespace fdtd {

// As the run stored them. Throws nlohmann::json::exception for a result that this program did not write.
std::vector<PairNotches> stored_notches(const Result& result);

// Null where none is stored of that pair.
const PairNotches* notches_of_pair(const std::vector<PairNotches>& pairs, const std::string& source,
                                   const std::string& receiver);

// How many notches are dips of the response, and those with their walls. Null: "".
std::string wall_dips_html(const PairNotches* pair, const std::string& name);

// A dotted line from the top of a spectrum to its curve, the first series, at each dip within the axis. Null: nothing.
void mark_wall_dips(Plot& spectrum, const PairNotches* pair);

}  // namespace fdtd
