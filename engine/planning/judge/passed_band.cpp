#include "engine/planning/judge/passed_band.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "base/rounded_text.hpp"
#include "engine/walls/near_wall_operator.hpp"

namespace fdtd {
namespace {

constexpr double lowest_fraction = 0.05;  // of max_frequency: below it there is no band

// Which key gives more of the band that a limit ends.
std::string more_by(const std::string& what, const Simulation& wish, const GridStencil& stencil) {
  if (what == "geometry" && !knows_cut_voxels(stencil))
    return fmt::format(
        "simulation.stencil = \"leggy-2\" or another that cuts voxels, or a larger geometry_error{}, gives more",
        wish.max_frequency ? "" : ", or a far smaller simulation.grid_spacing");
  if (!wish.max_frequency)
    return fmt::format("a simulation.grid_spacing smaller than {:.4g} m gives more", *wish.grid_spacing);
  return fmt::format("another simulation.stencil{} gives more",
                     what == "walls"      ? " or a larger wall_error"
                     : what == "geometry" ? ", or a larger geometry_error or dispersion_error,"
                                          : "");
}

}  // namespace

double passed_bandwidth(const ValidBand& valid, double max_frequency) {
  constexpr double nearly = 1.0 - 1e-6;
  if (valid.frequency >= nearly * max_frequency) return max_frequency;
  return std::max(valid.frequency, lowest_fraction * max_frequency);
}

std::optional<Note> note_on_band(const Scene& scene, const GridChoice& choice, const ValidBand& valid) {
  const double bandwidth = passed_bandwidth(valid, choice.max_frequency);
  if (bandwidth >= choice.max_frequency) return std::nullopt;
  const auto limit = std::ranges::find(valid.limits, valid.limited_by, &Limit::what);
  const std::string by = limit->by.empty() ? "" : fmt::format(" ({})", limit->by);
  const std::string more = more_by(limit->what, scene.simulation, choice.grid_stencil);
  const double low_cut = scene.output.low_cut, lowest = std::max(2.0 * low_cut, lowest_fraction * choice.max_frequency);
  if (valid.frequency < lowest)
    throw EmptyBand(
        Status::scene,
        fmt::format("the band is empty on this grid, {} with a spacing of {:.4g} m: {} {} it at {} Hz{}, "
                    "which leaves {}",
                    choice.stencil.name, choice.grid.mean_spacing(), limit->what,
                    limit->what.back() == 's' ? "end" : "ends", rounded_text(valid.frequency, 3), by,
                    lowest == 2.0 * low_cut ? fmt::format("no octave above output.low_cut, {:g} Hz", low_cut)
                                            : fmt::format("less than a twentieth of max_frequency, {} Hz",
                                                          rounded_text(choice.max_frequency, 4))),
        more);
  return Note(
      fmt::format(
          "responses pass nothing above {:.1f} Hz, below the {:.1f} Hz of max_frequency: {} no more on this grid{}; {}",
          bandwidth, choice.max_frequency, limit->what + (limit->what.back() == 's' ? " allow" : " allows"), by, more),
      NoteWeight::band);
}

}  // namespace fdtd
