#include "engine/transducers/near_lattice.hpp"

#include <algorithm>
#include <cmath>
#include <complex>
#include <numbers>
#include <span>
#include <utility>

#include "base/math/quadrature.hpp"

namespace fdtd {
namespace {

using Complex = std::complex<double>;
constexpr double pi = std::numbers::pi;
constexpr double split = 1.6;                                   // sigma in cells: R is below 4e-9 at the zone's edge
constexpr int highest_degree = 2 * NearLattice::highest_power;  // of two operations together
constexpr int quadrature_order = 64;
constexpr double far_exponent = 40.0;  // Gaussians beyond e^-40 are none

// Derivatives in rho = r^2, up to the number `degree`, of the fields of (1 - R) / k^2 and (1 - R) / k^4: with t = k^2
// tau,
//   1 - R = 1/2 integral from 0 to sigma^2 of tau^2 k^6 e^{-k^2 tau} dtau, and e^{-k^2 tau} is the field of a Gaussian.
struct LocalFields {
  std::array<double, highest_degree + 1> second{}, fourth{};
};

LocalFields local_fields(double rho, double sigma, int degree) {
  static const auto nodes = gauss_legendre(quadrature_order);
  LocalFields found;
  const double end = sigma * sigma;
  const auto gaussian = [rho](double tau) { return 0.5 / std::sqrt(pi * tau) / tau * std::exp(-rho / (4.0 * tau)); };
  for (const QuadratureNode& node : nodes) {  // tau = end x^2
    const double tau = end * node.x * node.x;
    double value = 2.0 * end * node.x * node.weight * gaussian(tau);
    for (std::size_t m = 0; m <= static_cast<std::size_t>(degree); ++m, value *= -0.25 / tau) {
      found.second[m] += value;
      found.fourth[m] += value * tau;
    }
  }
  double before = 0.0, g = gaussian(end);
  for (std::size_t m = 0; m <= static_cast<std::size_t>(degree); ++m) {
    // 1/2 [tau^2 dg/dtau - 2 tau g] and -1/2 tau^2 g at the end.
    const double order = static_cast<double>(m);
    found.second[m] += 0.5 * ((-1.5 * end + 0.25 * rho) * g + 0.25 * order * before - 2.0 * end * g);
    found.fourth[m] -= 0.5 * end * end * g;
    before = g;
    g *= -0.25 / end;
  }
  return found;
}

// Coefficients of x^(n - 2j) F^(n - j) in the n-th derivative of F(x^2): n! 2^(n - 2j) / (j! (n - 2j)!).
double chain(int n, int j) {
  return std::tgamma(n + 1.0) * std::pow(2.0, n - 2 * j) / (std::tgamma(j + 1.0) * std::tgamma(n - 2 * j + 1.0));
}

// A derivative in space of a function of rho.
double derivative(const std::array<int, 3>& n, const std::array<double, 3>& x, std::span<const double> by_rho) {
  double sum = 0.0;
  for (int i = 0; 2 * i <= n[0]; ++i)
    for (int j = 0; 2 * j <= n[1]; ++j)
      for (int k = 0; 2 * k <= n[2]; ++k)
        sum += chain(n[0], i) * chain(n[1], j) * chain(n[2], k) * std::pow(x[0], n[0] - 2 * i) *
               std::pow(x[1], n[1] - 2 * j) * std::pow(x[2], n[2] - 2 * k) *
               by_rho[static_cast<std::size_t>(n[0] + n[1] + n[2] - i - j - k)];
  return sum;
}

// to += a b, without the standard's care for infinities.
void add_product(Complex& to, const Complex& a, const Complex& b) {
  to = {to.real() + a.real() * b.real() - a.imag() * b.imag(), to.imag() + a.real() * b.imag() + a.imag() * b.real()};
}

// e^{ikx} of the wave numbers k = 0, 1, ... and the places first, first + 1, ..., first + count - 1: rows of k.
std::vector<Complex> phases(int waves, int period, int first, int count) {
  std::vector<Complex> turn, all;
  for (int i = 0; i < period; ++i) turn.push_back(std::polar(1.0, 2.0 * pi * i / period));
  for (int k = 0; k < waves; ++k)
    for (int i = first; i < first + count; ++i) {
      const int product = static_cast<int>(static_cast<long long>(k) * i % period);
      all.push_back(turn[static_cast<std::size_t>(product < 0 ? product + period : product)]);
    }
  return all;
}

// The powers of all derivatives of one operation.
template <class Visit>
void each_powers(const Visit& visit) {
  for (int x = 0; x <= NearLattice::highest_power; ++x)
    for (int y = 0; x + y <= NearLattice::highest_power; ++y)
      for (int z = 0; x + y + z <= NearLattice::highest_power; ++z) visit(std::array<int, 3>{x, y, z});
}

}  // namespace

NearLattice::NearLattice(const Plan& plan, const std::array<int, 3>& period)
    : period_(period), spacing_(plan.grid.spacing), scale_(plan.drive_scale) {
  const GridStencil& stencil = plan.stencil;
  double second = 0.0, fourth = 0.0;
  for (const Term& term : stencil.terms) {
    double square = 0.0;
    for (std::size_t d = 0; d < 3; ++d) square += std::pow(term.offset[d] / stencil.courant[d], 2);
    second += term.weight * image_count(term) * square / 6.0;
    fourth += term.weight * image_count(term) * square * square / 120.0;
  }
  b_ = 1.0 / second;
  alpha_ = fourth;
  sigma_ = split * *std::max_element(spacing_.begin(), spacing_.end());
  step_ = plan.grid.sound_speed * plan.grid.time_step;
  std::array<std::vector<double>, 3> cosines;  // cos(k m), by k and m
  const int steps = stencil.radius + 1;
  for (std::size_t d = 0; d < 3; ++d) {
    half_[d] = period[d] / 2 + 1;
    for (int k = 0; k < half_[d]; ++k)
      for (int m = 0; m < steps; ++m) cosines[d].push_back(std::cos(2.0 * pi * (k * m % period[d]) / period[d]));
  }
  for (int x = 0; x < half_[0]; ++x)
    for (int y = 0; y < half_[1]; ++y)
      for (int z = 0; z < half_[2]; ++z) {
        const std::array<int, 3> k = {x, y, z};
        double square = 0.0, operated = 2.0 - stencil.centre;
        for (std::size_t d = 0; d < 3; ++d) square += std::pow(2.0 * pi * k[d] / period[d] / spacing_[d], 2);
        for (const Term& term : stencil.terms) {
          double product = term.weight * image_count(term);
          for (std::size_t d = 0; d < 3; ++d)
            product *= cosines[d][static_cast<std::size_t>(k[d] * steps + std::abs(term.offset[d]))];
          operated -= product;
        }
        const double s = sigma_ * sigma_ * square, q = step_ * step_ * square;
        const double smooth = std::exp(-s) * (1.0 + s + 0.5 * s * s);
        const bool constant = x + y + z == 0;
        inverse_.push_back(constant ? 0.0 : 1.0 / operated);
        smooth_.push_back(
            constant ? StaticTerms{}
                     : StaticTerms{smooth * b_ / q, smooth * (b_ * b_ / (q * q) + 2.0 * alpha_ * b_ * b_ * b_ / q)});
      }
}

// Of a transform by axis: from the nodes of a source, which fill a box, to wave numbers, and from these to places.
struct NearLattice::Phases {
  std::array<std::size_t, 3> count{}, waves{}, places{};  // of the box, of wave numbers, of places
  std::array<std::vector<Complex>, 3> out, back;
  std::vector<double> box;  // weights of the nodes
};

NearLattice::Phases NearLattice::phases_of(const Nodes& sent, const std::array<int, 3>& low,
                                           const std::array<int, 3>& size) const {
  std::array<int, 3> first = sent.at.front(), last = first;
  for (const auto& at : sent.at)
    for (std::size_t d = 0; d < 3; ++d) {
      first[d] = std::min(first[d], at[d]);
      last[d] = std::max(last[d], at[d]);
    }
  Phases made;
  for (std::size_t d = 0; d < 3; ++d) {
    made.count[d] = static_cast<std::size_t>(last[d] - first[d] + 1);
    made.waves[d] = static_cast<std::size_t>(d == 0 ? half_[d] : period_[d]);
    made.places[d] = static_cast<std::size_t>(size[d]);
    const int waves = static_cast<int>(made.waves[d]);
    made.out[d] = phases(waves, period_[d], first[d], static_cast<int>(made.count[d]));
    made.back[d] = phases(waves, period_[d], low[d], size[d]);
  }
  made.box.assign(made.count[0] * made.count[1] * made.count[2], 0.0);
  for (std::size_t i = 0; i < sent.at.size(); ++i) {
    const auto part = [&](std::size_t d) { return static_cast<std::size_t>(sent.at[i][d] - first[d]); };
    made.box[(part(2) * made.count[1] + part(1)) * made.count[0] + part(0)] += sent.weights[i];
  }
  return made;
}

// The fields of all waves with the wave number kx, on the places of y and z.
void NearLattice::fields_of_wave(const Phases& on, std::size_t kx, std::array<std::vector<Complex>, 2>& along_y) const {
  const auto& [count, waves, places, out, back, box] = on;
  std::vector<Complex> rows(count[1] * count[2]), columns(count[2]);
  std::array<std::vector<Complex>, 2> along_z;
  for (auto& one : along_z) one.resize(places[2]);
  for (std::size_t row = 0; row < rows.size(); ++row)
    for (std::size_t x = 0; x < count[0]; ++x) rows[row] += box[row * count[0] + x] * out[0][kx * count[0] + x];
  for (auto& one : along_y) std::fill(one.begin(), one.end(), 0.0);
  for (std::size_t ky = 0; ky < waves[1]; ++ky) {
    for (std::size_t z = 0; z < count[2]; ++z) {
      columns[z] = 0.0;
      for (std::size_t y = 0; y < count[1]; ++y)
        add_product(columns[z], rows[z * count[1] + y], out[1][ky * count[1] + y]);
    }
    for (auto& one : along_z) std::fill(one.begin(), one.end(), 0.0);
    const std::size_t y_octant = std::min(ky, waves[1] - ky);
    for (std::size_t kz = 0; kz < waves[2]; ++kz) {
      Complex sum = 0.0;
      for (std::size_t z = 0; z < count[2]; ++z) add_product(sum, columns[z], out[2][kz * count[2] + z]);
      const double inverse =
          inverse_[(kx * static_cast<std::size_t>(half_[1]) + y_octant) * static_cast<std::size_t>(half_[2]) +
                   std::min(kz, waves[2] - kz)];
      const std::array<Complex, 2> field = {std::conj(sum) * inverse, std::conj(sum) * (inverse * inverse)};
      for (std::size_t j = 0; j < 2; ++j)
        for (std::size_t z = 0; z < places[2]; ++z) add_product(along_z[j][z], field[j], back[2][kz * places[2] + z]);
    }
    for (std::size_t j = 0; j < 2; ++j)
      for (std::size_t y = 0; y < places[1]; ++y)
        for (std::size_t z = 0; z < places[2]; ++z)
          add_product(along_y[j][y * places[2] + z], along_z[j][z], back[1][ky * places[1] + y]);
  }
}

StaticFields NearLattice::of_nodes(const Nodes& sent, const std::array<int, 3>& low,
                                   const std::array<int, 3>& size) const {
  const Phases on = phases_of(sent, low, size);
  const auto& places = on.places;
  StaticFields found{low, size, std::vector<StaticTerms>(places[0] * places[1] * places[2])};
  const double mean_scale = scale_ / (static_cast<double>(period_[0]) * period_[1] * period_[2]);
  std::array<std::vector<Complex>, 2> along_y;
  for (auto& one : along_y) one.resize(places[1] * places[2]);
  for (std::size_t kx = 0; kx < on.waves[0]; ++kx) {
    fields_of_wave(on, kx, along_y);
    const double both = kx == 0 || kx + 1 == on.waves[0] ? mean_scale : 2.0 * mean_scale;  // k and -k count the same
    for (std::size_t j = 0; j < 2; ++j)
      for (std::size_t z = 0; z < places[2]; ++z)
        for (std::size_t y = 0; y < places[1]; ++y)
          for (std::size_t x = 0; x < places[0]; ++x) {
            const Complex &a = along_y[j][y * places[2] + z], &turn = on.back[0][kx * places[0] + x];
            found.values[(z * places[1] + y) * places[0] + x][j] +=
                both * (a.real() * turn.real() - a.imag() * turn.imag());
          }
  }
  return found;
}

NearLattice::Points::Points(const NearLattice& lattice, const Tap& source, const std::array<int, 3>& sent,
                            const std::array<double, 3>& receiver, const Images& images)
    : terms_(at(highest_power, highest_power, highest_power) + 1) {
  std::array<Places, 3> places;
  for (std::size_t d = 0; d < 3; ++d)
    for (const Image& image : images[d])
      places[d].emplace_back(receiver[d] - image.position(source.position[d], lattice.spacing_[d]),
                             image.mirrored && sent[d] % 2 != 0 ? -1.0 : 1.0);
  add_waves(lattice, sent, places);
  add_outside(lattice, sent, std::move(places));
}

// The waves within the zone.
void NearLattice::Points::add_waves(const NearLattice& lattice, const std::array<int, 3>& sent,
                                    const std::array<Places, 3>& places) {
  const int sent_degree = sent[0] + sent[1] + sent[2];
  // By axis and power, of waves k and -k together: real, but for a factor i of odd powers.
  std::array<std::array<std::vector<double>, highest_power + 1>, 3> along;
  for (std::size_t d = 0; d < 3; ++d)
    for (int k = 0; k < lattice.half_[d]; ++k) {
      const double wave = 2.0 * pi * k / lattice.period_[d] / lattice.spacing_[d];
      double even = 0.0, odd = 0.0;
      for (const auto& [apart, sign] : places[d]) {
        even += sign * std::cos(wave * apart);
        odd += sign * std::sin(wave * apart);
      }
      const double both = k == 0 || k + 1 == lattice.half_[d] ? 1.0 : 2.0;
      for (int m = 0; m <= highest_power; ++m)
        along[d][static_cast<std::size_t>(m)].push_back(both * std::pow(wave, m + sent[d]) *
                                                        ((m + sent[d]) % 2 == 0 ? even : odd));
    }
  // i^(degree of the receiver - degree of the source), and i of each odd power.
  const auto sign_of = [&](const std::array<int, 3>& powers) {
    int turns = powers[0] + powers[1] + powers[2] - sent_degree;
    for (std::size_t d = 0; d < 3; ++d) turns += (powers[d] + sent[d]) % 2;
    return (turns / 2) % 2 == 0 ? 1.0 : -1.0;
  };
  const double mean_scale =
      lattice.scale_ / (static_cast<double>(lattice.period_[0]) * lattice.period_[1] * lattice.period_[2]);
  std::size_t octant = 0;
  for (std::size_t x = 0; x < along[0][0].size(); ++x)
    for (std::size_t y = 0; y < along[1][0].size(); ++y) {
      std::array<StaticTerms, highest_power + 1> row{};
      for (std::size_t z = 0; z < along[2][0].size(); ++z, ++octant)
        for (std::size_t m = 0; m < row.size(); ++m)
          for (std::size_t j = 0; j < 2; ++j) row[m][j] += lattice.smooth_[octant][j] * along[2][m][z];
      each_powers([&](const std::array<int, 3>& powers) {
        const double factor = mean_scale * along[0][static_cast<std::size_t>(powers[0])][x] *
                              along[1][static_cast<std::size_t>(powers[1])][y];
        for (std::size_t j = 0; j < 2; ++j)
          terms_[at(powers[0], powers[1], powers[2])][j] += factor * row[static_cast<std::size_t>(powers[2])][j];
      });
    }
  each_powers([&](const std::array<int, 3>& powers) {
    for (double& term : terms_[at(powers[0], powers[1], powers[2])]) term *= sign_of(powers);
  });
}

// The part outside the zone: the field of (1 - R) S_j, of all rounds of the torus.
void NearLattice::Points::add_outside(const NearLattice& lattice, const std::array<int, 3>& sent,
                                      std::array<Places, 3> places) {
  const int sent_degree = sent[0] + sent[1] + sent[2];
  for (std::size_t d = 0; d < 3; ++d)
    for (std::size_t i = 0, once = places[d].size(); i < once; ++i)
      for (const double round : {-1.0, 1.0})
        places[d].emplace_back(places[d][i].first + round * lattice.period_[d] * lattice.spacing_[d],
                               places[d][i].second);
  const double b = lattice.b_;
  for (const auto& [x, x_sign] : places[0])
    for (const auto& [y, y_sign] : places[1])
      for (const auto& [z, z_sign] : places[2]) {
        const std::array<double, 3> apart = {x, y, z};
        const double rho = x * x + y * y + z * z;
        if (rho > 4.0 * far_exponent * lattice.sigma_ * lattice.sigma_) continue;
        const double sign = (sent_degree % 2 == 0 ? 1.0 : -1.0) * x_sign * y_sign * z_sign;
        const LocalFields fields = local_fields(rho, lattice.sigma_, highest_power + sent_degree);
        each_powers([&](const std::array<int, 3>& powers) {
          std::array<int, 3> all{};
          for (std::size_t d = 0; d < 3; ++d) all[d] = powers[d] + sent[d];
          const double second = sign * derivative(all, apart, fields.second),
                       fourth = sign * derivative(all, apart, fields.fourth);
          StaticTerms& terms = terms_[at(powers[0], powers[1], powers[2])];
          terms[0] += b * second;
          terms[1] += b * b * fourth / (lattice.step_ * lattice.step_) + 2.0 * lattice.alpha_ * b * b * b * second;
        });
      }
}

StaticTerms NearLattice::Points::operator()(const std::array<int, 3>& powers) const {
  return terms_[at(powers[0], powers[1], powers[2])];
}

}  // namespace fdtd
