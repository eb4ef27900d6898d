// Which march (march.hpp) suits a plan on this machine. Any gives the same bytes, so a choice by time is deterministic.
#pragma once

#include <vector>

#include "engine/cpu/march.hpp"
#include "engine/cpu/stepper.hpp"

namespace fdtd::cpu {

// What the caches' sizes suggest, untimed.
template <class T>
March default_march(const Stepper<T>& stepper, bool slices);

}  // namespace fdtd::cpu
