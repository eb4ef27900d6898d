// Signals delayed by any number of samples.
#pragma once

#include <span>

namespace fdtd {

// Samples before and after its place that a fraction of a sample spreads each sample over.
inline constexpr int delay_reach = 32;

// Whether the delay is a whole number of samples, to a millionth.
bool is_whole_delay(double delay);

// Writes a signal into zeros, `delay` samples later: by whole samples bit for bit, else by a sinc in Kaiser's window, which
// is exact to 1e-4 up to 0.45 of the rate. `to` has room for the signal, and for delay_reach samples more on both sides of it
// where the delay is no whole one.
void write_delayed(std::span<const double> signal, double delay, std::span<double> to);

}  // namespace fdtd
