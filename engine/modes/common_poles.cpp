#include "engine/modes/common_poles.hpp"

#include <Eigen/Dense>

#include <algorithm>
#include <cmath>

namespace fdtd {
namespace {

using Matrix = Eigen::MatrixXcd;
using Index = Eigen::Index;

constexpr Index most_outputs = 24;      // combinations of receivers in the Hankel matrix
constexpr double output_floor = 1e-13;  // of their energies, relative to the largest

// One column a sample and source, in that order; one row a receiver.
Matrix as_matrix(const BandRecords& records, std::int64_t begin, std::int64_t end) {
  const auto columns = static_cast<Index>((end - begin) * records.sources);
  return Eigen::Map<const Matrix>(records.values.data() + begin * records.sources * records.receivers,
                                  static_cast<Index>(records.receivers), columns);
}

// Orthonormal combinations of the receivers that hold the most energy: no mode is lost at the nodes of its shape.
Matrix strongest_outputs(const Matrix& records) {
  if (records.rows() <= most_outputs) return Matrix::Identity(records.rows(), records.rows());
  Matrix gram = Matrix::Zero(records.rows(), records.rows());
  gram.selfadjointView<Eigen::Lower>().rankUpdate(records);
  const Eigen::SelfAdjointEigenSolver<Matrix> solver(gram);
  const Eigen::VectorXd& energy = solver.eigenvalues();  // ascending
  Index count = 0;
  while (count < most_outputs && energy(energy.size() - 1 - count) > output_floor * energy(energy.size() - 1)) ++count;
  return solver.eigenvectors().rightCols(std::max<Index>(count, 1));
}

struct Hankel {
  Matrix values;
  Index lags = 0, outputs = 0, columns = 0;
};

Hankel hankel_of(const Matrix& outputs, Index samples, Index sources, int rows) {
  Hankel hankel;
  hankel.outputs = outputs.rows();
  hankel.lags = std::clamp<Index>((rows + hankel.outputs - 1) / hankel.outputs, 4, std::max<Index>(4, samples / 2));
  const Index times = samples - hankel.lags + 1;
  hankel.columns = std::max<Index>(times, 0) * sources;
  hankel.values.resize(hankel.lags * hankel.outputs, hankel.columns);
  for (Index lag = 0; lag < hankel.lags && times > 0; ++lag)
    hankel.values.middleRows(lag * hankel.outputs, hankel.outputs) = outputs.middleCols(lag * sources, hankel.columns);
  return hankel;
}

// Left singular vectors of the largest singular values, and how far the rest is below them.
struct SignalSpace {
  Matrix vectors;
  double noise = 0.0;
};

SignalSpace signal_space(const Hankel& hankel, const PoleOptions& options) {
  // The eigenvectors of H H^*: what lies 1e-8 below the largest singular value is lost, and is below every use here.
  Matrix gram = Matrix::Zero(hankel.values.rows(), hankel.values.rows());
  gram.selfadjointView<Eigen::Lower>().rankUpdate(hankel.values);
  const Eigen::SelfAdjointEigenSolver<Matrix> solver(gram);
  const Index size = gram.rows();
  std::vector<double> singular;  // descending
  for (Index i = 0; i < size; ++i) singular.push_back(std::sqrt(std::max(0.0, solver.eigenvalues()(size - 1 - i))));
  const Index known = std::min<Index>(size, hankel.columns);
  const double noise = singular[static_cast<std::size_t>(known / 2 + known / 4)];
  const double least = std::max(options.floor * singular[0], options.above_noise * noise);
  const Index most = std::min<Index>((hankel.lags - 1) * hankel.outputs, known) - 1;
  Index order = 0;
  while (order < most && singular[static_cast<std::size_t>(order)] > least) ++order;
  return {solver.eigenvectors().rightCols(order), singular[static_cast<std::size_t>(order)] / singular[0]};
}

// b_ks from Gamma_kj = z_k^j b_ks: the excitation of each source, by least squares over time.
Matrix drives_of(const Matrix& gamma, const Eigen::VectorXcd& z, Index sources) {
  const Index times = gamma.cols() / sources;
  Matrix drives = Matrix::Zero(gamma.rows(), sources);
  for (Index k = 0; k < gamma.rows(); ++k) {
    std::complex<double> power = 1.0;
    double weight = 0.0;
    for (Index j = 0; j < times; ++j) {
      drives.row(k) += std::conj(power) * gamma.row(k).middleCols(j * sources, sources);
      weight += std::norm(power);
      power *= z(k);
    }
    drives.row(k) /= weight;
  }
  return drives;
}

// c_rk by least squares of all records on z_k^m b_ks.
Matrix shapes_of(const Matrix& records, const Eigen::VectorXcd& z, const Matrix& drives, double& residual) {
  const Index sources = drives.cols(), samples = records.cols() / sources;
  Matrix model(records.cols(), z.size());
  for (Index k = 0; k < z.size(); ++k) {
    std::complex<double> power = 1.0;
    for (Index m = 0; m < samples; ++m, power *= z(k))
      model.col(k).segment(m * sources, sources) = power * drives.row(k).transpose();
  }
  const Matrix shapes = model.colPivHouseholderQr().solve(records.transpose());
  residual = (model * shapes - records.transpose()).norm() / records.norm();
  return shapes;  // [k][receiver]
}

std::vector<std::vector<std::complex<double>>> rows_of(const Matrix& matrix) {
  std::vector<std::vector<std::complex<double>>> rows(static_cast<std::size_t>(matrix.rows()));
  for (Index k = 0; k < matrix.rows(); ++k)
    for (Index c = 0; c < matrix.cols(); ++c) rows[static_cast<std::size_t>(k)].push_back(matrix(k, c));
  return rows;
}

}  // namespace

double part_within(const std::vector<std::complex<double>>& shape,
                   const std::vector<std::vector<std::complex<double>>>& others) {
  const auto vector = [](const std::vector<std::complex<double>>& values) {
    return Eigen::Map<const Eigen::VectorXcd>(values.data(), static_cast<Index>(values.size()));
  };
  const double energy = vector(shape).squaredNorm();
  if (others.empty() || !(energy > 0.0)) return 0.0;
  Matrix span(static_cast<Index>(shape.size()), static_cast<Index>(others.size()));
  for (std::size_t i = 0; i < others.size(); ++i) span.col(static_cast<Index>(i)) = vector(others[i]);
  const Eigen::ColPivHouseholderQR<Matrix> factors(span);
  const Matrix basis = factors.householderQ() * Matrix::Identity(span.rows(), factors.rank());
  return (basis.adjoint() * vector(shape)).squaredNorm() / energy;
}

CommonPoles common_poles(const BandRecords& records, const PoleOptions& options) {
  CommonPoles found;
  const Index samples = options.end - options.begin, sources = records.sources;
  if (samples < 8 || sources < 1 || records.receivers < 1) return found;
  const Matrix all = as_matrix(records, options.begin, options.end);
  if (!(all.squaredNorm() > 0.0)) return found;
  const Matrix outputs = strongest_outputs(all).adjoint() * all;
  const Hankel hankel = hankel_of(outputs, samples, sources, options.rows);
  if (hankel.columns < 2) return found;
  const SignalSpace space = signal_space(hankel, options);
  found.noise = space.noise;
  const Index order = space.vectors.cols();
  if (order == 0) return found;
  const Index shifted = (hankel.lags - 1) * hankel.outputs;
  const Matrix shift = space.vectors.topRows(shifted).householderQr().solve(space.vectors.bottomRows(shifted));
  const Eigen::ComplexEigenSolver<Matrix> solver(shift);
  const Eigen::VectorXcd z = solver.eigenvalues();
  const Matrix gamma = solver.eigenvectors().partialPivLu().solve(space.vectors.adjoint() * hankel.values);
  const Matrix drives = drives_of(gamma, z, sources);
  const Matrix shapes = shapes_of(all, z, drives, found.residual);
  found.z.assign(z.data(), z.data() + z.size());
  found.drives = rows_of(drives);
  found.shapes = rows_of(shapes);
  return found;
}

}  // namespace fdtd
