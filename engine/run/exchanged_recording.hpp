// The recording of a run whose receivers sent (transducers/exchange.hpp), in the order of the scene.
#pragma once

#include "engine/run/recording.hpp"

namespace fdtd {

// The record of receiver R at source S becomes that of S at R; the energies stay those of the passes, one of each
// receiver. In place: a recording may fill half of the memory.
void exchange_recording(Recording& recording);

}  // namespace fdtd
