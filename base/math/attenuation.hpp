// Attenuation that grows with time, at a rate that depends on frequency: that of a medium on all paths alike.
#pragma once

#include <functional>
#include <span>

namespace fdtd {

// Attenuates each sample of a response by exp(-a(f) t), t its time (sample 0 at 0) and a = `nepers_a_second`, which
// grows with frequency. The response is split into windows that sum to one; each gets the filter of the time at its
// centre. They are short enough to keep the filter within 0.1 % between them. No phase is added.
void attenuate(std::span<double> response, double rate, const std::function<double(double frequency)>& nepers_a_second);
// Its transpose.
void attenuate_transposed(std::span<double> by_response, double rate,
                          const std::function<double(double frequency)>& nepers_a_second);

}  // namespace fdtd
