// The figures of an impulse response in an audio file, of this program or any other.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "engine/responses/metrics.hpp"

namespace fdtd {

// Signals and places beside the response, for the figures of further_figures.hpp.
struct BesideResponse {
  int lateral_channel = 0;  // of the same file, from 1: a figure-of-eight with its null towards the source; 0: none
  std::string right_file;   // with the right ear, where the response is that of the left; empty: none
  int right_channel = 1;
  double distance = 0.0;  // m, between source and receiver; 0: not known
};

struct ResponseFileOptions {
  int channel = 1;             // from 1
  double max_frequency = 0.0;  // Hz, valid up to here; 0: as the file's comment says, else from the spectrum
  double scale = 0.0;          // for G: MetricsOptions::scale; 0: as the file's comment says, else not known
  std::optional<SpeechConditions> speech;  // for STI
  bool any_signal = false;                 // also of a signal that is no impulse response
  BesideResponse beside{};
};

struct ResponseFile {
  Metrics metrics;
  int channels = 1;                   // of the file
  std::vector<std::string> warnings;  // on the requested band, and on a signal that may be no impulse response
};

// Throws Error: status file for a file that is damaged or, without any_signal, certainly no impulse response; scene for
// a channel that it has not, and signals beside that are not as long; resource where memory does not suffice; numerical for samples beyond 1e100.
ResponseFile measure_response_file(const std::string& file, const ResponseFileOptions& options = {});

// The same of samples in memory, by `how`; `own`: they certainly are a response. Messages name `file`.
ResponseFile measure_samples(const std::string& file, std::span<const double> samples, double rate,
                             const MetricsOptions& how, bool any_signal, bool own = false);

}  // namespace fdtd
