// The choice of the exchange: the environment variable FDTD_HALO names one; without it peer is used where it works.
#pragma once

#include <memory>

#include "engine/cuda/exchange/exchange.hpp"

namespace fdtd::cuda {

// Collective: all ranks take the same. Throws Error (status resource) where the one that FDTD_HALO names cannot be had,
// or none can; Error (status scene) for another name.
std::unique_ptr<Exchange> make_exchange(Ranks& ranks, const Fields& fields);

}  // namespace fdtd::cuda
