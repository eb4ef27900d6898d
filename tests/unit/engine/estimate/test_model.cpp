// The model against exact solutions of the diffusion equation in a box.
#include <cmath>
#include <numbers>

#include "engine/estimate/figures.hpp"
#include "engine/estimate/model.hpp"
#include "tests/support/catch.hpp"

using namespace fdtd;

namespace {

constexpr double c = 343.0;

DiffusionRoom box(std::array<double, 3> sides, std::array<int, 3> cells, std::array<double, 3> source,
                  std::vector<std::array<double, 3>> receivers) {
  const std::array<double, 3> h = {sides[0] / cells[0], sides[1] / cells[1], sides[2] / cells[2]};
  return make_diffusion_room(voxelise_box(cells, h, {"w", "w", "w", "w", "w", "w"}), sides[0] * sides[1] * sides[2],
                             {source}, std::move(receivers));
}

double wall_factor(double alpha) { return alpha / (2.0 * (2.0 - alpha)); }

// The slowest rate of a box with equal walls: D k^2 along each axis, of x tan x = c A L / (2 D), k = 2 x / L, A with the
// factor of exchange.
double exact_rate(std::array<double, 3> sides, double alpha) {
  const double volume = sides[0] * sides[1] * sides[2];
  const double area = 2.0 * (sides[0] * sides[1] + sides[1] * sides[2] + sides[2] * sides[0]);
  const double D = c * 4.0 * volume / area / 3.0;
  double rate = 0.0;
  for (const double L : sides) {
    const double wanted = c * exchange_factor(alpha) * wall_factor(alpha) * L / (2.0 * D);
    double low = 0.0, high = 0.5 * std::numbers::pi - 1e-12;
    for (int i = 0; i < 100; ++i) {
      const double x = 0.5 * (low + high);
      (x * std::tan(x) < wanted ? low : high) = x;
    }
    rate += D * 4.0 * low * low / (L * L);
  }
  return rate;
}

ModalDecay decay_in(const DiffusionRoom& room, double alpha, double attenuation = 0.0) {
  DiffusionModel model(room, c, 8);
  model.set_band(std::vector<double>{alpha}, attenuation);
  return model.solve(0).decays[0];
}

double eyring(double volume, double area, double alpha) {
  return 24.0 * std::numbers::ln10 * volume / (c * -area * std::log1p(-alpha));
}

}  // namespace

TEST_CASE("the slowest decay of a box is the exact one, with order 2", "[diffusion]") {
  const std::array<double, 3> sides = {6.0, 4.0, 3.0};
  for (const double alpha : {0.1, 0.5}) {
    std::vector<double> errors;
    for (const int n : {1, 2, 4}) {
      const DiffusionRoom room = box(sides, {6 * n, 4 * n, 3 * n}, {1.5, 1.0, 1.0}, {{4.0, 3.0, 2.0}});
      errors.push_back(std::abs(decay_in(room, alpha).rates[0] / exact_rate(sides, alpha) - 1.0));
    }
    INFO(alpha << ": " << errors[0] << ", " << errors[1] << ", " << errors[2]);
    CHECK(errors[0] / errors[1] > 3.5);
    CHECK(errors[1] / errors[2] > 3.5);
    CHECK(errors[2] < 2e-3);
  }
}

TEST_CASE("air adds c m to every rate", "[diffusion]") {
  const DiffusionRoom room = box({5.0, 4.0, 3.0}, {10, 8, 6}, {1.5, 1.0, 1.0}, {{4.0, 3.0, 2.0}});
  const double without = decay_in(room, 0.2).rates[0], with = decay_in(room, 0.2, 0.01).rates[0];
  CHECK(with - without == Approx(c * 0.01).epsilon(1e-4));
}

TEST_CASE("in a cube T30 is Eyring's", "[diffusion]") {
  const DiffusionRoom room = box({5.0, 5.0, 5.0}, {16, 16, 16}, {1.5, 2.0, 2.2}, {{3.5, 3.0, 3.0}});
  for (const double alpha : {0.1, 0.2, 0.3, 0.4, 0.6}) {
    const double T30 = *decay_figures(decay_in(room, alpha), 0.0).T30, plain = eyring(125.0, 150.0, alpha);
    INFO(alpha << ": T30 " << T30 << ", Eyring " << plain);
    CHECK(std::abs(T30 / plain - 1.0) < 0.01);
  }
  CHECK(exchange_factor(0.0) == 1.0);
  CHECK(exchange_factor(1e-5) == Approx(1.0).margin(1e-4));
  CHECK(exchange_factor(1.0) == exchange_factor(0.7));
}

TEST_CASE("energy is conserved: walls absorb the power of the source", "[diffusion]") {
  const DiffusionRoom room = box({5.0, 4.0, 3.0}, {20, 16, 12}, {1.5, 1.0, 1.0}, {});
  DiffusionModel model(room, c, 4);
  const double alpha = 0.3;
  model.set_band(std::vector<double>{alpha}, 0.0);
  const DiffusionField field = model.solve(0);
  double absorbed = 0.0;  // of the diffuse field: alpha times what falls on walls, (c w / 2 - E) / (2 - alpha)
  double emitted = 0.0;
  for (const DiffusionRoom::Wall& wall : room.walls) {
    const auto nx = static_cast<std::size_t>(room.cells[0]), ny = static_cast<std::size_t>(room.cells[1]);
    const auto cell = static_cast<std::size_t>(wall.cell);
    std::array<double, 3> place = {(static_cast<double>(cell % nx) + 0.5) * room.spacing[0],
                                   (static_cast<double>(cell / nx % ny) + 0.5) * room.spacing[1],
                                   (static_cast<double>(cell / nx / ny) + 0.5) * room.spacing[2]};
    place[wall.side / 2] += (wall.side % 2 == 0 ? -0.5 : 0.5) * room.spacing[wall.side / 2];
    absorbed += alpha / (2.0 - alpha) * 0.5 * c * model.at(field.steady, place) * wall.area;
  }
  emitted = 1.0 - alpha;  // of 1 W, after the first reflection
  absorbed -= alpha / (2.0 - alpha) * emitted;
  CHECK(absorbed == Approx(emitted).epsilon(2e-4));
}

TEST_CASE("a live room beside a dead one bends the decay in the dead room", "[diffusion]") {
  AirMask parted = AirMask::walls({21, 8, 6});
  for (int z = 0; z < 6; ++z)
    for (int y = 0; y < 8; ++y)
      for (int x = 0; x < 21; ++x)
        if (x != 10 || (y == 4 && z < 4)) parted.set(x, y, z, true);
  Voxels voxels = voxels_of(std::move(parted), {0.5, 0.5, 0.5}, "dead");
  voxels.materials.emplace_back("live");
  for (BoundaryFace& face : voxels.faces)
    if (face.node % 21 > 10) face.material = 1;
  const double volume = 0.125 * static_cast<double>(voxels.air.count());
  const DiffusionRoom room = make_diffusion_room(voxels, volume, {{1.0, 1.0, 1.0}}, {{4.0, 3.0, 1.5}, {8.0, 2.0, 1.5}});
  DiffusionModel model(room, c, 10);
  model.set_band(std::vector<double>{0.4, 0.04}, 0.0);
  const DiffusionField field = model.solve(0);
  const DecayFigures dead = decay_figures(field.decays[0], field.direct[0]);
  REQUIRE(dead.slopes.size() == 2);
  // Each room alone, the door open: what it loses through it counts as absorbed.
  const double door = 1.0;
  CHECK(dead.slopes[1].seconds == Approx(eyring(60.0, 94.0, (0.4 * 93.0 + door) / 94.0)).epsilon(0.15));
  CHECK(dead.slopes[0].seconds == Approx(eyring(60.0, 94.0, (0.04 * 93.0 + door) / 94.0)).epsilon(0.1));
  CHECK(dead.slopes[0].level < -10.0);
  const DecayFigures live = decay_figures(field.decays[1], field.direct[1]);
  CHECK(live.slopes.size() == 1);
  CHECK(*live.T30 == Approx(live.slopes[0].seconds).epsilon(0.05));
}

TEST_CASE("a single cell has its own level and decay, without absorption there is none", "[diffusion]") {
  const DiffusionRoom room = box({1.0, 1.0, 1.0}, {1, 1, 1}, {0.3, 0.4, 0.5}, {{0.7, 0.6, 0.5}});
  DiffusionModel model(room, c, 8);
  model.set_band(std::vector<double>{0.2}, 0.0);
  CHECK(model.absorbs(0));
  const DiffusionField field = model.solve(0);
  CHECK(field.diffuse[0] > 0.0);
  CHECK(*decay_figures(field.decays[0], field.direct[0]).T30 == Approx(eyring(1.0, 6.0, 0.2)).epsilon(0.15));
  model.set_band(std::vector<double>{0.0}, 0.0);
  CHECK_FALSE(model.absorbs(0));
}
