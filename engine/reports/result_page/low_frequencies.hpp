// The low end of a response, where a room has single modes: its spectrum beside the modes of a box, and the waterfall.
#pragma once

#include <array>
#include <optional>
#include <string>
#include <vector>

#include "engine/reports/plot.hpp"
#include "engine/reports/result_page/report_plots.hpp"

namespace fdtd {

struct LowRoom {
  double schroeder = 0.0;       // Hz; 0: not known
  std::array<double, 3> box{};  // m; 0: not a box
  double sound_speed = 0.0;     // m/s
};

// Hz: of both plots, linear; a third more than the Schroeder frequency, between 100 Hz and the response's band; without it
// 200 Hz.
double low_end(const Response& response, const LowRoom& room);

struct BoxMode {
  double frequency = 0.0;  // Hz
  std::array<int, 3> order{};
};
// The eigenfrequencies of an empty rigid box up to `highest` Hz, ascending, without the static one.
std::vector<BoxMode> box_modes(const std::array<double, 3>& box, double sound_speed, double highest);

// With a mark for every mode of the box below the Schroeder frequency, where the room is a box, and that frequency.
Plot low_spectrum_plot(const Response& response, const LowRoom& room);

// The cumulative spectral decay: the level of the spectrum of the response from a time on, a curve for each of 16 times from
// `onset` s, over `span` s (D. E. L. Shorter, "Loudspeaker transient response", BBC Quarterly 1, 1946; J. M. Berman, L. R.
// Fincham, J. Audio Eng. Soc. 25, 1977). Later curves stand lower and to the right. "" for a response that is shorter.
std::string waterfall_svg(const Response& response, const LowRoom& room, double onset, double span);

}  // namespace fdtd
