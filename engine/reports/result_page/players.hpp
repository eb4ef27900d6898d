// Players of the responses, and of a dry sound through them, within a size for the page.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "engine/reports/run_report.hpp"
#include "engine/results/result.hpp"

namespace fdtd {

struct PlayerChoice {
  std::string dry;             // audio file with the dry signal, its first channel; empty: dry_sample()
  std::size_t most = 1500000;  // bytes of the page for sound; 0: no players
};

// A section of the page, "" for no players. Of ambisonic receivers the omnidirectional channel is played, of binaural ones
// both ears at the first rotation. Throws Error (file) for a dry signal that cannot be read.
std::string players_html(const Result& result, const std::vector<ShownChannel>& channels, const PlayerChoice& choice);

}  // namespace fdtd
