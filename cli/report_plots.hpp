// The plots of a report: a response, its decays, its spectrum, how its sound fades by frequency, the energy's course. Long
// curves become the envelope of their lowest and highest values a pixel, so that a plot's size does not grow with the run's.
#pragma once

#include <span>

#include "cli/plot.hpp"
#include "engine/responses/metrics.hpp"
#include "engine/run/recording.hpp"

namespace fdtd::cli {

struct Response {
  std::span<const double> samples;
  double rate = 0.0;       // Hz
  double bandwidth = 0.0;  // Hz, up to where it is right
  std::string name;        // "S1 at R1"
};

Plot response_plot(const Response& response);
// Magnitude of its spectrum in dB of a unit sample's, 20 Hz to its bandwidth.
Plot spectrum_plot(const Response& response);
// Power over time and frequency, 60 dB down from the strongest.
Plot spectrogram_plot(const Response& response);

// Of metrics with their decays kept: all bands with the longest line that could be fitted to each; one band with all its lines.
Plot decays_plot(const Metrics& metrics, const std::string& name);
Plot decay_plot(const BandMetrics& band);

// Energy in the room over what was put in, dB; and how far the balance is off, a share of it. A curve a source, the first
// eight.
Plot energy_plot(const Recording& recording);
Plot balance_plot(const Recording& recording);

}  // namespace fdtd::cli
