// The inner loops over a box's image sources, compiled once an instruction set (isa/lattice_isa.cpp): plain data and
// function pointers only. The same bytes on all of them, without fused products, which some have.
#pragma once

#include <cstddef>
#include <cstdint>

namespace fdtd {

inline constexpr std::size_t lattice_points = 16;  // frequencies
inline constexpr int lattice_taps = 6;             // samples that an image is spread over

// Complex values at the frequencies.
struct alignas(64) LatticePoints {
  double real[lattice_points] = {}, imaginary[lattice_points] = {};
};

// A wall's normalised admittance, its squared magnitude, and sqrt(1 - s) of its scattering.
struct alignas(64) LatticeWall {
  double real[lattice_points] = {}, imaginary[lattice_points] = {}, norm[lattice_points] = {},
         kept[lattice_points] = {};
};

struct LatticeCode {
  const char* instruction_set;
  bool (*runs_here)();
  // value times the reflections of an image at the two walls of each axis, by turns: R = (x - y)/(x + y), x the cosine.
  void (*reflect)(const LatticeWall* walls, const std::int64_t* index, const double* cosines, double value,
                  LatticePoints* amplitude);
  // sums[tap] += weight taps[tap] amplitude
  void (*add)(const LatticePoints* amplitude, double weight, const double* taps, LatticePoints* sums);
};

// All of this build, the best first, and a null where they end.
const LatticeCode* const* lattice_codes();
// The best that this processor runs.
const LatticeCode& lattice_code();

}  // namespace fdtd
