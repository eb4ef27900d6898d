// Eight floats and four doubles side by side, in IEEE arithmetic alone. Functions are always inlined: the linker never
// exchanges those of one instruction set for those of another.
#pragma once

#ifdef __SSE2__
#include <immintrin.h>
#endif

namespace fdtd {
namespace {

#define FDTD_LANES [[gnu::always_inline]] inline

#if defined(__AVX2__)
struct Floats {
  __m256 v;
  FDTD_LANES static Floats load(const float* from) { return {_mm256_load_ps(from)}; }
  FDTD_LANES static Floats all(float x) { return {_mm256_set1_ps(x)}; }
  FDTD_LANES void store(float* to) const { _mm256_store_ps(to, v); }
};
FDTD_LANES Floats operator+(Floats a, Floats b) { return {_mm256_add_ps(a.v, b.v)}; }
FDTD_LANES Floats operator-(Floats a, Floats b) { return {_mm256_sub_ps(a.v, b.v)}; }
FDTD_LANES Floats operator*(Floats a, Floats b) { return {_mm256_mul_ps(a.v, b.v)}; }
FDTD_LANES Floats most(Floats a, Floats b) { return {_mm256_max_ps(a.v, b.v)}; }
FDTD_LANES Floats least(Floats a, Floats b) { return {_mm256_min_ps(a.v, b.v)}; }
FDTD_LANES unsigned not_above(Floats a, Floats b) {  // a bit for each lane
  return static_cast<unsigned>(_mm256_movemask_ps(_mm256_cmp_ps(a.v, b.v, _CMP_LE_OQ)));
}

struct Doubles {
  __m256d v;
  FDTD_LANES static Doubles load(const double* from) { return {_mm256_load_pd(from)}; }
  FDTD_LANES static Doubles all(double x) { return {_mm256_set1_pd(x)}; }
  FDTD_LANES void store(double* to) const { _mm256_store_pd(to, v); }
};
FDTD_LANES Doubles operator+(Doubles a, Doubles b) { return {_mm256_add_pd(a.v, b.v)}; }
FDTD_LANES Doubles operator-(Doubles a, Doubles b) { return {_mm256_sub_pd(a.v, b.v)}; }
FDTD_LANES Doubles operator*(Doubles a, Doubles b) { return {_mm256_mul_pd(a.v, b.v)}; }
FDTD_LANES Doubles operator/(Doubles a, Doubles b) { return {_mm256_div_pd(a.v, b.v)}; }
FDTD_LANES Doubles most(Doubles a, Doubles b) { return {_mm256_max_pd(a.v, b.v)}; }
FDTD_LANES Doubles least(Doubles a, Doubles b) { return {_mm256_min_pd(a.v, b.v)}; }
FDTD_LANES unsigned below(Doubles a, Doubles b) {
  return static_cast<unsigned>(_mm256_movemask_pd(_mm256_cmp_pd(a.v, b.v, _CMP_LT_OQ)));
}
#elif defined(__SSE2__)
struct Floats {
  __m128 v, w;
  FDTD_LANES static Floats load(const float* from) { return {_mm_load_ps(from), _mm_load_ps(from + 4)}; }
  FDTD_LANES static Floats all(float x) { return {_mm_set1_ps(x), _mm_set1_ps(x)}; }
  FDTD_LANES void store(float* to) const {
    _mm_store_ps(to, v);
    _mm_store_ps(to + 4, w);
  }
};
FDTD_LANES Floats operator+(Floats a, Floats b) { return {_mm_add_ps(a.v, b.v), _mm_add_ps(a.w, b.w)}; }
FDTD_LANES Floats operator-(Floats a, Floats b) { return {_mm_sub_ps(a.v, b.v), _mm_sub_ps(a.w, b.w)}; }
FDTD_LANES Floats operator*(Floats a, Floats b) { return {_mm_mul_ps(a.v, b.v), _mm_mul_ps(a.w, b.w)}; }
FDTD_LANES Floats most(Floats a, Floats b) { return {_mm_max_ps(a.v, b.v), _mm_max_ps(a.w, b.w)}; }
FDTD_LANES Floats least(Floats a, Floats b) { return {_mm_min_ps(a.v, b.v), _mm_min_ps(a.w, b.w)}; }
FDTD_LANES unsigned not_above(Floats a, Floats b) {  // a bit for each lane
  return static_cast<unsigned>(_mm_movemask_ps(_mm_cmple_ps(a.v, b.v)) | _mm_movemask_ps(_mm_cmple_ps(a.w, b.w)) << 4);
}

struct Doubles {
  __m128d v, w;
  FDTD_LANES static Doubles load(const double* from) { return {_mm_load_pd(from), _mm_load_pd(from + 2)}; }
  FDTD_LANES static Doubles all(double x) { return {_mm_set1_pd(x), _mm_set1_pd(x)}; }
  FDTD_LANES void store(double* to) const {
    _mm_store_pd(to, v);
    _mm_store_pd(to + 2, w);
  }
};
FDTD_LANES Doubles operator+(Doubles a, Doubles b) { return {_mm_add_pd(a.v, b.v), _mm_add_pd(a.w, b.w)}; }
FDTD_LANES Doubles operator-(Doubles a, Doubles b) { return {_mm_sub_pd(a.v, b.v), _mm_sub_pd(a.w, b.w)}; }
FDTD_LANES Doubles operator*(Doubles a, Doubles b) { return {_mm_mul_pd(a.v, b.v), _mm_mul_pd(a.w, b.w)}; }
FDTD_LANES Doubles operator/(Doubles a, Doubles b) { return {_mm_div_pd(a.v, b.v), _mm_div_pd(a.w, b.w)}; }
FDTD_LANES Doubles most(Doubles a, Doubles b) { return {_mm_max_pd(a.v, b.v), _mm_max_pd(a.w, b.w)}; }
FDTD_LANES Doubles least(Doubles a, Doubles b) { return {_mm_min_pd(a.v, b.v), _mm_min_pd(a.w, b.w)}; }
FDTD_LANES unsigned below(Doubles a, Doubles b) {
  return static_cast<unsigned>(_mm_movemask_pd(_mm_cmplt_pd(a.v, b.v)) | _mm_movemask_pd(_mm_cmplt_pd(a.w, b.w)) << 2);
}
#else
template <class T, int n>
struct Lanes {
  T v[n];
  FDTD_LANES static Lanes load(const T* from) {
    return of([&](int i) { return from[i]; });
  }
  FDTD_LANES static Lanes all(T x) {
    return of([&](int) { return x; });
  }
  FDTD_LANES void store(T* to) const {
    for (int i = 0; i < n; ++i) to[i] = v[i];
  }
  template <class F>
  FDTD_LANES static Lanes of(const F& f) {
    Lanes made;
    for (int i = 0; i < n; ++i) made.v[i] = f(i);
    return made;
  }
  FDTD_LANES friend Lanes operator+(const Lanes& a, const Lanes& b) {
    return of([&](int i) { return a.v[i] + b.v[i]; });
  }
  FDTD_LANES friend Lanes operator-(const Lanes& a, const Lanes& b) {
    return of([&](int i) { return a.v[i] - b.v[i]; });
  }
  FDTD_LANES friend Lanes operator*(const Lanes& a, const Lanes& b) {
    return of([&](int i) { return a.v[i] * b.v[i]; });
  }
  FDTD_LANES friend Lanes operator/(const Lanes& a, const Lanes& b) {
    return of([&](int i) { return a.v[i] / b.v[i]; });
  }
  FDTD_LANES friend Lanes most(const Lanes& a, const Lanes& b) {
    return of([&](int i) { return a.v[i] > b.v[i] ? a.v[i] : b.v[i]; });
  }
  FDTD_LANES friend Lanes least(const Lanes& a, const Lanes& b) {
    return of([&](int i) { return a.v[i] < b.v[i] ? a.v[i] : b.v[i]; });
  }
  FDTD_LANES friend unsigned not_above(const Lanes& a, const Lanes& b) {  // a bit for each lane
    unsigned bits = 0;
    for (int i = 0; i < n; ++i) bits |= a.v[i] <= b.v[i] ? 1U << i : 0U;
    return bits;
  }
  FDTD_LANES friend unsigned below(const Lanes& a, const Lanes& b) {
    unsigned bits = 0;
    for (int i = 0; i < n; ++i) bits |= a.v[i] < b.v[i] ? 1U << i : 0U;
    return bits;
  }
};
using Floats = Lanes<float, 8>;
using Doubles = Lanes<double, 4>;
#endif

}  // namespace
}  // namespace fdtd
