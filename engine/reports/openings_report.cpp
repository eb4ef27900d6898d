#include "engine/reports/openings_report.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numbers>

#include "scenes/mesh/mesh_diagnosis.hpp"

namespace fdtd {

std::vector<std::string> opening_lines(const MeshSummary& mesh, const GridChoice& choice) {
  constexpr std::size_t most = 6;
  std::vector<std::string> lines;
  for (const MeshOpening& one : mesh.openings) {
    if (lines.size() == most) {
      lines.push_back(fmt::format("{} more openings", mesh.openings.size() - most));
      break;
    }
    const double limit = opening_limit(one, choice.grid.sound_speed), highest = choice.max_frequency;
    lines.push_back(fmt::format("opening about {:.2g} m wide near {}: levels behind it, from {:.2g} m on, {}",
                                one.width, place_text(one.position), 2.0 * choice.grid.mean_spacing(),
                                limit >= highest ? fmt::format("expected within 2 dB to {:.0f} Hz and more", highest)
                                : limit > 0.0    ? fmt::format("expected within 2 dB to {:.0f} Hz", limit)
                                                 : "are wrong, see below"));
    if (one.resonance > 0.0)
      lines.back() += fmt::format("; it resonates near {:.0f} Hz with the {:.2g} m3 behind it",
                                  one.resonance * choice.grid.sound_speed / (2.0 * std::numbers::pi), one.behind);
  }
  return lines;
}

}  // namespace fdtd
