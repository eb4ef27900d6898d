// Maps of the figures over the room, where receivers form a grid.
#pragma once

#include <string>
#include <vector>

#include "engine/reports/result_page/shown_figures.hpp"
#include "engine/results/result.hpp"

namespace fdtd {

// A section of the page, with a map for each `grid` of the scene at each height, beside other receivers or not, and for other
// receivers at one height. "" where none of them are six or more that form a grid along x and y, of equal steps, that is
// filled by a third or more. Values are means of the octaves of 500 and 1000 Hz, or else of the octave in which most receivers have
// the figure.
std::string figure_maps_html(const Result& result, const std::vector<ShownFigures>& all);

}  // namespace fdtd
