// The comment in the audio file of an impulse response: the scale of its samples, their band, and when sound arrives.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

namespace fdtd {

struct ResponseNote {
  // Samples are this many times the digital filter that gives pressure from a monopole's free-field pressure at 1 m.
  double scale = 1.0;
  double bandwidth = 0.0;                        // Hz: valid up to here; 0: as wide as the rate allows
  std::optional<double> low_cut = std::nullopt;  // Hz; 0: static pressure is in the response
  // s, by channel: no sound arrives before; one for all of them where they are equal, none where it is not known.
  std::vector<double> earliest{};
  // Hz: waves alone below the first, geometry alone above the second (engine/above); 0: waves alone.
  double waves_to = 0.0, geometry_from = 0.0;
  std::string channels{};  // names by channel, "front, left": of microphones that have some; empty: none
  // s, of a channel of a file with `channels`; 0: not known, as of a file with other channels than the comment's.
  double earliest_of(std::size_t channel, std::size_t channels) const {
    if (earliest.size() == 1) return earliest[0];
    return earliest.size() == channels && channel < channels ? earliest[channel] : 0.0;
  }
};

std::string to_text(const ResponseNote& note);
// nullopt: not a comment of this program.
std::optional<ResponseNote> read_response_note(const std::string& comment);

}  // namespace fdtd
