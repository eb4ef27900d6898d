// Two results on one page: how their figures differ, and their curves over one another.
#pragma once

#include <string>

#include "engine/reports/result_page/report_page.hpp"
#include "engine/results/result.hpp"

namespace fdtd {

struct NamedResult {
  const Result& result;
  std::string name;  // for the reader: its file
};

// Differences are those of `b` less `a`, in units and in just noticeable differences (ISO 3382-1:2009, table A.1); pairs are
// those of equal names. Of `choice` the sources, the receivers and the use. Throws Error as report_html(), and (scene)
// where no pair is in both.
std::string comparison_html(const NamedResult& a, const NamedResult& b, const ReportChoice& choice = {});

}  // namespace fdtd
