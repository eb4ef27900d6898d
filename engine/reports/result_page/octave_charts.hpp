// EDT, T20, T30 and C80 by octave as charts, with the targets of a use.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "engine/reports/result_page/shown_figures.hpp"
#include "engine/reports/result_page/targets.hpp"

namespace fdtd {

// A section of the page; "" where no response has a figure. Each chart has its values as its description.
std::string octave_charts_html(const std::vector<ShownFigures>& all, const std::optional<UseTargets>& targets);

// The same charts with the means of several results over one another, one curve each: of the same responses, and with NaN
// where one of the results lacks a figure, so that all means of a chart are over one set.
struct NamedFigures {
  std::string name;
  std::vector<ShownFigures> all;
};
std::string overlaid_charts_html(const std::vector<NamedFigures>& results, const std::optional<UseTargets>& targets);

}  // namespace fdtd
