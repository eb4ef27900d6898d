#include "tests/support/solutions/lossy_modes.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <stdexcept>

#include "engine/transducers/source_gain.hpp"
#include "stencils/dispersion.hpp"

namespace fdtd::test {

namespace {

using Complex = std::complex<double>;
constexpr double pi = std::numbers::pi;
constexpr Complex i_unit{0.0, 1.0};

Complex admittance_of(const std::vector<Branch>& branches, Complex omega) {
  const Complex s = i_unit * omega;
  Complex y = 0.0;
  for (const Branch& b : branches) y += 1.0 / (b.D * s + b.E + b.F / s);
  return y;
}

// The wave number along one axis from a near one, by Newton's method.
Complex axis_root(Complex k, double length, Complex a_0, Complex a_L) {
  for (int iteration = 0; iteration < 4; ++iteration) {
    const Complex sine = std::sin(k * length), cosine = std::cos(k * length);
    const Complex value = (k * k - a_0 * a_L) * sine - k * (a_0 + a_L) * cosine;
    const Complex slope =
        2.0 * k * sine + (k * k - a_0 * a_L) * length * cosine - (a_0 + a_L) * cosine + k * (a_0 + a_L) * length * sine;
    k -= value / slope;
  }
  return k;
}

// The integral of (cos kx + b sin kx)^2 over the axis.
Complex axis_norm(Complex k, double length, Complex b) {
  const Complex sine = std::sin(k * length);
  return length / 2.0 * (1.0 + b * b) + std::sin(2.0 * k * length) / (4.0 * k) * (1.0 - b * b) + sine * sine * b / k;
}

// (1/2) c^2 times the derivative by omega of what vanishes at a mode: omega N - (i c / 2) sum of (omega Y)' times the
// integral of the mode squared over each wall.
Complex denominator(const LossyBox& box, const LossyMode& mode) {
  std::array<Complex, 3> norm;
  for (std::size_t d = 0; d < 3; ++d) norm[d] = axis_norm(mode.k[d], box.sides[d], mode.slope[d]);
  Complex sum = mode.omega * norm[0] * norm[1] * norm[2];
  constexpr double step = 1e-5;
  for (std::size_t side = 0; side < 6; ++side) {
    const std::size_t d = side / 2;
    const auto term = [&](Complex omega) { return omega * admittance_of(box.walls[side], omega); };
    const Complex derivative =
        (term(mode.omega * (1.0 + step)) - term(mode.omega * (1.0 - step))) / (2.0 * step * mode.omega);
    const Complex at_wall =
        side % 2 == 0 ? 1.0 : std::cos(mode.k[d] * box.sides[d]) + mode.slope[d] * std::sin(mode.k[d] * box.sides[d]);
    sum -= i_unit * box.sound_speed / 2.0 * derivative * at_wall * at_wall * norm[(d + 1) % 3] * norm[(d + 2) % 3];
  }
  return sum;
}

LossyMode solve(const LossyBox& box, const std::array<int, 3>& n) {
  const double c = box.sound_speed;
  LossyMode mode;
  Complex square = 0.0;
  for (std::size_t d = 0; d < 3; ++d) {
    mode.k[d] = pi * n[d] / box.sides[d];
    square += mode.k[d] * mode.k[d];
  }
  mode.omega = c * std::sqrt(square);
  for (int iteration = 0; iteration < 200; ++iteration) {
    // Walls grow from rigid ones, so that every root is that of its own number of half waves.
    const double part = std::min(1.0, (iteration + 1) / 8.0);
    square = 0.0;
    for (std::size_t d = 0; d < 3; ++d) {
      const Complex a_0 = part * i_unit * mode.omega / c * admittance_of(box.walls[2 * d], mode.omega);
      const Complex a_L = part * i_unit * mode.omega / c * admittance_of(box.walls[2 * d + 1], mode.omega);
      if (n[d] == 0 && mode.k[d] == 0.0) mode.k[d] = std::sqrt((a_0 + a_L) / box.sides[d]);
      mode.k[d] = axis_root(mode.k[d], box.sides[d], a_0, a_L);
      mode.slope[d] = a_0 / mode.k[d];
      square += mode.k[d] * mode.k[d];
    }
    const Complex before = mode.omega;
    mode.omega = c * std::sqrt(square);
    if (part < 1.0 || !(std::abs(mode.omega - before) < 1e-11 * std::abs(before))) continue;
    mode.residue = 1.0 / denominator(box, mode);
    return mode;
  }
  throw std::runtime_error("a mode of the lossy box does not converge");
}

}  // namespace

std::complex<double> LossyMode::shape(const std::array<double, 3>& at) const {
  Complex product = 1.0;
  for (std::size_t d = 0; d < 3; ++d) product *= std::cos(k[d] * at[d]) + slope[d] * std::sin(k[d] * at[d]);
  return product;
}

std::vector<LossyMode> lossy_modes(const LossyBox& box, double highest) {
  std::vector<LossyMode> modes;
  std::array<int, 3> most{};
  for (std::size_t d = 0; d < 3; ++d) most[d] = static_cast<int>(2.0 * highest * box.sides[d] / box.sound_speed);
  for (int a = 0; a <= most[0]; ++a)
    for (int b = 0; b <= most[1]; ++b)
      for (int c = 0; c <= most[2]; ++c) {
        const double rigid = box.sound_speed / 2.0 * std::hypot(a / box.sides[0], b / box.sides[1], c / box.sides[2]);
        if (rigid > 0.0 && rigid < highest) modes.push_back(solve(box, {a, b, c}));
      }
  return modes;
}

std::function<ModeChange(const LossyMode&)> on_grid_of(const GridChoice& choice) {
  const std::vector<double> gains = source_gain(choice.grid_stencil, 257, choice.frequency_map);
  return [&choice, gains](const LossyMode& mode) {
    const Grid& grid = choice.grid;
    const double metres_a_step = grid.sound_speed * grid.time_step;
    Vec3 k{}, per_kappa{};
    double kappa = 0.0;
    for (const Complex& one : mode.k) kappa = std::hypot(kappa, metres_a_step * one.real());
    for (std::size_t d = 0; d < 3; ++d) {
      k[d] = mode.k[d].real() * grid.spacing[d];
      if (std::abs(k[d]) >= pi) return ModeChange{0.0, 0.0};
      per_kappa[d] = k[d] / kappa;
    }
    const double w = std::acos(std::clamp(symbol(choice.grid_stencil, k) / 2.0, -1.0, 1.0));
    const Vec3 gradient = symbol_gradient(choice.grid_stencil, k);
    double rise = 0.0;
    for (std::size_t d = 0; d < 3; ++d) rise -= gradient[d] * per_kappa[d];
    const double x = choice.frequency_map.undoes() ? choice.frequency_map.truth(w) : w;
    const double place = w / pi * static_cast<double>(gains.size() - 1);
    const auto i = std::min(static_cast<std::size_t>(place), gains.size() - 2);
    const double mean = gains[i] + (place - static_cast<double>(i)) * (gains[i + 1] - gains[i]);
    // Beyond the band: a gain above twice the mean, or another branch.
    if (rise * mean <= kappa) return ModeChange{0.0, 0.0};
    return ModeChange{(x - kappa) / grid.time_step, 2.0 * kappa / rise / mean};
  };
}

std::vector<double> modal_sum(const std::vector<LossyMode>& modes, double sound_speed,
                              const std::array<double, 3>& source, const std::array<double, 3>& receiver,
                              const std::function<ModeChange(const LossyMode&)>& change, double duration, double rate) {
  std::vector<double> response(static_cast<std::size_t>(duration * rate), 0.0);
  for (const LossyMode& mode : modes) {
    const ModeChange grid = change ? change(mode) : ModeChange{};
    if (grid.factor == 0.0) continue;
    const Complex turn = std::exp(i_unit * (mode.omega + grid.shift) / rate);
    Complex now = grid.factor * 4.0 * pi * sound_speed * sound_speed / rate * mode.residue * mode.shape(source) *
                  mode.shape(receiver);
    for (double& sample : response) {
      sample += now.imag();
      now *= turn;
    }
  }
  return response;
}

}  // namespace fdtd::test
