// One response of a result, for listening: which source and receiver, and its channels.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "engine/results/result.hpp"

namespace fdtd {

struct HeardResponse {
  std::string source, receiver;               // the scene's names
  std::vector<std::vector<double>> channels;  // ambisonic: ACN, SN3D; of an array those of its microphones
  bool ambisonic = false, array = false;
  std::optional<double> rotation;  // degrees, of a binaural receiver: its channels are the left and the right ear
  double sample_rate = 0.0;        // Hz
};

struct HeardChoice {
  std::string source, receiver;    // empty: the only one; or a microphone of an array, by the channel's name
  std::optional<double> rotation;  // degrees, of a binaural receiver; none: its first
};

// `file` is the result's, for messages. Throws Error (scene) for names that the result does not have, or where one is
// left out and there are several; for a rotation that the receiver does not have.
HeardResponse heard_response(const Result& result, const std::string& file, const HeardChoice& choice);

}  // namespace fdtd
