// Room-acoustic parameters of an impulse response by octave band: ISO 3382-1:2009, and the curvature of decays by ISO
// 3382-2:2008.
//
// Time counts from the onset: the first sample within 20 dB of the largest that is not the ringing of the response's
// band limit ahead of an arrival, and not before sound can arrive where that time is known. EDT, T20 and T30 are the
// decay times over 60 dB of lines fitted to 0..-10, -5..-25 and -5..-35 dB of the backward-integrated decay
// (decay.hpp). C50 and C80 (dB), D50 (a fraction of 1) and Ts (s, the energy's centre of gravity) come from the same
// energy. G (dB) is the energy relative to that of the same source at 10 m in free field, and needs a response of
// known scale. STI is that of speech_transmission.hpp, from the modulation transfer functions of the octaves' energies
// (indirect method).
#pragma once

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
  std::optional<SpeechConditions> speech;  // of it, as given
};

// Figures of all bands together: STI, the bands' MTI, and the part of the response that makes each.
void conclude(Metrics& metrics, const MetricsOptions& options);

// `ir` at `rate` Hz (above 0), all finite (or std::invalid_argument). For a silent or empty response every value is
// missing, with the reason, and there are no bands. Bands below 63 Hz are included where the response is long enough
// for them.
Metrics measure(std::span<const double> ir, double rate, const MetricsOptions& options = {});

}  // namespace fdtd
