// Timing of steps beside their roofline, and of the orders of tiles that the search compares.
#include <algorithm>

#include "base/math/median.hpp"
#include "engine/cpu/stepper.hpp"
#include "engine/system/stopwatch.hpp"

namespace fdtd::cpu {
namespace {

template <class Work>
double seconds(const Work& work) {
  const Stopwatch watch;
  work();
  return std::max(1e-9, watch.seconds());  // a clock may stand still
}

Drive undriven(const Plan& plan, std::int64_t steps) {
  return {steps, std::vector<double>(plan.sources.size() * static_cast<std::size_t>(steps), 0.0)};
}

}  // namespace

template <class T>
void Stepper<T>::triad(std::int64_t steps) {
  const std::ptrdiff_t nodes = plan_.grid.nodes(), first = cpu_plan_.layout.first;
  each_thread([&] {
    for (std::int64_t n = 0; n < steps; ++n) {
      each_part([&](int part) {
        functions_.triad(field(n), field(n + 1), first + nodes * part / threads_,
                         first + nodes * (part + 1) / threads_);
      });
      barrier_.arrive_and_wait(omp_get_num_threads());
    }
  });
}

// Times steps and triads alternately, so that both run under the same conditions. Times whole passes only.
template <class T>
Timing Stepper<T>::profile(int repeats) {
  reset();
  Samples samples;
  const Drive one = undriven(plan_, tile_order_.steps);
  advance(one, samples);
  const double first = seconds([&] { advance(one, samples); });
  const double least = tile_order_.steps > 1 ? max_passes(threads_) : 1;  // as many consecutive passes as in a run
  const double window = repeats > 0 ? 0.02 : 0.002;                       // s
  const auto sweeps = static_cast<std::int64_t>(std::clamp(window / std::max(first, 1e-7), least, 1000.0));
  const std::int64_t steps = sweeps * tile_order_.steps;
  const Drive drive = undriven(plan_, steps);
  std::vector<double> stepping, triads;
  for (int i = 0; i < std::max(repeats, 1); ++i) {
    stepping.push_back(seconds([&] { advance(drive, samples); }) / static_cast<double>(steps));
    triads.push_back(seconds([&] { this->triad(sweeps); }) / static_cast<double>(sweeps));
  }
  Timing timing;
  const auto nodes = static_cast<double>(plan_.grid.nodes());
  timing.seconds_per_step = median(stepping);
  timing.ctpn_ns = timing.seconds_per_step / nodes * 1e9;
  timing.triad_ctpn_ns = median(triads) / nodes * 1e9;
  const double words =
      tile_order_.steps > 1 ? 4.0 / tile_order_.steps : 3.0;  // both fields in and out, or two in and one out
  timing.declared_bytes = words * sizeof(T);
  timing.steps = tile_order_.steps;
  return timing;
}

template <class T>
double Stepper<T>::seconds_per_step(const TileOrder& order) {
  constexpr double enough = 0.01;  // s: well above the resolution of clock and scheduler
  set_tile_order(order);
  Samples samples;
  const Drive one = undriven(plan_, order.steps);
  advance(one, samples);
  const double first = seconds([&] { advance(one, samples); });
  const double least = order.steps > 1 ? max_passes(threads_) : 1;
  const int more = static_cast<int>(std::clamp(enough / std::max(first, 1e-7), least, 1000.0));
  const Drive drive = undriven(plan_, static_cast<std::int64_t>(more) * order.steps);
  return std::min(first / order.steps, seconds([&] { advance(drive, samples); }) / static_cast<double>(drive.steps));
}

template class Stepper<float>;
template class Stepper<double>;

}  // namespace fdtd::cpu
