#include "engine/vector/site_filter_code.hpp"

#include <string>

#include "base/error.hpp"
#include "engine/vector/kernels.hpp"

namespace fdtd::cpu {
namespace {

SiteFilterCode filters_of(const std::string& instruction_set) {
#ifdef FDTD_HAS_avx512
  if (instruction_set == "AVX-512") return avx512::site_filter_code();
#endif
#ifdef FDTD_HAS_avx2
  if (instruction_set == "AVX2") return avx2::site_filter_code();
#endif
#ifdef FDTD_HAS_baseline
  if (instruction_set == "baseline") return baseline::site_filter_code();
#endif
  throw Error(Status::resource, "no vector code of wall filters for " + instruction_set);
}

}  // namespace

const SiteFilterCode& site_filter_code() {
  static const SiteFilterCode code = filters_of(choose_kernel("").instruction_set);
  return code;
}

}  // namespace fdtd::cpu
