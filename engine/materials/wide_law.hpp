// The law of a wall over the whole audible band, for image sources and rays: no grid sees it. The wave part's branches
// are fitted to the same law, so that both sides of the crossover reflect alike.
#pragma once

#include <array>
#include <complex>

#include "engine/materials/material_law.hpp"
#include "scenes/scene.hpp"

namespace fdtd {

inline constexpr double highest_wide_frequency = 22400.0;  // Hz: the upper border of the 16 kHz octave

class WideLaw {
 public:
  WideLaw() = default;  // rigid
  // Throws as MaterialLaw. `sound_speed` (m/s) matters only to porous layers.
  WideLaw(const Material& material, double sound_speed);

  // Normalised, f > 0 in Hz. Above the octave of the highest band the admittance is constant, with the absorption
  // that this band states; over a quarter of an octave the law goes over into it.
  std::complex<double> admittance(double frequency) const;
  // The frequency (Hz) from which the data no longer say how the wall reflects, below highest_wide_frequency: the
  // highest band's coefficient is held, or the last line of an impedance table is continued, or the model of a porous
  // layer is beyond the range of its measurements. 0: nowhere.
  double extended_from() const { return extended_from_; }

 private:
  MaterialLaw law_;
  double extended_from_ = 0.0;
  double held_from_ = 0.0;  // Hz; 0: the law holds at all frequencies
  std::complex<double> held_;
};

// Of a plane wave at the angle of incidence with this cosine, 0 to 1, on a wall of normalised admittance.
inline std::complex<double> reflection(std::complex<double> admittance, double cosine) {
  if (admittance == 0.0) return 1.0;  // at grazing incidence too
  return (cosine - admittance) / (cosine + admittance);
}

// A wall in an octave: its admittances at octave_point(centre, 0..4), evenly in log frequency.
inline constexpr int octave_points = 5;
double octave_point(double centre, int point);  // Hz

struct WallOctave {
  std::array<std::complex<double>, octave_points> admittance{};
  double kept_when_scattered = 1.0;  // of the energy: 1 - the random-incidence absorption coefficient
};
WallOctave wall_octave(const WideLaw& law, double centre);

// The fraction of the energy that a specular reflection keeps: the mean of |reflection|^2 over the octave.
inline double reflected_energy(const WallOctave& wall, double cosine) {
  double sum = 0.0;
  for (const std::complex<double>& y : wall.admittance) {
    const double less = cosine - y.real(), more = cosine + y.real(), b = y.imag() * y.imag();
    const double denominator = more * more + b;
    sum += denominator > 0.0 ? (less * less + b) / denominator : 1.0;
  }
  return sum / octave_points;
}

}  // namespace fdtd
