// The plots of a report: response, decays, spectrum, spectrogram, energy over time. Of long curves the minimum and
// maximum per pixel are drawn, so that the size of a plot does not grow with the length of the run.
#pragma once

#include <span>

#include "engine/reports/plot.hpp"
#include "engine/responses/metrics.hpp"
#include "engine/run/recording.hpp"

namespace fdtd {

struct Response {
  std::span<const double> samples;
  double rate = 0.0;       // Hz
  double bandwidth = 0.0;  // Hz, valid up to here
  std::string name;        // "S1 at R1"
};

Plot response_plot(const Response& response);
// Magnitude of its spectrum in dB relative to a unit sample, 20 Hz to its bandwidth.
Plot spectrum_plot(const Response& response);
// Power over time and frequency, down to 60 dB below the strongest.
Plot spectrogram_plot(const Response& response);

// For metrics with their decays kept: all bands with the longest line fitted to each; one band with all its lines.
Plot decays_plot(const Metrics& metrics, const std::string& name);
Plot decay_plot(const BandMetrics& band);

// Energy in the room relative to the injected energy, in dB; and the error of the energy balance relative to it. One
// curve per source, for the first eight.
Plot energy_plot(const Recording& recording);
Plot balance_plot(const Recording& recording);

}  // namespace fdtd
