// report.html: a run on one page, made from its result alone.
#pragma once

#include <string>
#include <vector>

#include "engine/reports/result_page/players.hpp"
#include "engine/results/result.hpp"

namespace fdtd {

// The responses to draw; empty: all, up to the first twelve.
struct ReportChoice {
  std::vector<std::string> sources, receivers;  // the scene's names
  std::string use = {};                         // of room_uses(), whose targets are drawn; empty: none
  PlayerChoice players = {};
};

// Throws Error (scene), which names those there are, for a source or receiver that the result does not have.
void check_choice(const Result& result, const ReportChoice& choice);

// The same result gives the same bytes. Throws Error: scene for names that the result does not have, a use
// that there is not, or one for a result without a volume; file for a result
// whose JSON is not valid.
std::string report_html(const Result& result, const ReportChoice& choice = {});

}  // namespace fdtd
