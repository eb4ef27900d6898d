// The inner loops over a box's image sources, compiled once an instruction set, which FDTD_ISA names. Everything here is
// local but the table at the end, and no function of a library is called: the linker shares none with other sets.
//
// A register's frequencies are carried through all reflections at once, so that nothing waits for memory in between.
#include "engine/images/lattice_code.hpp"

#ifndef FDTD_ISA
#define FDTD_ISA baseline
#endif

namespace fdtd {
namespace {

#if defined(__AVX512F__)
constexpr std::size_t register_bytes = 64;
bool lattice_runs() {
  return __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512vl") &&
         __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512bw");
}
#elif defined(__AVX2__)
constexpr std::size_t register_bytes = 32;
bool lattice_runs() { return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma"); }
#else
constexpr std::size_t register_bytes = 16;
bool lattice_runs() { return true; }
#endif

#define FDTD_LATTICE_INLINE inline __attribute__((always_inline))
typedef double Register __attribute__((vector_size(register_bytes)));
constexpr std::size_t lanes_a_register = register_bytes / sizeof(double);

FDTD_LATTICE_INLINE Register loaded(const double* from) {
  Register made;
  __builtin_memcpy(&made, from, sizeof(made));
  return made;
}
FDTD_LATTICE_INLINE void stored(double* to, Register value) { __builtin_memcpy(to, &value, sizeof(value)); }

struct ComplexRegister {
  Register real, imaginary;
};

FDTD_LATTICE_INLINE ComplexRegister product(const ComplexRegister& a, const ComplexRegister& b) {
  return {a.real * b.real - a.imaginary * b.imaginary, a.real * b.imaginary + a.imaginary * b.real};
}
FDTD_LATTICE_INLINE ComplexRegister squared(const ComplexRegister& a) {
  const Register cross = a.real * a.imaginary;
  return {(a.real - a.imaginary) * (a.real + a.imaginary), cross + cross};
}

// R sqrt(1 - s) = (x^2 - |y|^2 - 2 i x b) sqrt(1 - s) / ((x + g)^2 + b^2), y = g + i b: above and below the line.
struct Fraction {
  ComplexRegister above;
  Register below;
};

FDTD_LATTICE_INLINE Fraction fraction_of(const LatticeWall& wall, double x, std::size_t at) {
  const Register b = loaded(wall.imaginary + at), sum = x + loaded(wall.real + at), kept = loaded(wall.kept + at);
  return {{(x * x - loaded(wall.norm + at)) * kept, b * (-2.0 * x) * kept}, sum * sum + b * b};
}

void reflect(const LatticeWall* walls, const std::int64_t* index, const double* cosines, double value,
             LatticePoints* amplitude) {
  for (std::size_t at = 0; at < lattice_points; at += lanes_a_register) {
    ComplexRegister result = {Register{} + value, Register{}};
    for (int axis = 0; axis < 3; ++axis) {
      const std::int64_t i = index[axis], number = i < 0 ? -i : i;
      if (number == 0) continue;
      const double x = cosines[axis] > 1e-12 ? cosines[axis] : 1e-12;  // a rigid wall reflects all at grazing incidence
      const Fraction low = fraction_of(walls[2 * axis], x, at), high = fraction_of(walls[2 * axis + 1], x, at);
      const Register inverse = 1.0 / (low.below * high.below);
      if (number % 2 != 0) {
        const Fraction& one = i > 0 ? high : low;
        const Register over = inverse * (i > 0 ? low.below : high.below);
        result = product(result, {one.above.real * over, one.above.imaginary * over});
      }
      ComplexRegister both = product(low.above, high.above);
      both.real *= inverse;
      both.imaginary *= inverse;
      for (std::int64_t power = number / 2; power > 0; power /= 2) {
        if (power % 2 != 0) result = product(result, both);
        if (power > 1) both = squared(both);
      }
    }
    stored(amplitude->real + at, result.real);
    stored(amplitude->imaginary + at, result.imaginary);
  }
}

void add(const LatticePoints* amplitude, double weight, const double* taps, LatticePoints* sums) {
  for (std::size_t at = 0; at < lattice_points; at += lanes_a_register) {
    const Register real = loaded(amplitude->real + at), imaginary = loaded(amplitude->imaginary + at);
    for (int tap = 0; tap < lattice_taps; ++tap) {
      const double factor = weight * taps[tap];
      stored(sums[tap].real + at, loaded(sums[tap].real + at) + factor * real);
      stored(sums[tap].imaginary + at, loaded(sums[tap].imaginary + at) + factor * imaginary);
    }
  }
}

}  // namespace

#define FDTD_LATTICE_NAME2(x) #x
#define FDTD_LATTICE_NAME(x) FDTD_LATTICE_NAME2(x)
namespace FDTD_ISA {
extern const LatticeCode lattice;
const LatticeCode lattice = {FDTD_LATTICE_NAME(FDTD_ISA), lattice_runs, reflect, add};
}  // namespace FDTD_ISA

}  // namespace fdtd
