// report.html: a whole run on one page, made of nothing but its result.
#pragma once

#include <string>
#include <vector>

#include "engine/results/result.hpp"

namespace fdtd::cli {

// Which responses are drawn; nothing: all, up to the first twelve.
struct ReportChoice {
  std::vector<std::string> sources, receivers;  // the scene's names
};

// The same result gives the same bytes. Throws Error: scene for names that the result does not have, file for a result
// whose JSON is none.
std::string report_html(const Result& result, const ReportChoice& choice = {});

}  // namespace fdtd::cli
