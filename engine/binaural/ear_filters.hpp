// Filters from the ambisonic channels of a place to the ears of a head there.
//
// A plane wave from direction s has the channels Y_nm(s) (ACN, SN3D) times its pressure, so an ear that answers to it
// with h(s, f) has the filters w_nm(f) with sum w_nm Y_nm(s) = h(s, f). Up to `exact_to` they are the least squares of
// the measured h over the sphere; above, the order is too low for phases at the ears, and |h| alone is fitted, each
// bin with the phases of the one below (C. Schoerkhuber, M. Zaunschirm, R. Hoeldrich, "Binaural rendering of ambisonic
// signals via magnitude least squares", DAGA 2018), with the head's energy over all directions by ear. Degrees are
// penalised by n (n + 1), so that directions that were not measured stay calm (R. Duraiswami, D. Zotkin, N. Gumerov,
// "Interpolation and range extrapolation of HRTFs", ICASSP 2004), and by what a body of the size of head and shoulders
// scatters at a frequency, since near sources raise high degrees and with them the errors of a file. Directions that were
// measured early or late are put at their time before (arrival_times.hpp). Sources of the file are at a distance, channels
// are rendered with the radial filters of another (engine/responses/render.hpp): as there, x^n / B_n(x) carries degrees
// from one to the other, so that ears are right for sources at any distance.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <vector>

#include "base/axes.hpp"
#include "base/point.hpp"
#include "engine/binaural/head_responses.hpp"

namespace fdtd {

struct ChannelOptions;

struct EarFilters {
  int order = 0;
  double sample_rate = 0.0;  // Hz
  double lead = 0.0;         // s, of the taps before time 0: sound at the middle of the head
  double exact_to = 0.0;     // Hz
  std::size_t taps = 0;
  double latest = 0.0;       // s: largest of late_directions(), which the filters do not have; 0 of a file of results
  std::vector<double> ears;  // [left, right][acn][tap]
};

inline constexpr double sound_speed_of_heads = 343.2;  // m/s, of files
inline constexpr double head_radius = 0.0875;          // m: R. Duda, W. Martens, J. Acoust. Soc. Am. 104 (1998)

// 0.7 order c / (2 pi head_radius): up to there 95 % of a rigid sphere's directions have their level within 0.6 dB.
double exact_up_to(int order);

// Hz, c / (2 pi R) of the radial filters of degree n that noise does not raise (ChannelOptions::cut).
double plain_cut(int n);

// Throws Error (status scene) where the head has fewer directions than channels.
EarFilters design_ear_filters(const HeadResponses& head, int order);

// The delay of all responses that has no meaning, as of the loudspeaker's distance: s, of the mean over all directions
// and both ears at low frequencies, beyond that of a rigid sphere.
double common_delay(const HeadResponses& head, const std::vector<double>& shares);

// Of a head with these axes: filters for channels in the scene's.
EarFilters turned(const EarFilters& filters, const Axes& axes);

// Of one response at `rate`: its harmonics, all of equal length, to [left, right][sample] of the same length. `cuts`: Hz
// by channel, of the radial filters with which they were rendered where rounding noise raised them (ear_cuts); 0, and
// none: those of radial_distance. Their phases are undone, their levels are not.
std::vector<double> ears_of(const EarFilters& filters, const std::vector<std::span<const double>>& harmonics,
                            double rate, const std::vector<double>& cuts = {});

// By channel, of `count` channels from `first` on and that source. Throws Error (scene) for others.
std::vector<double> ear_cuts(const ChannelOptions& channels, std::size_t source, std::size_t first, std::size_t count);

}  // namespace fdtd
