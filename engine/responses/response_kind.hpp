// Whether a signal can be an impulse response at all: a sweep, speech or music that is taken for one gives figures of
// nothing. A signal whose octaves sound one after the other, at different times or evenly, or that begins anew again and
// again, certainly is none; strong late echoes may do the same more weakly, which is a doubt. The bounds, and the decays
// that they leave room for: docs/explanation/impulse-responses.md, section 7.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "engine/responses/sample_stream.hpp"

namespace fdtd {

// Why a signal is none, or may be none, in a clause; empty: nothing says so.
struct ResponseDoubt {
  std::string why;
  bool certain = false;
};
// `bandwidth`: Hz, valid up to here.
ResponseDoubt response_doubt(std::span<const double> signal, double rate, double bandwidth);
ResponseDoubt response_doubt(SampleStream& signal, double rate, double bandwidth);

}  // namespace fdtd
