// Timing: steps beside their roof, and marches beside each other.
#include <algorithm>
#include <chrono>

#include "engine/cpu/stepper.hpp"
#include "engine/math/median.hpp"

namespace fdtd::cpu {
namespace {

template <class Work>
double seconds(const Work& work) {
  const auto start = std::chrono::steady_clock::now();
  work();
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

Drive rest(const Plan& plan, std::int64_t steps) {
  return {steps, std::vector<double>(plan.sources.size() * static_cast<std::size_t>(steps), 0.0)};
}

}  // namespace

template <class T>
void Stepper<T>::triad(std::int64_t steps) {
  const std::ptrdiff_t nodes = plan_.grid.nodes(), first = room_.layout.first;
  each_thread([&] {
    for (std::int64_t n = 0; n < steps; ++n) {
      each_part([&](int part) {
        functions_.triad(field(n), field(n + 1), first + nodes * part / threads_,
                         first + nodes * (part + 1) / threads_);
      });
      gate_.pass(omp_get_num_threads());
    }
  });
}

// Steps and triads take turns, so that both see the same machine. Whole passes alone are timed.
template <class T>
Timing Stepper<T>::profile(int repeats) {
  silence();
  Samples samples;
  const Drive one = rest(plan_, march_.steps);
  advance(one, samples);
  const double first = seconds([&] { advance(one, samples); });
  const double least = march_.steps > 1 ? most_passes(threads_) : 1;  // passes follow each other as they do in a run
  const auto sweeps = static_cast<std::int64_t>(std::clamp(0.02 / std::max(first, 1e-7), least, 1000.0));
  const std::int64_t steps = sweeps * march_.steps;
  const Drive drive = rest(plan_, steps);
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
  const double words = march_.steps > 1 ? 4.0 / march_.steps : 3.0;  // both fields in and out, or two in and one out
  timing.declared_bytes = words * sizeof(T);
  timing.steps = march_.steps;
  return timing;
}

template <class T>
double Stepper<T>::seconds_per_step(const March& march) {
  constexpr double enough = 0.01;  // s: past the clock's and the scheduler's grain
  set_march(march);
  Samples samples;
  const Drive one = rest(plan_, march.steps);
  advance(one, samples);
  const double first = seconds([&] { advance(one, samples); });
  const double least = march.steps > 1 ? most_passes(threads_) : 1;
  const int more = static_cast<int>(std::clamp(enough / std::max(first, 1e-7), least, 1000.0));
  const Drive drive = rest(plan_, static_cast<std::int64_t>(more) * march.steps);
  return std::min(first / march.steps, seconds([&] { advance(drive, samples); }) / static_cast<double>(drive.steps));
}

template class Stepper<float>;
template class Stepper<double>;

}  // namespace fdtd::cpu
