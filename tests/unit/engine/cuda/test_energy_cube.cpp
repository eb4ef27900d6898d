#include "engine/cuda/energy_cube.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <random>
#include <vector>

#include "tests/support/catch.hpp"

using namespace fdtd::cuda;

namespace {

constexpr int aside = 4;
constexpr std::array<int, 3> size{16, 13, 17};  // with all that is read around the nodes

std::size_t at(int x, int y, int z) { return static_cast<std::size_t>(x + size[0] * (y + size[1] * z)); }

template <int R>
CubeWeights random_weights(std::mt19937& random) {
  CubeWeights cube;
  cube.radius = R;
  for (int a = 0; a <= R; ++a)
    for (int b = 0; b <= a; ++b)
      for (int c = 0; c <= b; ++c)
        cube.weight[static_cast<std::size_t>(a)][static_cast<std::size_t>(b)][static_cast<std::size_t>(c)] =
            std::uniform_real_distribution(-1.0, 1.0)(random);
  return cube;
}

// Of the nodes (4 .. 3 + width, 6, z), z from `first` on, the planes taken from `begin` on.
template <class T, int R, int width>
std::vector<T> march(const CubeWeights& cube, const std::vector<T>& u, int begin, int first, int end) {
  const auto w = cube_differences<T, R>(cube);
  ColumnSums<T, R, width> sums;
  std::vector<T> all;
  for (int p = begin; p < end + R; ++p) {
    T F[R + 1][width], here[width], done[width], u_done[width];
    const auto rows = [&](int dy, T(&row)[width + 2 * aside]) {
      std::copy_n(u.begin() + static_cast<std::ptrdiff_t>(at(0, 6 + dy, p)), width + 2 * aside, row);
    };
    plane_differences<T, R, width, aside>(w, rows, F, here);
    sums.take(w, F, here, done, u_done);
    if (p - R < first) continue;
    for (int i = 0; i < width; ++i) CHECK(u_done[i] == u[at(4 + i, 6, p - R)]);
    all.insert(all.end(), done, done + width);
  }
  return all;
}

template <class T, int R, int width>
void check(std::mt19937& random) {
  const CubeWeights cube = random_weights<R>(random);
  std::vector<T> u(at(0, 0, size[2]));
  for (T& value : u) value = static_cast<T>(std::uniform_real_distribution(-1.0, 1.0)(random));
  const int first = 5, end = 12;
  const std::vector<T> found = march<T, R, width>(cube, u, first - R, first, end);
  REQUIRE(found.size() == static_cast<std::size_t>(width * (end - first)));
  const double tolerance = sizeof(T) == sizeof(float) ? 1e-6 : 1e-14;
  for (int z = first; z < end; ++z)
    for (int i = 0; i < width; ++i) {
      double sum = 0.0, scale = 0.0;
      for (int c = -R; c <= R; ++c)
        for (int b = -R; b <= R; ++b)
          for (int a = -R; a <= R; ++a) {
            std::array<std::size_t, 3> shell{static_cast<std::size_t>(std::abs(a)),
                                             static_cast<std::size_t>(std::abs(b)),
                                             static_cast<std::size_t>(std::abs(c))};
            std::sort(shell.rbegin(), shell.rend());
            const double weight = cube.weight[shell[0]][shell[1]][shell[2]];
            const double difference =
                static_cast<double>(u[at(4 + i, 6, z)]) - static_cast<double>(u[at(4 + i + a, 6 + b, z + c)]);
            sum += static_cast<double>(static_cast<T>(weight)) * difference;
            scale += std::abs(weight * difference);
          }
      CHECK(std::abs(static_cast<double>(found[static_cast<std::size_t>(i + width * (z - first))]) - sum) <=
            tolerance * scale);
    }
  // Wherever the column is cut, to the bit.
  CHECK((march<T, R, width>(cube, u, first - R - 1, first, end) == found));
  // What is the same everywhere has no differences.
  for (const T sum : march<T, R, width>(cube, std::vector<T>(u.size(), static_cast<T>(0.3)), first - R, first, end))
    CHECK(sum == T{});
}

}  // namespace

TEST_CASE("differences taken plane by plane equal those taken point by point") {
  std::mt19937 random(17);
  check<float, 1, 4>(random);
  check<float, 2, 4>(random);
  check<float, 3, 4>(random);
  check<double, 1, 2>(random);
  check<double, 2, 2>(random);
  check<double, 3, 2>(random);
}
