// The comment in the audio file of an impulse response: the scale of its samples, their band, and when sound arrives.
#pragma once

#include <optional>
#include <string>

namespace fdtd {

struct ResponseNote {
  // Samples are this many times the digital filter that gives pressure from a monopole's free-field pressure at 1 m.
  double scale = 1.0;
  double bandwidth = 0.0;                         // Hz: valid up to here; 0: as wide as the rate allows
  std::optional<double> low_cut = std::nullopt;   // Hz; 0: static pressure is in the response
  std::optional<double> earliest = std::nullopt;  // s: no sound arrives before
};

std::string to_text(const ResponseNote& note);
// nullopt: not a comment of this program.
std::optional<ResponseNote> read_response_note(const std::string& comment);

}  // namespace fdtd
