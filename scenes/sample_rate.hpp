// The band that files of a sample rate hold.
#pragma once

namespace fdtd {

inline constexpr double samples_a_period = 2.1;

// Hz: up to here sound is in the files of responses at `sample_rate` (Hz).
inline double highest_held(double sample_rate) { return sample_rate / samples_a_period; }

}  // namespace fdtd
