#include "engine/cpu/field/kernels.hpp"

#include <fmt/format.h>

#include "engine/error.hpp"

namespace fdtd::cpu {
namespace {

bool always() { return true; }
#if defined(__x86_64__)
bool has_avx2() { return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma"); }
bool has_avx512() {
  return __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512vl") &&
         __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512bw");
}
#endif

}  // namespace

const std::vector<Kernel>& kernels() {
  static const std::vector<Kernel> all = {
#if defined(__x86_64__)
    {"sliding_window", "AVX-512", true, false, has_avx512, avx512::sliding_f32, avx512::sliding_f64},
    {"sliding_window", "AVX2", true, false, has_avx2, avx2::sliding_f32, avx2::sliding_f64},
#endif
    {"sliding_window", "baseline", false, false, always, baseline::sliding_f32, baseline::sliding_f64},
#if defined(__x86_64__)
    {"time_slice", "AVX-512", true, true, has_avx512, avx512::sliding_f32, avx512::sliding_f64},
    {"time_slice", "AVX2", true, true, has_avx2, avx2::sliding_f32, avx2::sliding_f64},
#endif
    {"time_slice", "baseline", false, true, always, baseline::sliding_f32, baseline::sliding_f64},
#if defined(__x86_64__)
    {"rows", "AVX-512", true, false, has_avx512, avx512::rows_f32, avx512::rows_f64},
    {"rows", "AVX2", true, false, has_avx2, avx2::rows_f32, avx2::rows_f64},
#endif
    {"rows", "baseline", false, false, always, baseline::rows_f32, baseline::rows_f64},
  };
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
  throw Error(Status::resource, fmt::format("no CPU kernel \"{}\" on this processor", name), "known: " + known);
}

}  // namespace fdtd::cpu
