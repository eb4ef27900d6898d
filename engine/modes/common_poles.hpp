// The complex exponentials that the records of many channels share.
//
// The record of receiver r for source s is sum_k c_rk z_k^m b_ks. A block Hankel matrix of the records, rows by lag and
// receiver, columns by time and source, has the rank of their number, and its column space is invariant under a shift of
// one lag: the eigenvalues of that shift are the z_k (total least squares ESPRIT: R. Roy, T. Kailath, IEEE Trans. Acoust.
// Speech Signal Process. 37, 1989; with several inputs and outputs the eigensystem realization algorithm: J.-N. Juang,
// R. S. Pappa, J. Guid. Control Dyn. 8, 1985). Equal z_k of different modes stay apart where the shapes c_k and the
// excitations b_k of several receivers and sources do.
#pragma once

#include <complex>
#include <cstdint>
#include <vector>

namespace fdtd {

// Complex records: values[(m * sources + s) * receivers + r].
struct BandRecords {
  std::int64_t samples = 0, sources = 0, receivers = 0;
  std::vector<std::complex<double>> values;
};

struct PoleOptions {
  std::int64_t begin = 0, end = 0;  // samples to use: [begin, end)
  int rows = 200;                   // of the block Hankel matrix, about
  double floor = 1e-7;              // singular values below this part of the largest count as noise
  double above_noise = 5.0;         // others must exceed the noise, the median of the smaller half, by this factor
};

struct CommonPoles {
  std::vector<std::complex<double>> z;                    // per sample
  std::vector<std::vector<std::complex<double>>> shapes;  // c: [k][receiver]
  std::vector<std::vector<std::complex<double>>> drives;  // b at the sample `begin`: [k][source]
  double noise = 0.0;                                     // largest singular value that was left out, over the largest
  double residual = 0.0;  // root mean square of what the exponentials leave, over that of the records
};

// The part of the energy of `shape` that lies in the span of `others`, 0 to 1: of one other the modal assurance criterion
// (R. J. Allemang, D. L. Brown, IMAC 1, 1982).
double part_within(const std::vector<std::complex<double>>& shape,
                   const std::vector<std::vector<std::complex<double>>>& others);

// Empty where the records are too short or silent.
CommonPoles common_poles(const BandRecords& records, const PoleOptions& options);

}  // namespace fdtd
