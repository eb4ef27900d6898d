#include "engine/responses/spatial/lateral.hpp"

#include <cmath>
#include <numbers>
#include <random>
#include <vector>

#include "tests/support/catch.hpp"

using namespace fdtd;

namespace {

constexpr double lateral_rate = 48'000.0;

struct Field {
  std::vector<double> pressure, lateral;
  LateralSignals signals() const { return {pressure, lateral, lateral_rate, 1, 100, 0, 0.0, 0.0}; }
};

// A pulse at every sample after the onset, from a direction whose cosine with the lateral axis is given.
template <class Cosine>
Field field_of(const Cosine& cosine) {
  Field field;
  field.pressure.assign(9'600, 0.0);
  field.lateral.assign(9'600, 0.0);
  std::mt19937 random(7);
  for (std::size_t i = 100; i < field.pressure.size(); ++i) {
    field.pressure[i] = random() % 2 == 0 ? 1.0 : -1.0;
    field.lateral[i] = field.pressure[i] * cosine(random);
  }
  return field;
}

}  // namespace

TEST_CASE("lateral energy: sound along the axis, across it, and from everywhere") {
  // Equal energy from 0 to 80 ms, of which 5 to 80 ms count as lateral.
  const double part = 75.0 / 80.0;
  const LateralEnergy along = lateral_energy(field_of([](auto&) { return -1.0; }).signals());
  CHECK(along.early == Approx(80e-3 * lateral_rate));
  CHECK(along.early_lateral / along.early == Approx(part));
  CHECK(along.early_product / along.early == Approx(part));
  CHECK(along.lateral_to_80ms == Approx(along.early));
  const LateralEnergy across = lateral_energy(field_of([](auto&) { return 0.0; }).signals());
  CHECK(across.early_lateral == 0.0);
  CHECK(across.early_product == 0.0);
  // Diffuse: the cosine is equally distributed from -1 to 1, its square has the mean 1/3, its magnitude 1/2.
  const LateralEnergy diffuse = lateral_energy(
      field_of([](auto& random) { return std::uniform_real_distribution(-1.0, 1.0)(random); }).signals());
  CHECK(diffuse.early_lateral / diffuse.early / part == Approx(1.0 / 3.0).margin(0.02));
  CHECK(diffuse.early_product / diffuse.early / part == Approx(0.5).margin(0.02));
}

TEST_CASE("lateral energy: limits divide a sample, noise is left out, and what rings ahead counts as early") {
  Field field = field_of([](auto&) { return 0.5; });
  LateralSignals signals = field.signals();
  signals.rate = 1'010.0;  // 80 ms: 80.8 samples, 5 ms: 5.05
  CHECK(lateral_energy(signals).early == Approx(80.8));
  CHECK(lateral_energy(signals).early_lateral == Approx(0.25 * 75.75));
  signals.noise = 0.1;
  signals.noise_of_lateral = 0.05;
  CHECK(lateral_energy(signals).early == Approx(0.9 * 80.8));
  CHECK(lateral_energy(signals).early_lateral == Approx(0.2 * 75.75));
  signals = field.signals();
  field.pressure[95] = 3.0;
  signals.ahead = 10;
  CHECK(lateral_energy(signals).early == Approx(80e-3 * lateral_rate + 9.0));
  // A signal that ends before has what is there.
  signals = field.signals();
  signals.pressure = signals.pressure.first(1'100);
  CHECK(lateral_energy(signals).early == Approx(1'000.0));
}
