// One limit of the band in which a response is right.
#pragma once

#include <string>

namespace fdtd {

struct Limit {
  std::string what;        // "interior", "walls", "transducers", "geometry"
  double frequency = 0.0;  // Hz
  bool beyond = false;     // it was judged no further, and holds there
  std::string by;          // the materials, source, receiver or area that limits it; may be empty
};

}  // namespace fdtd
