// The table of CPU kernels: name, instruction set, and the functions for a stencil. Every kernel accepts every stencil.
//   sliding_window  one step a sweep: leggy stencils several planes at a time, symmetric ones by shared sums (isa/)
//   time_slice      the same functions, several steps a sweep (schedule/time_skewing.hpp): the same bytes
//   rows            sums shared along x only, for any stencil; sliding_window uses it for stencils of neither form
#pragma once

#include <string>
#include <vector>

#include "engine/vector/vector_code.hpp"

namespace fdtd::cpu {

struct Kernel {
  const char* name;             // "sliding_window"
  const char* instruction_set;  // "AVX-512", "AVX2", "baseline"
  bool fused;                   // fused multiply-add: all such kernels of a name give the same bytes
  bool several_steps;           // several steps a sweep
  bool (*runs_here)();          // does this processor have the instructions?
  RowFunctions<float> (*f32)(const RowStencil<float>&);
  RowFunctions<double> (*f64)(const RowStencil<double>&);
};

template <class T>
RowFunctions<T> functions_of(const Kernel& kernel, const RowStencil<T>& stencil) {
  if constexpr (sizeof(T) == sizeof(float)) {
    return kernel.f32(stencil);
  } else {
    return kernel.f64(stencil);
  }
}

// Best first.
const std::vector<Kernel>& kernels();

// By "" (the first that runs here), "rows", or "rows/AVX2". Throws Error (status resource) for a kernel that is unknown
// or does not run on this processor.
const Kernel& choose_kernel(const std::string& name);

}  // namespace fdtd::cpu
