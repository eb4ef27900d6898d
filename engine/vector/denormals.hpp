// Flushes denormal numbers to zero in the constructing thread during its lifetime: a decaying room is full of them, and
// each costs a hundred cycles.
#pragma once

#include <cstdint>

#if defined(__x86_64__)
#include <xmmintrin.h>
#endif

namespace fdtd::cpu {

class FlushDenormals {
 public:
#if defined(__x86_64__)
  FlushDenormals() : before_(_mm_getcsr()) { _mm_setcsr(before_ | 0x8040U); }  // flush to zero, denormals are zero
  ~FlushDenormals() { _mm_setcsr(before_); }
#elif defined(__aarch64__)
  FlushDenormals() {
    __asm__ volatile("mrs %0, fpcr" : "=r"(before_));
    set(before_ | (std::uint64_t{1} << 24U));
  }
  ~FlushDenormals() { set(before_); }
#else
  FlushDenormals() = default;
  ~FlushDenormals() {}
#endif
  FlushDenormals(const FlushDenormals&) = delete;
  FlushDenormals& operator=(const FlushDenormals&) = delete;

 private:
#if defined(__x86_64__)
  std::uint32_t before_ = 0;
#elif defined(__aarch64__)
  static void set(std::uint64_t value) { __asm__ volatile("msr fpcr, %0" : : "r"(value)); }
  std::uint64_t before_ = 0;
#endif
};

}  // namespace fdtd::cpu
