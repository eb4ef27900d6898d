// The reverberation time that a room is expected to have in one octave.
#pragma once

namespace fdtd {

struct ReverberationBand {
  double centre = 0.0;   // Hz, of the octave
  double seconds = 0.0;  // for 60 dB; infinity where nothing absorbs
  double eyring = 0.0;   // s, by Eyring's formula
  // s, no less than `seconds`: that of smooth parallel walls, if the room has such, and of their modes
  double slowest = 0.0;
  enum class Model { formula, diffusion, box_modes } model = Model::formula;  // of `seconds`
  double modes = 0.0;  // of the room, in the octave (mode_count.hpp)
};

}  // namespace fdtd
