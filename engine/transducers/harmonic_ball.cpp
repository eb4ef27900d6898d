#include "engine/transducers/harmonic_ball.hpp"

#include <fmt/format.h>

#include <Eigen/Dense>
#include <algorithm>
#include <cmath>
#include <complex>
#include <numbers>
#include <vector>

#include "base/error.hpp"
#include "base/math/spherical_harmonics.hpp"
#include "base/rounded_text.hpp"
#include "base/vectors.hpp"

namespace fdtd {
namespace {

using Matrix = Eigen::MatrixXd;
constexpr double pi = std::numbers::pi;
// Chosen by leakage at 2.5 to 6 points a wavelength (docs/explanation/impulse-responses.md, section 3).
constexpr double small_ball = 6.5, large_ball = 9.0;  // cells
constexpr double long_waves = 1.1;                    // radians a cell, up to which the large one does
constexpr std::size_t most_of_squares = 1500;         // nodes; the squares take the cube of their number
constexpr int wave_count = 16;
constexpr double lowest_wave = 0.5;  // of the finest: below it the polynomials alone count
constexpr double ridge = 1e-6;
constexpr double smallest_profile = 3e-3;

double odd_factorial(int n) {  // n!!
  double product = 1.0;
  for (int i = n; i > 1; i -= 2) product *= i;
  return product;
}

// A node of the ball: on the grid, and from the place in units of 1 / k of the finest wave.
struct BallNode {
  std::array<int, 3> at{};
  Point offset{};
};

struct Ball {
  std::vector<BallNode> nodes;
  double radius = 0.0;  // in units of 1 / k
  Eigen::VectorXd window;
};

Ball ball_of(const Point& place, const Grid& grid, double radius, double finest) {
  Ball ball;
  ball.radius = radius * finest;
  std::array<int, 3> first{}, last{};
  for (std::size_t d = 0; d < 3; ++d) {
    first[d] = static_cast<int>(std::ceil((place[d] - radius) / grid.spacing[d] - 0.5));
    last[d] = static_cast<int>(std::floor((place[d] + radius) / grid.spacing[d] - 0.5));
  }
  for (int z = first[2]; z <= last[2]; ++z)
    for (int y = first[1]; y <= last[1]; ++y)
      for (int x = first[0]; x <= last[0]; ++x) {
        BallNode node{{x, y, z}, {}};
        for (std::size_t d = 0; d < 3; ++d) node.offset[d] = finest * ((node.at[d] + 0.5) * grid.spacing[d] - place[d]);
        if (norm(node.offset) < (1.0 - 1e-9) * ball.radius) ball.nodes.push_back(node);
      }
  ball.window.resize(static_cast<Eigen::Index>(ball.nodes.size()));
  for (std::size_t i = 0; i < ball.nodes.size(); ++i) {
    const double r = norm(ball.nodes[i].offset) / ball.radius;
    ball.window[static_cast<Eigen::Index>(i)] = 1.0 - r * r;  // the root of the kernel's
  }
  return ball;
}

// The polynomials (r/R)^{l+2j} Y_lm of a degree up to `degree`, N3D, times the window, at the nodes; and the columns of
// l = n, j = 0.
Matrix polynomials(const Ball& ball, int degree, int n, std::vector<Eigen::Index>& own) {
  const SphericalHarmonics harmonics(degree, HarmonicNorm::n3d);
  Eigen::Index columns = 0;
  for (int l = 0; l <= degree; ++l) columns += (2 * l + 1) * ((degree - l) / 2 + 1);
  Matrix values(static_cast<Eigen::Index>(ball.nodes.size()), columns);
  std::vector<double> y(harmonics.count());
  for (Eigen::Index i = 0; i < values.rows(); ++i) {
    const Point& offset = ball.nodes[static_cast<std::size_t>(i)].offset;
    const double r = norm(offset) / ball.radius;
    harmonics(r > 0.0 ? offset : Point{0.0, 0.0, 1.0}, y);  // at 0 only l = 0 counts
    Eigen::Index column = 0;
    own.clear();
    for (int l = 0; l <= degree; ++l)
      for (int m = -l; m <= l; ++m)
        for (int j = 0; l + 2 * j <= degree; ++j, ++column) {
          values(i, column) = ball.window[i] * y[static_cast<std::size_t>(l * l + l + m)] * std::pow(r, l + 2 * j);
          if (l == n && j == 0) own.push_back(column);
        }
  }
  return values;
}

// The waves of the least squares, k in units of the finest: what should be read, over K^n, and the weight of its error.
struct Wave {
  double k = 0.0, wanted = 0.0, weight = 0.0;
};
std::vector<Wave> waves_of(int order, double reach) {
  const auto wanted = [&](double k) { return std::pow(k, order) * ball_profile(order, k * reach); };
  std::vector<Wave> waves;
  for (int q = 0; q < wave_count; ++q) {  // k = sin t: the weight rises at the band's edge, as uniform errors demand
    const double k = std::sin(pi / 2.0 * (q + 0.5) / wave_count);
    waves.push_back({k, wanted(k), 1.0 / std::pow(wanted(std::max(k, lowest_wave)), 2) / wave_count});
  }
  return waves;
}

// Means over all directions: sums of weight sin(kd) / (kd) for all pairs of nodes.
Matrix normal_matrix(const Ball& ball, const std::vector<Wave>& waves, const Point& step) {
  std::array<int, 3> low = ball.nodes.front().at, high = low, span{};
  for (const BallNode& node : ball.nodes)
    for (std::size_t d = 0; d < 3; ++d) {
      low[d] = std::min(low[d], node.at[d]);
      high[d] = std::max(high[d], node.at[d]);
      span[d] = high[d] - low[d];
    }
  std::vector<double> table;  // by distance along the axes
  const std::size_t nx = static_cast<std::size_t>(span[0]) + 1, ny = static_cast<std::size_t>(span[1]) + 1;
  for (int z = 0; z <= span[2]; ++z)
    for (int y = 0; y <= span[1]; ++y)
      for (int x = 0; x <= span[0]; ++x) {
        const double d = norm({x * step[0], y * step[1], z * step[2]});
        double sum = 0.0;
        for (const Wave& wave : waves) sum += wave.weight * (d > 0.0 ? std::sin(wave.k * d) / (wave.k * d) : 1.0);
        table.push_back(sum);
      }
  const auto count = static_cast<Eigen::Index>(ball.nodes.size());
  Matrix normal(count, count);
  for (Eigen::Index j = 0; j < count; ++j)
    for (Eigen::Index i = 0; i <= j; ++i) {
      const auto &a = ball.nodes[static_cast<std::size_t>(i)].at, &b = ball.nodes[static_cast<std::size_t>(j)].at;
      const auto apart = [&](std::size_t d) { return static_cast<std::size_t>(std::abs(a[d] - b[d])); };
      normal(i, j) = normal(j, i) = ball.window[i] * ball.window[j] * table[apart(0) + nx * (apart(1) + ny * apart(2))];
    }
  return normal;
}

// The right side of the normal equations: columns by m.
Matrix wanted_side(const Ball& ball, const std::vector<Wave>& waves, int order) {
  const SphericalHarmonics harmonics(order, HarmonicNorm::sn3d);
  Matrix side = Matrix::Zero(static_cast<Eigen::Index>(ball.nodes.size()), 2 * order + 1);
  for (Eigen::Index i = 0; i < side.rows(); ++i) {
    const Point& offset = ball.nodes[static_cast<std::size_t>(i)].offset;
    const double r = norm(offset);
    if (!(r > 0.0)) continue;
    double sum = 0.0;
    for (const Wave& wave : waves) sum += wave.weight * wave.wanted * spherical_bessel(order, wave.k * r);
    const std::vector<double> y = harmonics(offset);
    for (Eigen::Index m = 0; m < side.cols(); ++m)
      side(i, m) = ball.window[i] * sum * y[static_cast<std::size_t>(order * order + m)];
  }
  return side;
}

// Weights by node and m, over K^n.
Matrix weights_of(const Ball& ball, int order, double reach, const Point& step) {
  std::vector<Eigen::Index> own;
  const Matrix values = polynomials(ball, order + 1, order, own);
  const Eigen::Index nodes = values.rows(), moments = values.cols();
  const Eigen::HouseholderQR<Matrix> split(values);
  Matrix fixed = Matrix::Zero(moments, 2 * order + 1);
  const double moment = odd_factorial(2 * order + 1) / std::sqrt(2.0 * order + 1.0) / std::pow(ball.radius, order);
  for (std::size_t m = 0; m < own.size(); ++m) fixed(own[m], static_cast<Eigen::Index>(m)) = moment;
  split.matrixQR().topRows(moments).triangularView<Eigen::Upper>().transpose().solveInPlace(fixed);
  Matrix weights = Matrix::Zero(nodes, 2 * order + 1);
  weights.topRows(moments) = fixed;
  if (ball.nodes.size() <= most_of_squares) {
    const std::vector<Wave> waves = waves_of(order, reach);
    Matrix normal = normal_matrix(ball, waves, step), side = wanted_side(ball, waves, order);
    normal.applyOnTheLeft(split.householderQ().adjoint());
    normal.applyOnTheRight(split.householderQ());
    side.applyOnTheLeft(split.householderQ().adjoint());
    const Eigen::Index open = nodes - moments;
    Matrix squares = normal.bottomRightCorner(open, open);
    squares.diagonal().array() += ridge;
    weights.bottomRows(open) =
        squares.llt().solve(side.bottomRows(open) - normal.bottomLeftCorner(open, moments) * fixed);
  }
  weights.applyOnTheLeft(split.householderQ());
  return ball.window.asDiagonal() * weights;
}

// m from the place to the nearest wall, `most` where none is nearer.
double clear_distance(const Point& place, const Grid& grid, const OpenAir& open, double most) {
  const bool closed = open.cut != nullptr && !open.cut->empty();
  std::array<int, 3> first{}, last{};
  for (std::size_t d = 0; d < 3; ++d) {
    first[d] = static_cast<int>(std::floor((place[d] - most) / grid.spacing[d]));
    last[d] = static_cast<int>(std::floor((place[d] + most) / grid.spacing[d]));
  }
  // To the part of space [low, high] of voxels along each axis.
  const auto distance = [&](const Voxel& low, const Voxel& high) {
    Point apart{};
    for (std::size_t d = 0; d < 3; ++d)
      apart[d] = std::max({low[d] * grid.spacing[d] - place[d], 0.0, place[d] - high[d] * grid.spacing[d]});
    return norm(apart);
  };
  for (int z = first[2]; z <= last[2]; ++z)
    for (int y = first[1]; y <= last[1]; ++y)
      for (int x = first[0]; x <= last[0]; ++x) {
        const Voxel at = {x, y, z};
        if (!open.air(x, y, z)) {
          most = std::min(most, distance(at, {x + 1, y + 1, z + 1}));
          continue;
        }
        for (std::size_t d = 0; closed && d < 3; ++d) {
          Voxel next = at, end = {x + 1, y + 1, z + 1};
          ++next[d];
          if (open.air(next[0], next[1], next[2]) && !leads(open, at, next, d))
            most = std::min(most, distance(next, (end[d] = next[d], end)));
        }
      }
  return most;
}

}  // namespace

double ball_cells(double wave) { return wave < long_waves ? large_ball : small_ball; }
double least_ball_cells(int order) { return 0.5 * (order + 3); }
double ball_nodes(double wave) { return 4.0 / 3.0 * pi * std::pow(ball_cells(wave) + 1.0, 3); }

double ball_profile(int order, double x) {
  if (x < 1e-2) return 1.0;
  return std::max(smallest_profile,
                  odd_factorial(2 * order + 7) * spherical_bessel(order + 3, x) / std::pow(x, order + 3));
}

double full_reach(int order, const Grid& grid, double wave) {
  const double cell = *std::ranges::max_element(grid.spacing);
  return wave < long_waves ? large_ball * cell : std::min((order + 4) / wave, small_ball) * cell;
}

void fill_ball(std::span<Tap> taps, const Grid& grid, const OpenAir& open, double wave) {
  if (taps.empty()) return;
  const double cell = *std::ranges::max_element(grid.spacing), finest = wave / cell;
  int highest = 0;
  for (const Tap& tap : taps) highest = std::max(highest, degree(tap.operation));
  const double wanted = ball_cells(wave) * cell, least = least_ball_cells(highest) * cell;
  const Point& place = taps.front().position;
  const double radius = clear_distance(place, grid, open, wanted);
  if (radius < least)
    throw Error(
        Status::scene,
        fmt::format("{}: order {} takes a ball of nodes and needs {} m of air to every side on this grid; a "
                    "wall is {} m away",
                    taps.front().channel.owner, highest, rounded_up_text(least, 3), rounded_down_text(radius, 3)),
        "move it, lower its order (3 needs no ball), or raise max_frequency: the ball has a radius in cells");
  const Ball ball = ball_of(place, grid, radius, finest);
  const Point step = scaled(finest, grid.spacing);
  int order = 0;
  double reach = 0.0;
  Matrix weights;
  for (Tap& tap : taps) {
    if (degree(tap.operation) != order) {
      order = degree(tap.operation);
      reach = ball.nodes.size() > most_of_squares ? radius : std::min((order + 4) / finest, radius);
      weights = weights_of(ball, order, reach * finest, step) * std::pow(finest, order);
    }
    const Eigen::Index column = harmonic_channel(tap.operation) - order * order;
    tap.reach = reach;
    tap.nodes.clear();
    tap.weights.clear();
    for (std::size_t i = 0; i < ball.nodes.size(); ++i) {
      const auto& at = ball.nodes[i].at;
      tap.nodes.push_back(static_cast<std::uint64_t>(at[0]) +
                          static_cast<std::uint64_t>(grid.size[0]) *
                              (static_cast<std::uint64_t>(at[1]) +
                               static_cast<std::uint64_t>(grid.size[1]) * static_cast<std::uint64_t>(at[2])));
      tap.weights.push_back(weights(static_cast<Eigen::Index>(i), column));
    }
  }
}

double ball_leakage(const Tap& tap, const Grid& grid, double number) {
  constexpr int directions = 60;
  const auto nx = static_cast<std::uint64_t>(grid.size[0]), ny = static_cast<std::uint64_t>(grid.size[1]);
  std::vector<Point> offsets;
  for (const std::uint64_t node : tap.nodes) {
    const std::array<std::uint64_t, 3> at = {node % nx, node / nx % ny, node / nx / ny};
    Point& offset = offsets.emplace_back();
    for (std::size_t d = 0; d < 3; ++d)
      offset[d] = (static_cast<double>(at[d]) + 0.5) * grid.spacing[d] - tap.position[d];
  }
  const int order = degree(tap.operation);
  const std::complex<double> scale = std::pow(std::complex<double>(0.0, number), order);
  const double profile = ball_profile(order, number * tap.reach);
  double error = 0.0, right = 0.0;
  for (int i = 0; i < directions; ++i) {  // on a spiral of equal areas
    const double z = 1.0 - (2.0 * i + 1.0) / directions, across = std::sqrt(1.0 - z * z), turn = 2.399963229728653 * i;
    const Point s = {across * std::cos(turn), across * std::sin(turn), z};
    std::complex<double> sum = 0.0;
    for (std::size_t n = 0; n < offsets.size(); ++n)
      sum += tap.weights[n] * std::polar(1.0, number * dot(s, offsets[n]));
    const double wanted = profile * value(tap.operation, s);
    error += std::norm(sum / scale - wanted);
    right += wanted * wanted;
  }
  return std::sqrt(error / right);
}

}  // namespace fdtd
