// Room-acoustic parameters of an impulse response by octave band: ISO 3382-1:2009, and the curvature of decays by ISO
// 3382-2:2008.
//
// Time counts from the onset: the first sample within 20 dB of the largest that is not the ringing of the response's
// band limit ahead of an arrival, and not before sound can arrive where that time is known. EDT, T20 and T30 are the
// decay times over 60 dB of lines fitted to 0..-10, -5..-25 and -5..-35 dB of the backward-integrated decay
// (decay.hpp). C50 and C80 (dB), D50 (a fraction of 1) and Ts (s, the energy's centre of gravity) come from the same
// energy. G (dB) is the energy relative to that of the same source at 10 m in free field, and needs a response of
// known scale. STI and STIPA are those of speech_transmission.hpp, from the modulation transfer functions of the octaves'
// energies (indirect method), U50 that of useful_ratio.hpp; the figures of sound early, lateral and at two ears are
// those of further_figures.hpp.
#pragma once

#include <array>
#include <span>
#include <vector>

#include "engine/responses/band_metrics.hpp"

namespace fdtd {

// Hz: the high-pass that removes static pressure, that of render_filter.hpp. A constant offset, as of a recording, is
// subtracted instead: a high-pass would take from the lowest octave.
inline constexpr double analysis_low_cut = 20.0;

struct Metrics {
  double sample_rate = 0.0, duration = 0.0;  // Hz, s
  double onset = 0.0;                        // s
  double valid_bandwidth = 0.0;              // Hz, as given or found
  double low_cut = 0.0;                      // Hz: analysis_low_cut where static pressure was removed, else 0
  double offset = 0.0;                       // subtracted from every sample before the analysis
  std::vector<BandMetrics> bands;            // octaves within the valid bandwidth
  BandMetrics broadband;
  Figure STI;                              // speech transmission index
  Figure STIPA;                            // from two modulation frequencies an octave
  Figure U50;                              // dB: useful to detrimental sound, A-weighted; of speech of a level
  std::optional<SpeechConditions> speech;  // of it, as given
  std::optional<std::array<double, 3>> lateral_axis;  // of LF, LFC and LJ, as given
};

// Single numbers: means over octaves, of L_J of energies. ISO 3382-1, tables A.1 and annex C; of IACC the octaves of T.
// Hidaka, L. L. Beranek, T. Okano, J. Acoust. Soc. Am. 98 (1995).
struct AveragedFigure {
  const char* name;  // "LF_125_1000"
  Figure BandMetrics::*figure;
  double from, to;  // Hz, nominal, of the first and the last octave
  bool of_energies;
  const char *unit, *about;
};
inline constexpr AveragedFigure averaged_figures[] = {
    {"LF_125_1000", &BandMetrics::LF, 125.0, 1000.0, false, "", "Mean of LF over the octaves of 125 to 1000 Hz."},
    {"LFC_125_1000", &BandMetrics::LFC, 125.0, 1000.0, false, "", "Mean of LFC over the octaves of 125 to 1000 Hz."},
    {"LJ_125_1000", &BandMetrics::LJ, 125.0, 1000.0, true, "dB",
     "Level of the mean energy of LJ over the octaves of 125 to 1000 Hz."},
    {"ST_early_250_2000", &BandMetrics::ST_early, 250.0, 2000.0, false, "dB",
     "Mean of ST_early over the octaves of 250 to 2000 Hz."},
    {"ST_late_250_2000", &BandMetrics::ST_late, 250.0, 2000.0, false, "dB",
     "Mean of ST_late over the octaves of 250 to 2000 Hz."},
    {"IACC_early_500_2000", &BandMetrics::IACC_early, 500.0, 2000.0, false, "",
     "Mean of IACC_early over the octaves of 500 to 2000 Hz."},
    {"IACC_late_500_2000", &BandMetrics::IACC_late, 500.0, 2000.0, false, "",
     "Mean of IACC_late over the octaves of 500 to 2000 Hz."}};
// nullopt where an octave has none.
std::optional<double> average_of(const std::vector<BandMetrics>& bands, const AveragedFigure& averaged);

// Figures of all bands together: STI, the bands' MTI, and the part of the response that makes each.
void conclude(Metrics& metrics, const MetricsOptions& options);

// `ir` at `rate` Hz (above 0), all finite, companions as long as it is (or std::invalid_argument). For a silent or empty response every value is
// missing, with the reason, and there are no bands. Bands below 63 Hz are included where the response is long enough
// for them.
Metrics measure(std::span<const double> ir, double rate, const MetricsOptions& options = {});

}  // namespace fdtd
