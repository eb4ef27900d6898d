// The figures of one band, from its energy.
#pragma once

#include "engine/responses/band_metrics.hpp"
#include "engine/responses/decay.hpp"
#include "engine/responses/octave_filter.hpp"

namespace fdtd {

struct BandEnergy {
  LongEnergy energy;           // from the onset on
  double moment_before = 0.0;  // of the energy ahead of the onset: times its place, in samples, which is below 0
  double rate = 0.0;           // Hz
  int decimation = 1;          // the response's rate over this one
  double flat_energy = 1.0;    // of a unit sample after the band's filter
};

// s ahead of the onset in which energy counts: what a band's filter of that ringing, and the response's own band limit
// (Hz), ring ahead of the arrival. All before is no sound of the source.
double counted_ahead(double ringing, double bandwidth);

// `centre`: Hz, nominal, 0 for all frequencies; `ringing`: s, of the band's filter.
BandMetrics measure_band(const BandEnergy& energy, double centre, double ringing, const MetricsOptions& options);

// `octave`: the octave of a response, aligned at its onset; or the response itself. `bandwidth`: Hz, of the response.
BandMetrics measure_octave(OctaveSignal octave, double centre, double ringing, double bandwidth,
                           const MetricsOptions& options);

// A band whose filter rings for at least as long as the response lasts: what it gives is the filter's own.
BandMetrics too_short(double centre, double ringing);

// The reason of all figures of further_figures.hpp where they are not computed.
void leave_further(BandMetrics& band, const std::string& reason);

}  // namespace fdtd
