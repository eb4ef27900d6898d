#include "engine/cuda/energy/energy_columns.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <random>
#include <vector>

#include "tests/support/catch.hpp"

using namespace fdtd;
using namespace fdtd::cuda;

namespace {

constexpr int aside = 8, middle = 9;            // x and y of the first node
constexpr std::array<int, 3> size{24, 19, 24};  // with all that is read around the nodes

std::size_t at(int x, int y, int z) { return static_cast<std::size_t>(x + size[0] * (y + size[1] * z)); }

template <int R>
CubeWeights random_cube(std::mt19937& random) {
  CubeWeights cube;
  cube.radius = R;
  for (int a = 0; a <= R; ++a)
    for (int b = 0; b <= a; ++b)
      for (int c = 0; c <= b; ++c)
        cube.by_number[static_cast<std::size_t>(shell_number(a, b, c))] =
            std::uniform_real_distribution(-1.0, 1.0)(random);
  return cube;
}

StarWeights random_star(int radius, std::mt19937& random) {
  StarWeights star;
  star.radius = radius;
  for (auto& axis : star.weight)
    for (std::size_t m = 0; m < static_cast<std::size_t>(radius); ++m)
      axis[m] = std::uniform_real_distribution(-1.0, 1.0)(random);
  return star;
}

double weight_at(const CubeWeights& cube, int a, int b, int c) {
  return cube.weight(std::abs(a), std::abs(b), std::abs(c));
}

double weight_at(const StarWeights& star, int a, int b, int c) {
  const std::array<int, 3> point{std::abs(a), std::abs(b), std::abs(c)};
  const int distance = point[0] + point[1] + point[2];
  for (std::size_t d = 0; d < 3; ++d)
    if (distance > 0 && point[d] == distance) return star.weight[d][static_cast<std::size_t>(distance) - 1];
  return 0.0;
}

template <class T, int count>
void copy_row(const std::vector<T>& u, int x, int dy, int z, T (&values)[count]) {
  std::copy_n(u.begin() + static_cast<std::ptrdiff_t>(at(x, middle + dy, z)), count, values);
}

// Of `width` nodes side by side at each z, z from `first` on, the planes taken from `begin` on.
template <int width, class T, int R>
std::vector<T> march(const CubeDifferences<T, R>& w, const std::vector<T>& u, int begin, int first, int end) {
  ColumnSums<T, R, width> sums;
  std::vector<T> all;
  for (int p = begin; p < end + R; ++p) {
    T F[R + 1][width], here[width], done[width];
    plane_differences<T, R, width, aside>(
        w, [&](int dy, T(&row)[width + 2 * aside]) { copy_row(u, 0, dy, p, row); }, F, here);
    sums.take(w, F, here, done);
    if (p - R >= first) all.insert(all.end(), done, done + width);
  }
  return all;
}
template <int width, class T, int M>
std::vector<T> march(const StarDifferences<T, M>& w, const std::vector<T>& u, int, int first, int end) {
  std::vector<T> all;
  for (int z = first; z < end; ++z) {
    T own[width + 2 * aside], sum[width];
    copy_row(u, 0, 0, z, own);
    star_sums<T, M, width, aside>(
        w, own, [&](int dy, int dz, T(&values)[width]) { copy_row(u, aside, dy, z + dz, values); }, sum);
    all.insert(all.end(), sum, sum + width);
  }
  return all;
}

template <int width, class Differences, class Weights>
void check(const Differences& w, const Weights& weights, std::mt19937& random) {
  using T = typename Differences::T;
  constexpr int R = Differences::R;
  std::vector<T> u(at(0, 0, size[2]));
  for (T& value : u) value = static_cast<T>(std::uniform_real_distribution(-1.0, 1.0)(random));
  const int first = 9, end = 15;
  const std::vector<T> found = march<width>(w, u, first - R, first, end);
  REQUIRE(found.size() == static_cast<std::size_t>(width * (end - first)));
  const double tolerance = sizeof(T) == sizeof(float) ? 1e-6 : 1e-14;
  for (int z = first; z < end; ++z)
    for (int i = 0; i < width; ++i) {
      double sum = 0.0, scale = 0.0;
      for (int c = -R; c <= R; ++c)
        for (int b = -R; b <= R; ++b)
          for (int a = -R; a <= R; ++a) {
            const double weight = weight_at(weights, a, b, c);
            const double difference = static_cast<double>(u[at(aside + i, middle, z)]) -
                                      static_cast<double>(u[at(aside + i + a, middle + b, z + c)]);
            sum += static_cast<double>(static_cast<T>(weight)) * difference;
            scale += std::abs(weight * difference);
          }
      CHECK(std::abs(static_cast<double>(found[static_cast<std::size_t>(i + width * (z - first))]) - sum) <=
            tolerance * scale);
    }
  // Wherever the column is cut, to the bit.
  CHECK((march<width>(w, u, first - R - 1, first, end) == found));
  // A constant field has no differences.
  for (const T sum : march<width>(w, std::vector<T>(u.size(), static_cast<T>(0.3)), first - R, first, end))
    CHECK(sum == T{});
}

template <class T>
constexpr int width_of = 16 / static_cast<int>(sizeof(T));

template <int M>
void check_star(std::mt19937& random) {
  const StarWeights star = random_star(M, random);
  check<width_of<float>>(star_differences<float, M>(star), star, random);
  check<width_of<double>>(star_differences<double, M>(star), star, random);
}

template <int R>
void check_both(std::mt19937& random) {
  const CubeWeights cube = random_cube<R>(random);
  check<width_of<float>>(cube_differences<float, R>(cube), cube, random);
  check<width_of<double>>(cube_differences<double, R>(cube), cube, random);
  check_star<R>(random);
}

}  // namespace

TEST_CASE("differences taken plane by plane equal those taken point by point") {
  std::mt19937 random(17);
  check_both<1>(random);
  check_both<2>(random);
  check_both<3>(random);
  check_star<4>(random);
  check_star<5>(random);
  check_star<6>(random);
  check_star<7>(random);
  check_star<8>(random);
}
