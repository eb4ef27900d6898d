#include "engine/transducers/near_field.hpp"

#include <algorithm>
#include <cmath>
#include <complex>
#include <numbers>
#include <optional>
#include <span>
#include <utility>

#include "engine/math/quadrature.hpp"
#include "engine/transducers/near_nodes.hpp"
#include "engine/transducers/tap_weights.hpp"
#include "scenes/parallel_failure.hpp"
#include "stencils/dispersion.hpp"

namespace fdtd {
namespace {

using Complex = std::complex<double>;
constexpr double pi = std::numbers::pi;
constexpr int period = 64;            // cells of the lattice that stands for an endless one
constexpr int half = period / 2 + 1;  // wave numbers 0, 1, ..., period / 2
constexpr double split = 1.6;         // sigma in cells: R is below 4e-9 at the zone's edge
constexpr int highest_degree = 6;     // of two operations together
constexpr int quadrature_order = 64;

std::size_t at_octant(int x, int y, int z) { return static_cast<std::size_t>((x * half + y) * half + z); }

// What all pairs share.
struct Lattice {
  explicit Lattice(const Plan& plan) : grid(plan.grid), scale(plan.drive_scale) {
    const GridStencil& stencil = plan.stencil;
    double second = 0.0, fourth = 0.0;
    for (const Term& term : stencil.terms) {
      double square = 0.0;
      for (std::size_t d = 0; d < 3; ++d) square += std::pow(term.offset[d] / stencil.courant[d], 2);
      second += term.weight * image_count(term) * square / 6.0;
      fourth += term.weight * image_count(term) * square * square / 120.0;
    }
    b = 1.0 / second;
    alpha = fourth;
    sigma = split * *std::max_element(grid.spacing.begin(), grid.spacing.end());
    const double step = grid.sound_speed * grid.time_step;
    for (int x = 0; x < half; ++x)
      for (int y = 0; y < half; ++y)
        for (int z = 0; z < half; ++z) {
          const Vec3 k = {2.0 * pi * x / period, 2.0 * pi * y / period, 2.0 * pi * z / period};
          double square = 0.0;
          for (std::size_t d = 0; d < 3; ++d) square += k[d] * k[d] / (grid.spacing[d] * grid.spacing[d]);
          const double s = sigma * sigma * square, q = step * step * square;
          const double smooth = std::exp(-s) * (1.0 + s + 0.5 * s * s);
          inverse.push_back(q > 0.0 ? 1.0 / (2.0 - symbol(stencil, k)) : 0.0);
          first.push_back(q > 0.0 ? smooth * b / q : 0.0);
          other.push_back(q > 0.0 ? smooth * (b * b / (q * q) + 2.0 * alpha * b * b * b / q) : 0.0);
        }
  }
  const Grid& grid;
  double scale = 0.0, b = 0.0, alpha = 0.0;
  double sigma = 0.0;                         // m
  std::vector<double> inverse, first, other;  // 1/K, R S_0, R S_1, by octant; 0 at k = 0
};

// The spectrum sum_i w_i e^{ik.x_i} of nodes, [(kx * period + ky) * period + kz], kx up to period / 2.
std::vector<Complex> spectrum_of(const Nodes& nodes) {
  std::array<int, 3> low = nodes.at.front(), high = low;
  for (const auto& at : nodes.at)
    for (std::size_t d = 0; d < 3; ++d) {
      low[d] = std::min(low[d], at[d]);
      high[d] = std::max(high[d], at[d]);
    }
  std::array<std::size_t, 3> size{};
  for (std::size_t d = 0; d < 3; ++d) size[d] = static_cast<std::size_t>(high[d] - low[d] + 1);
  std::array<Complex, period> turn;
  for (int i = 0; i < period; ++i) turn[static_cast<std::size_t>(i)] = std::polar(1.0, 2.0 * pi * i / period);
  const auto phase = [&](int k, std::size_t d, std::size_t i) -> const Complex& {
    const int product = k * (low[d] + static_cast<int>(i)) % period;
    return turn[static_cast<std::size_t>(product < 0 ? product + period : product)];
  };
  std::vector<double> box(size[0] * size[1] * size[2], 0.0);
  for (std::size_t i = 0; i < nodes.at.size(); ++i) {
    const auto part = [&](std::size_t d) { return static_cast<std::size_t>(nodes.at[i][d] - low[d]); };
    box[(part(2) * size[1] + part(1)) * size[0] + part(0)] += nodes.weights[i];
  }
  std::vector<Complex> out(static_cast<std::size_t>(half) * period * period);
  std::vector<Complex> rows(size[1] * size[2]), columns(size[2]);
  for (int kx = 0; kx < half; ++kx) {
    for (std::size_t row = 0; row < rows.size(); ++row) {
      Complex sum = 0.0;
      for (std::size_t x = 0; x < size[0]; ++x) sum += box[row * size[0] + x] * phase(kx, 0, x);
      rows[row] = sum;
    }
    for (int ky = 0; ky < period; ++ky) {
      for (std::size_t z = 0; z < size[2]; ++z) {
        Complex sum = 0.0;
        for (std::size_t y = 0; y < size[1]; ++y) sum += rows[z * size[1] + y] * phase(ky, 1, y);
        columns[z] = sum;
      }
      Complex* const to = out.data() + static_cast<std::size_t>((kx * period + ky) * period);
      for (int kz = 0; kz < period; ++kz) {
        Complex sum = 0.0;
        for (std::size_t z = 0; z < size[2]; ++z) sum += columns[z] * phase(kz, 2, z);
        to[kz] = sum;
      }
    }
  }
  return out;
}

// Derivatives in rho = r^2, up to the number `degree`, of the fields of (1 - R) / k^2 and (1 - R) / k^4: with t = k^2 tau,
//   1 - R = 1/2 integral from 0 to sigma^2 of tau^2 k^6 e^{-k^2 tau} dtau, and e^{-k^2 tau} is the field of a Gaussian.
struct LocalFields {
  std::array<double, highest_degree + 1> second{}, fourth{};
};

LocalFields local_fields(double rho, double sigma, int degree) {
  static const auto nodes = gauss_legendre(quadrature_order);
  LocalFields found;
  const double end = sigma * sigma;
  const auto gaussian = [rho](double tau) { return 0.5 / std::sqrt(pi * tau) / tau * std::exp(-rho / (4.0 * tau)); };
  double before = 0.0;
  for (std::size_t m = 0; m <= static_cast<std::size_t>(degree); ++m) {
    const double order = static_cast<double>(m);
    for (const QuadratureNode& node : nodes) {  // tau = end x^2
      const double tau = end * node.x * node.x;
      const double value = 2.0 * end * node.x * node.weight * gaussian(tau) * std::pow(-0.25 / tau, order);
      found.second[m] += value;
      found.fourth[m] += value * tau;
    }
    // 1/2 [tau^2 dg/dtau - 2 tau g] and -1/2 tau^2 g at the end.
    const double g = gaussian(end) * std::pow(-0.25 / end, order);
    found.second[m] += 0.5 * ((-1.5 * end + 0.25 * rho) * g + 0.25 * order * before - 2.0 * end * g);
    found.fourth[m] -= 0.5 * end * end * g;
    before = g;
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

// One product of powers of i k, of receiver and source together, and the image sources behind mirrors: by axis the power
// of k times the sum of e^{ik r} over the source and its images, of which an odd derivative has the other sign.
struct Product {
  double coefficient = 0.0;
  std::array<std::vector<Complex>, 3> along;
};

// A source and a receiver as points.
class Pair {
 public:
  Pair(const Lattice& lattice, const Tap& source, const Tap& receiver, const Images& images)
      : lattice_(lattice), turn_(degree(receiver.operation) - degree(source.operation)) {
    for (std::size_t d = 0; d < 3; ++d)
      for (const Image& image : images[d])
        places_[d].emplace_back(image.position(source.position[d], lattice.grid.spacing[d]), image.mirrored);
    for (const Derivative& r : derivatives_of(receiver.operation))
      for (const Derivative& s : derivatives_of(source.operation)) {
        Product& product = products_.emplace_back();
        product.coefficient = r.coefficient * s.coefficient;
        for (std::size_t d = 0; d < 3; ++d) along(product.along[d], d, r, s, receiver);
        subtract_outside(r, s, receiver);
      }
  }
  // E, with the spectra of the pair's nodes.
  NearField field(const std::vector<Complex>& reads, const std::vector<Complex>& sends) const {
    NearField sum{};
    std::vector<Complex> row(products_.size());
    for (int x = 0; x < half; ++x)
      for (int y = 0; y < period; ++y) {
        const double share = x == 0 || x == half - 1 ? 1.0 : 2.0;  // k and -k count the same
        for (std::size_t p = 0; p < row.size(); ++p)
          row[p] = products_[p].coefficient * turned(turn_) * products_[p].along[0][static_cast<std::size_t>(x)] *
                   products_[p].along[1][static_cast<std::size_t>(y)];
        const std::size_t begin = static_cast<std::size_t>((x * period + y) * period);
        for (int z = 0; z < period; ++z) {
          const std::size_t i = begin + static_cast<std::size_t>(z);
          const std::size_t octant = at_octant(x, y < half ? y : period - y, z < half ? z : period - z);
          Complex ideal = 0.0;
          for (std::size_t p = 0; p < row.size(); ++p)
            ideal += row[p] * products_[p].along[2][static_cast<std::size_t>(z)];
          const double is = (reads[i] * std::conj(sends[i])).real(), inverse = lattice_.inverse[octant];
          sum[0] += share * (is * inverse - ideal.real() * lattice_.first[octant]);
          sum[1] += share * (is * inverse * inverse - ideal.real() * lattice_.other[octant]);
        }
      }
    constexpr double cells = static_cast<double>(period) * period * period;
    NearField found = outside_;
    for (std::size_t j = 0; j < found.size(); ++j) found[j] += lattice_.scale * sum[j] / cells;
    return found;
  }

 private:
  static Complex turned(int n) {  // i^n
    constexpr std::array<Complex, 4> turns = {{{1, 0}, {0, 1}, {-1, 0}, {0, -1}}};
    return turns[static_cast<std::size_t>((n % 4 + 4) % 4)];
  }
  void along(std::vector<Complex>& values, std::size_t d, const Derivative& r, const Derivative& s,
             const Tap& receiver) const {
    for (int i = 0; i < period; ++i) {
      const double k = 2.0 * pi * (i < half ? i : i - period) / period / lattice_.grid.spacing[d];
      Complex sum = 0.0;
      for (const auto& [place, mirrored] : places_[d])
        sum += (mirrored && s.powers[d] % 2 != 0 ? -1.0 : 1.0) * std::polar(1.0, k * (receiver.position[d] - place));
      values.push_back(std::pow(k, r.powers[d] + s.powers[d]) * sum);
    }
  }
  // The part of E that lies outside the zone: -D of the field of (1 - R) S_j, of the source and its images.
  void subtract_outside(const Derivative& r, const Derivative& s, const Tap& receiver) {
    const double step = lattice_.grid.sound_speed * lattice_.grid.time_step, b = lattice_.b;
    const int degree = s.powers[0] + s.powers[1] + s.powers[2];
    std::array<int, 3> powers{};
    for (std::size_t d = 0; d < 3; ++d) powers[d] = r.powers[d] + s.powers[d];
    for (const auto& x : places_[0])
      for (const auto& y : places_[1])
        for (const auto& z : places_[2]) {
          const std::array<std::pair<double, bool>, 3> place = {x, y, z};
          std::array<double, 3> apart{};
          int signs = degree;
          for (std::size_t d = 0; d < 3; ++d) {
            apart[d] = receiver.position[d] - place[d].first;
            if (place[d].second) signs += s.powers[d];
          }
          const double rho = apart[0] * apart[0] + apart[1] * apart[1] + apart[2] * apart[2];
          const LocalFields fields = local_fields(rho, lattice_.sigma, powers[0] + powers[1] + powers[2]);
          const double scale = (signs % 2 == 0 ? 1.0 : -1.0) * r.coefficient * s.coefficient;
          const double second = derivative(powers, apart, fields.second),
                       fourth = derivative(powers, apart, fields.fourth);
          outside_[0] -= scale * b * second;
          outside_[1] -= scale * (b * b * fourth / (step * step) + 2.0 * lattice_.alpha * b * b * b * second);
        }
  }

  const Lattice& lattice_;
  int turn_ = 0;
  std::array<std::vector<std::pair<double, bool>>, 3> places_;  // m, and whether mirrored
  std::vector<Product> products_;
  NearField outside_{};
};

double cells_between(const Tap& a, const Tap& b, const Grid& grid) {
  double square = 0.0;
  for (std::size_t d = 0; d < 3; ++d) square += std::pow((a.position[d] - b.position[d]) / grid.spacing[d], 2);
  return std::sqrt(square);
}

// 1 / B_n(ix), B_n the Bessel polynomial (responses/render.hpp).
Complex bessel_inverse(int order, double ratio) {
  const Complex x(0.0, ratio);
  Complex before = 1.0, here = order > 0 ? x + 1.0 : Complex(1.0);
  for (int n = 2; n <= order; ++n) before = std::exchange(here, static_cast<double>(2 * n - 1) * here + x * x * before);
  return 1.0 / here;
}

struct Field {
  NearField field{};
  bool mirrors = true;  // walls beside the pair are mirrors to both
};

// By channel of pairs that are near; empty where none is.
std::vector<std::optional<Field>> fields_of(const Plan& plan) {
  const Grid& grid = plan.grid;
  if (std::ranges::any_of(grid.size, [](int n) { return n == 1; })) return {};
  const std::size_t receivers = plan.receivers.size();
  struct Near {
    std::size_t source = 0;
    std::vector<std::size_t> channels;  // receivers at one place
  };
  std::vector<Near> near;
  for (std::size_t s = 0; s < plan.sources.size(); ++s)
    for (std::size_t r = 0; r < receivers; ++r) {
      const Tap &source = plan.sources[s], &receiver = plan.receivers[r];
      if (source.operation.empty() && receiver.operation.empty()) continue;
      const double cells = cells_between(source, receiver, grid);
      if (!(cells > 0.0 && cells < near_field_cells)) continue;
      if (near.empty() || near.back().source != s ||
          plan.receivers[near.back().channels.front()].position != receiver.position)
        near.push_back({s, {}});
      near.back().channels.push_back(r);
    }
  if (near.empty()) return {};
  const Lattice lattice(plan);
  const TapWeights weights(plan.tap_wave);
  std::vector<std::optional<Field>> found(plan.sources.size() * receivers);
  ParallelFailure failure;
#pragma omp parallel for schedule(dynamic)
  for (std::size_t i = 0; i < near.size(); ++i)
    failure.guard([&] {
      const Tap &source = plan.sources[near[i].source], &place = plan.receivers[near[i].channels.front()];
      const Voxel zero = home_of(place, grid);
      const Images images = images_of(plan, source, place, static_cast<int>(near_field_cells));
      const Nodes sent = free_nodes(source, grid, weights, zero);
      const bool mirrors = folded(source, sent, grid, zero, images);
      const std::vector<Complex> sends = spectrum_of(with_images(sent, zero, images));
      for (const std::size_t r : near[i].channels) {
        const Tap& receiver = plan.receivers[r];
        const Nodes read = free_nodes(receiver, grid, weights, zero);
        found[near[i].source * receivers + r] = {
            Pair(lattice, source, receiver, images).field(spectrum_of(read), sends),
            mirrors && folded(receiver, read, grid, zero, images)};
      }
    });
  failure.rethrow();
  return found;
}

}  // namespace

std::vector<NearField> near_field(const Plan& plan) {
  std::vector<NearField> fields;
  for (const std::optional<Field>& one : fields_of(plan))
    fields.push_back(one && one->mirrors ? one->field : NearField{});
  return fields;
}

std::vector<NearDoubt> near_field_doubts(const Plan& plan) {
  constexpr double distance_of_filter = 2.0, share = 0.1;
  const std::vector<std::optional<Field>> fields = fields_of(plan);
  std::vector<NearDoubt> doubts;
  for (std::size_t i = 0; i < fields.size(); ++i) {
    if (!fields[i] || fields[i]->mirrors) continue;
    const std::size_t s = i / plan.receivers.size(), r = i % plan.receivers.size();
    const Tap &source = plan.sources[s], &receiver = plan.receivers[r];
    const int order = degree(source.operation) + degree(receiver.operation);
    if (order < 2) continue;
    const double distance =
        std::hypot(source.position[0] - receiver.position[0], source.position[1] - receiver.position[1],
                   source.position[2] - receiver.position[2]);
    // The field of a point source at the wave number at which the radial filter begins.
    const double wanted =
        std::pow(distance, -order - 1) / std::abs(bessel_inverse(order, distance / distance_of_filter));
    const double error = std::abs(fields[i]->field[0]) / wanted;
    if (error < share) continue;
    const bool known = !doubts.empty() && doubts.back().source == s &&
                       plan.receivers[doubts.back().receiver].position == receiver.position;
    if (!known) doubts.push_back({s, r, order, error, distance});
    doubts.back().order = std::min(doubts.back().order, order);
    doubts.back().error = std::max(doubts.back().error, error);
  }
  return doubts;
}

}  // namespace fdtd
