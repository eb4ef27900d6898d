// The responses of a result along a path.
#pragma once

#include <string>

#include "engine/responses/moving/moving_sound.hpp"
#include "engine/results/result.hpp"

namespace fdtd {

struct PathChoice {
  std::string source, receiver;  // empty: the only source; all receivers
  Moves moves = Moves::receiver;
};

struct PathResponses {
  PlaceResponses responses;                // of the result, which must outlive it
  const BinauralReceiver* head = nullptr;  // of the result, whose ears hear the channels; null: none
  std::size_t source = 0;                  // that it hears, among those shown
  std::string said;                        // the places and what stays, for the user
  WorstPlace worst;
};

// The places are receivers: all, or those that a path, line, grid or arc has numbered, NAME_1, NAME_2, ... For a source
// that moves they are the sources of the result where it has several, else its receivers by reciprocity, without
// patterns. Heads have to look alike, and turn with the path from their own direction. `file` and `path_file` are for messages. Throws Error (scene) for names that the result does not have, a path
// that leaves its places, or is at or above the sound speed, and responses with geometry above the waves' band.
PathResponses path_responses(const Result& result, const Path& path, const PathChoice& choice, const std::string& file,
                             const std::string& path_file);

// How far off, at most, a field between places may be: -40 dB.
inline constexpr double most_path_error = 0.01;

}  // namespace fdtd
