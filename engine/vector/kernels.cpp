#include "engine/vector/kernels.hpp"

#include <fmt/format.h>

#include "base/error.hpp"

namespace fdtd::cpu {
namespace {

using F32 = RowFunctions<float> (*)(const RowStencil<float>&);
using F64 = RowFunctions<double> (*)(const RowStencil<double>&);

// An instruction set that the vector code is compiled for.
struct InstructionSet {
  const char* name;
  bool fused;
  bool (*runs_here)();
  F32 sliding_f32, rows_f32;
  F64 sliding_f64, rows_f64;
};

// Best first. FDTD_HAS_...: those that this build compiles (engine/CMakeLists.txt). An array of constants: kernels()
// may be called while other files initialise their static objects.
constexpr InstructionSet instruction_sets[] = {
#ifdef FDTD_HAS_avx512
    {"AVX-512", true,
     [] {
       return __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512vl") &&
              __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512bw");
     },
     avx512::sliding_f32, avx512::rows_f32, avx512::sliding_f64, avx512::rows_f64},
#endif
#ifdef FDTD_HAS_avx2
    {"AVX2", true, [] { return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma"); }, avx2::sliding_f32,
     avx2::rows_f32, avx2::sliding_f64, avx2::rows_f64},
#endif
#ifdef FDTD_HAS_baseline
    {"baseline", false, [] { return true; }, baseline::sliding_f32, baseline::rows_f32, baseline::sliding_f64,
     baseline::rows_f64},
#endif
};

std::vector<Kernel> make_kernels() {
  std::vector<Kernel> all;
  for (const bool slices : {false, true})
    for (const InstructionSet& isa : instruction_sets)
      all.push_back({slices ? "time_slice" : "sliding_window", isa.name, isa.fused, slices, isa.runs_here,
                     isa.sliding_f32, isa.sliding_f64});
  for (const InstructionSet& isa : instruction_sets)
    all.push_back({"rows", isa.name, isa.fused, false, isa.runs_here, isa.rows_f32, isa.rows_f64});
  return all;
}

}  // namespace

const std::vector<Kernel>& kernels() {
  static const std::vector<Kernel> all = make_kernels();
  return all;
}

const Kernel& choose_kernel(const std::string& name) {
  std::string known;
  for (const Kernel& kernel : kernels()) {
    const std::string full = fmt::format("{}/{}", kernel.name, kernel.instruction_set);
    known += (known.empty() ? "" : ", ") + full;
    if (!name.empty() && name != kernel.name && name != full) continue;
    if (kernel.runs_here()) return kernel;
  }
  throw Error(Status::resource, fmt::format("no CPU kernel \"{}\" on this processor", name),
              "this build has " + known + "; -DFDTD_INSTRUCTION_SETS=all builds for every processor");
}

}  // namespace fdtd::cpu
