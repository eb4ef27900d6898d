// The figures of an octave that need more than its decay.
//
//   DRR        10 lg of the energy up to 2.5 ms after the onset, the direct sound (P. Zahorik, "Direct-to-reverberant energy
//              ratio sensitivity", J. Acoust. Soc. Am. 112 (2002)), over all that follows
//   ST_early   10 lg of the energy of 20 to 100 ms over that up to 10 ms, ST_late of 100 to 1000 ms: stage support of ISO
//              3382-1:2009, annex C, 1 m from the source
//   LF, LFC    early lateral energy fractions, LJ late lateral level: spatial/lateral.hpp
//   IACC       interaural cross-correlation coefficients: spatial/interaural.hpp
//
// Direct sound and support are cut out of the response before the octave's filter (energy_windows.hpp), in octaves whose
// period is no longer than the direct sound's part. Lateral and interaural figures are those of the filtered octave, as
// clarity is: lateral energy is weighed with the same early energy.
#pragma once

#include <optional>
#include <span>
#include <string>

#include "engine/responses/band_metrics.hpp"
#include "engine/responses/energy_windows.hpp"
#include "engine/responses/octave_filter.hpp"

namespace fdtd {

inline constexpr double direct_until = 0.0025, support_direct_until = 0.01;  // s after the onset
// m, between source and receiver: 1 m within 10 %.
inline constexpr double support_nearest = 0.9, support_farthest = 1.1;

// Of one response, `options.with` beside it; all must outlive this.
class FurtherFigures {
 public:
  // `ir`: not silent; `lowest`: Hz, of the octaves that are asked for.
  FurtherFigures(std::span<const double> ir, double rate, std::size_t onset, double bandwidth, double lowest,
                 const MetricsOptions& options);
  // `octave`: aligned at the onset, not squared; band.decay is its decay. `ringing`: s, of the octave's filter.
  void add(BandMetrics& band, const OctaveSignal& octave, double ringing) const;
  void add_to_all(BandMetrics& broadband) const;  // of all frequencies

 private:
  Figure direct_ratio(const BandMetrics& band, double midband) const;
  void add_support(BandMetrics& band, double midband) const;
  void add_lateral(BandMetrics& band, const OctaveSignal& octave, std::size_t ahead) const;
  void add_interaural(BandMetrics& band, const OctaveSignal& octave, std::size_t ahead) const;
  SignalPart part(double from, double to) const;  // s after the onset

  std::span<const double> ir_;
  double rate_ = 0.0, bandwidth_ = 0.0;
  std::int64_t onset_ = 0, ahead_ = 0;  // samples; `ahead_` before the onset the sound begins
  const MetricsOptions& options_;
  std::int64_t origin_ = 0, length_ = 0;  // of the parts
  std::optional<SignalPart> direct_, about_, support_direct_, early_;
  std::optional<OctaveBands> lateral_, right_ear_;
};

}  // namespace fdtd
