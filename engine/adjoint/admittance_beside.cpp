#include "engine/adjoint/admittance_beside.hpp"

#include <Eigen/Dense>
#include <algorithm>
#include <cmath>
#include <complex>
#include <utility>

#include "engine/walls/fit_problem.hpp"

namespace fdtd {
namespace {

using Complex = std::complex<double>;

constexpr double pull = 0.02;      // of logarithms of coefficients: branches may resemble each other
constexpr double faintest = 1e-9;  // admittance whose relative change counts
constexpr int rows_a_wave = 3;

// The change of what is absorbed, by its logarithm, and of the reflection.
void put(Eigen::Ref<Eigen::VectorXd> rows, double weight, double absorbed, Complex reflection) {
  rows[0] = weight * absorbed;
  rows[1] = weight * phase_weight * reflection.real();
  rows[2] = weight * phase_weight * reflection.imag();
}

}  // namespace

LawChange beside_as_it_is(const WallLaw& law) {
  return {std::vector<LawBranch>(law.branches.size(), LawBranch{0.0, 0.0, 0.0}), 0.0, 1.0};
}

LawChange difference_of(const WallLaw& up, const WallLaw& down, double apart) {
  LawChange change{{}, (up.inertance - down.inertance) / apart, 0.0};
  for (std::size_t b = 0; b < up.branches.size(); ++b)
    change.branches.push_back({(up.branches[b].D - down.branches[b].D) / apart,
                               (up.branches[b].E - down.branches[b].E) / apart,
                               (up.branches[b].F - down.branches[b].F) / apart});
  return change;
}

LawChange admittance_beside(const WallLaw& law, std::span<const Branch> branches, double time_step,
                            const std::vector<WallWave>& waves) {
  LawChange change = beside_as_it_is(law);
  std::vector<std::pair<const double*, double*>> moving;  // coefficients above 0, and their changes
  for (std::size_t b = 0; b < law.branches.size(); ++b) {
    const LawBranch& own = law.branches[b];
    LawBranch& by = change.branches[b];
    for (const auto& [value, to] : {std::pair(&own.D, &by.D), {&own.E, &by.E}, {&own.F, &by.F}})
      if (*value > 0.0) moving.emplace_back(value, to);
  }
  if (law.inertance > 0.0) moving.emplace_back(&law.inertance, &change.inertance);

  const std::vector<Aim> aims = aims_of(branches, time_step, waves);
  double unit = 0.0;  // of the admittance beside the branches
  for (const Aim& aim : aims) unit = std::max(unit, std::abs(aim.admittance));
  const auto columns = static_cast<Eigen::Index>(moving.size()) + 1;
  const auto of_waves = static_cast<Eigen::Index>(aims.size()) * rows_a_wave;
  Eigen::MatrixXd by_law = Eigen::MatrixXd::Zero(of_waves + columns - 1, columns);
  Eigen::VectorXd wanted = Eigen::VectorXd::Zero(of_waves + columns - 1);
  for (std::size_t i = 0; i < aims.size(); ++i) {
    const Aim& aim = aims[i];
    const auto row = static_cast<Eigen::Index>(i) * rows_a_wave;
    const Complex material = aim.admittance + waves[i].cosine;
    put(wanted.segment<rows_a_wave>(row), aim.weight * unit,
        1.0 / std::max(aim.admittance.real(), faintest) - 2.0 * material.real() / std::norm(material),
        -2.0 * waves[i].cosine / (material * material));
    Complex y = 0.0;
    for (const LawBranch& one : law.branches) y += 1.0 / impedance(one, aim.s);
    const Complex z = law.inertance * aim.s + 1.0 / y, sum = z + aim.load;
    Eigen::Index column = 0;
    const auto moved = [&](Complex dz) {
      Eigen::Vector3d rows;
      put(rows, aim.weight, dz.real() / z.real() - 2.0 * (std::conj(sum) * dz).real() / std::norm(sum),
          2.0 * aim.load.real() / (sum * sum) * dz);
      by_law.block<rows_a_wave, 1>(row, column++) = rows;
    };
    for (const LawBranch& one : law.branches) {
      const Complex part = 1.0 / impedance(one, aim.s), by = part * part / (y * y);
      if (one.D > 0.0) moved(by * one.D * aim.s);
      if (one.E > 0.0) moved(by * one.E);
      if (one.F > 0.0) moved(by * one.F / aim.s);
    }
    if (law.inertance > 0.0) moved(law.inertance * aim.s);
    moved(-unit / (y * y));
  }
  for (Eigen::Index c = 0; c + 1 < columns; ++c) by_law(of_waves + c, c) = pull;
  const Eigen::VectorXd found = by_law.colPivHouseholderQr().solve(wanted) / unit;
  for (std::size_t i = 0; i < moving.size(); ++i)
    *moving[i].second = *moving[i].first * found[static_cast<Eigen::Index>(i)];
  change.admittance = unit * found[columns - 1];
  return change;
}

}  // namespace fdtd
