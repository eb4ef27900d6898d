#include "engine/vector/site_filter_code.hpp"

#include <string>
#include <type_traits>

#include "base/error.hpp"
#include "engine/vector/kernels.hpp"

namespace fdtd::cpu {
namespace {

template <class T>
SiteFilterCode<T> filters_of(const std::string& instruction_set) {
  const auto one = [](const auto& f32, const auto& f64) {
    if constexpr (std::is_same_v<T, float>)
      return f32();
    else
      return f64();
  };
#ifdef FDTD_HAS_avx512
  if (instruction_set == "AVX-512") return one(avx512::site_filter_code_f32, avx512::site_filter_code_f64);
#endif
#ifdef FDTD_HAS_avx2
  if (instruction_set == "AVX2") return one(avx2::site_filter_code_f32, avx2::site_filter_code_f64);
#endif
#ifdef FDTD_HAS_baseline
  if (instruction_set == "baseline") return one(baseline::site_filter_code_f32, baseline::site_filter_code_f64);
#endif
  throw Error(Status::resource, "no vector code of wall filters for " + instruction_set);
}

}  // namespace

template <class T>
const SiteFilterCode<T>& site_filter_code() {
  static const SiteFilterCode<T> code = filters_of<T>(choose_kernel("").instruction_set);
  return code;
}
template const SiteFilterCode<float>& site_filter_code();
template const SiteFilterCode<double>& site_filter_code();

}  // namespace fdtd::cpu
