// Late sound as noise: pressure whose energy by octave, time and direction is that of a histogram.
//
// Arrivals are random in time. Their density is the room's own, 4 pi c^3 t^2 / V after t seconds, between two limits.
// Early in a hall, with specular paths apart, a histogram holds scattered sound, which is denser than its mirror images:
// the lower limit. Time is cut into ticks, a third of which has an arrival at the largest density. The fourth cumulant of
// a tick of probability p is p (1 - 3 p) times that of its sample: a Poisson process while arrivals are sparse, and none
// at the largest density, where every band of the noise has the kurtosis of Gaussian noise. An arrival is one sample of
// either sign. All octaves have the same arrivals, for one arrival has one spectrum: its amplitude in octave b is the
// root of the histogram's energy per second over the density, and the octaves of the bank (octave_bank.hpp) add up to it.
// An arrival over r metres has the energy 1 / r^2 in the histogram and the height 1 / r in pressure.
//
// Random numbers are functions of the seed, the source, the receiver and the place in the sequence: neither the rate of
// the samples nor the number of threads changes an arrival.
#pragma once

#include <array>
#include <complex>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace fdtd {

// Arrivals a second; s.
inline constexpr double least_density = 500.0, largest_density = 32e3, late_tick = 1.0 / (3.0 * largest_density);

// Of one source and receiver; the spans are read by the constructor of LateArrivals alone.
struct LateEnergies {
  std::size_t octaves = 0, bins = 0;
  double bin = 1e-3;  // s; bin i lasts from i to i + 1 of them after the emission
  // Unit vectors towards the middles of the cells to which directions of arrival are assigned, a cell being all
  // directions that are nearest to its middle; empty: directions do not count.
  std::span<const std::array<double, 3>> directions;
  std::span<const double> energy;  // [octave][bin], or [octave][bin][direction]
};

struct LateSettings {
  double volume = 0.0, sound_speed = 343.2;  // m3, m/s
  // s after the emission: of the direct sound, before which there is no arrival. Energy in earlier bins counts in the
  // first one that has arrivals: spheres about a receiver are met before their centre.
  double start = 0.0;
  std::uint64_t seed = 0, source = 0, receiver = 0;
};

struct LateArrival {
  double time = 0.0;                // s after the emission
  double weight = 0.0;              // +-1 over the root of the density, s^1/2
  std::uint32_t bin = 0;            // of the histogram
  std::uint32_t cell = 0;           // of its direction
  std::array<double, 3> towards{};  // a unit vector, uniform in the cell; zero where directions do not count
};

class LateArrivals {
 public:
  // Throws std::invalid_argument where sizes disagree or a volume, a speed or a bin is not above 0.
  LateArrivals(const LateEnergies& energies, const LateSettings& settings);
  const std::vector<LateArrival>& all() const { return arrivals_; }  // by time
  std::size_t octaves() const { return octaves_; }
  // The height of an arrival in an octave, with its sign.
  double amplitude(const LateArrival& arrival, std::size_t octave) const {
    return arrival.weight * roots_[(octave * bins_ + arrival.bin) * cells_ + arrival.cell];
  }

 private:
  void set_roots(const LateEnergies& energies, const std::vector<double>& seconds, std::size_t first);
  std::size_t octaves_ = 0, bins_ = 0, cells_ = 1;
  std::vector<double> roots_;   // of the energy per second, in a direction over its probability
  std::vector<double> shares_;  // [bin][cell]: the probability of a cell and of all before it
  std::vector<LateArrival> arrivals_;
};

// The spectrum of late sound on the bins k = 0..length / 2 of a transform of `length` samples at `rate` (Hz), as real_fft
// has it: each arrival on its nearest sample, filtered by the bank of `centres` (Hz, of the octaves) with zero phase, on a
// circle. Those after the last sample are left out. `gains`: a factor for each arrival, as of a receiver's pattern in its
// direction; empty: 1.
std::vector<std::complex<double>> late_spectrum(const LateArrivals& arrivals, std::span<const double> centres,
                                                double rate, std::int64_t length, std::span<const double> gains = {});

}  // namespace fdtd
