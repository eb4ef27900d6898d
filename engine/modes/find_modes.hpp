// The modes of a room below a frequency, from the records of several sources at many receivers.
//
// Band by band (zoom.hpp) the exponentials that all records share are found (common_poles.hpp) twice: by different parts
// of the records, orders and sizes of the matrix. A mode is reported where both estimates agree; the difference between
// them is its stated error. The criteria, by which the other exponentials are left out:
//   - both estimates agree within 5 cents, and within 10 % of the decay or 1 % of that over the record;
//   - its shape at the receivers is among those of the other estimate there, 90 % of its energy at least;
//   - it does not grow;
//   - its half width, decay / 2 pi, is less than half that of the band;
//   - its share of the energy in the band exceeds what the exponentials leave, ten times over, and 1e-9.
#pragma once

#include <complex>
#include <vector>

#include "engine/run/recording.hpp"

namespace fdtd {

struct ModeSearch {
  double from = 20.0, to = 200.0;  // Hz, of the grid
  double decay_time = 0.5;         // s, 60 dB: of the room, about; sets the width of bands
  double density = 1.0;            // modes a hertz at `to`, about; sets the sizes of matrices
};

// Modes of one frequency and decay.
struct FoundMode {
  std::complex<double> z;                                 // per sample of the record
  double frequency = 0.0;                                 // Hz, of the grid
  double decay = 0.0;                                     // 1/s: the pressure decays as exp(-decay t)
  double frequency_error = 0.0;                           // Hz, between the two estimates
  double decay_error = 0.0;                               // 1/s
  std::vector<std::vector<std::complex<double>>> shapes;  // [mode][receiver]
  std::vector<std::vector<std::complex<double>>> drives;  // [mode][source]: the record holds Re(drive shape z^n)
  std::size_t multiplicity() const { return shapes.size(); }
  std::complex<double> amplitude(std::size_t source, std::size_t receiver) const;
};

struct ModeList {
  std::vector<FoundMode> modes;  // ascending in frequency
  int left_out = 0;              // exponentials in the band that failed a criterion
  double residual = 0.0;         // largest of the bands: what the exponentials leave, over the records there
  double lost = 0.0;             // s, at the beginning of the records, that the bands' filters take
  double used = 0.0;             // s, of the records behind it and above their noise: least of the bands
};

// Hz, from the end of a band to where its filter blocks; for planning how long a record must be.
double band_transition(const ModeSearch& search);

// Throws Error (numerical) where the records are too short for any band.
ModeList find_modes(const Recording& recording, const ModeSearch& search);

}  // namespace fdtd
