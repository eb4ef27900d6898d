// How a run differs from what was measured, as text and as JSON.
#pragma once

#include <string>

#include "engine/files/json_fields.hpp"
#include "engine/measured/match.hpp"
#include "engine/results/result.hpp"

namespace fdtd {

// The figures that a run states for its responses (measure_all), and where its sources and receivers are.
RoomFigures room_figures(const Result& result);

const JsonFields<Match>& match_fields();
// Tables by figure and octave: mean |difference|, mean difference, number of pairs; below, what is not compared. At most
// 80 columns wide.
std::string match_text(const Match& match);
// Of two runs, with A as what was measured: the means of B less A by octave in the units of the figures, those of one just
// noticeable difference or more marked, and the pairs that one alone has. At most 80 columns wide.
std::string comparison_text(const Match& match);

}  // namespace fdtd
