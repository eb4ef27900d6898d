#include "engine/vector/multigrid_code.hpp"

#include <cstring>
#include <string>

#include "base/error.hpp"
#include "engine/vector/kernels.hpp"

namespace fdtd::cpu {
namespace {

MultigridCode code_of(const std::string& instruction_set) {
#ifdef FDTD_HAS_avx512
  if (instruction_set == "AVX-512") return avx512::multigrid_code();
#endif
#ifdef FDTD_HAS_avx2
  if (instruction_set == "AVX2") return avx2::multigrid_code();
#endif
#ifdef FDTD_HAS_baseline
  if (instruction_set == "baseline") return baseline::multigrid_code();
#endif
  throw Error(Status::resource, "no vector code of multigrid for " + instruction_set);
}

}  // namespace

const MultigridCode& multigrid_code() {
  static const MultigridCode code = code_of(choose_kernel("").instruction_set);
  return code;
}

}  // namespace fdtd::cpu
