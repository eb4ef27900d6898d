// Orders of convergence to the continuous wave equation, walls included, in the time domain: a mode of a rigid box
// starts from its exact shape and is compared with its exact motion a quarter of a period later.
//
// The order in space alone shows when time is treated exactly: two-step time stepping of the continuous operator moves
// a mode of frequency w at w' = 2 asin(w T / 2) / T. (With a tiny time step instead rounding would hide the order.)
#include <cmath>
#include <numbers>

#include "engine/backend/backend.hpp"
#include "engine/cpu/make_backend.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/rooms/rooms.hpp"

using namespace fdtd;
using namespace fdtd::test;

namespace {

// Largest error of mode (2, 1, 1) of a 2 : 1 : 1 box of 2n x n x n cells after about a quarter of its period.
double mode_error(const std::string& stencil, int n, double courant_fraction, bool space_alone) {
  RoomSpec spec;
  spec.size = {2 * n, n, n};
  spec.stencil = stencil;
  spec.courant_fraction = courant_fraction;
  Plan plan = plan_of(spec);
  const double kh = std::numbers::pi / n;  // on every axis
  const double continuous = std::sqrt(3.0) * kh * plan.stencil.courant[0];
  const double wT = space_alone ? 2.0 * std::asin(continuous / 2.0) : continuous;
  std::vector<double> shape;
  for (int z = 0; z < n; ++z)
    for (int y = 0; y < n; ++y)
      for (int x = 0; x < 2 * n; ++x)
        shape.push_back(std::cos(kh * (x + 0.5)) * std::cos(kh * (y + 0.5)) * std::cos(kh * (z + 0.5)));
  std::vector<double> before = shape;
  for (double& u : before) u *= std::cos(wT);

  const auto backend = make_cpu_backend({1, ""});
  backend->load(plan, whole(plan));
  backend->restore({Precision::f64, 0, bytes_of(shape), bytes_of(before), {}, {}, {}, {}});
  const auto steps = static_cast<std::int64_t>(std::numbers::pi / 2.0 / wT);
  Samples samples;
  backend->advance({steps, {}}, samples);
  State state;
  backend->save(state);
  const std::vector<double> u = values_of(state.u_now, Precision::f64);
  double error = 0.0;
  for (std::size_t i = 0; i < u.size(); ++i)
    error = std::max(error, std::abs(u[i] - shape[i] * std::cos(wT * static_cast<double>(steps))));
  return error;
}

double order(const std::string& stencil, int n, double courant_fraction, bool space_alone) {
  return std::log2(mode_error(stencil, n, courant_fraction, space_alone) /
                   mode_error(stencil, 2 * n, courant_fraction, space_alone));
}

}  // namespace

TEST_CASE("leggy-1 converges with order 2 in space and time together, and in space alone") {
  CHECK(order("leggy-1", 8, 0.5, false) == Approx(2.0).margin(0.1));
  CHECK(order("leggy-1", 8, 0.5, true) == Approx(2.0).margin(0.1));
}

TEST_CASE("leggy-4 converges with order 8 in space") {
  CHECK(order("leggy-4", 6, 0.3, true) == Approx(8.0).margin(0.2));
  CHECK(order("leggy-4", 8, 0.3, true) == Approx(8.0).margin(0.15));
}

TEST_CASE("leggy-4 at a fixed Courant number converges with order 2: the time error is of second order") {
  CHECK(order("leggy-4", 8, 0.9, false) == Approx(2.0).margin(0.1));
}
