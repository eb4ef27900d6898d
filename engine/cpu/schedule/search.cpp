#include "engine/cpu/schedule/search.hpp"

#include <algorithm>
#include <array>
#include <limits>
#include <span>
#include <utility>

namespace fdtd::cpu {
namespace {

constexpr double never = std::numeric_limits<double>::infinity();

// The time of an order relative to a reference order, which is timed before and after it: on a shared machine the
// processor's speed changes from moment to moment, and the ratio does not.
class TimeRatio {
 public:
  TimeRatio(const TileOrder& reference, const SecondsPerStep& seconds_per_step)
      : reference_(reference), seconds_per_step_(seconds_per_step), before_(seconds_per_step(reference)) {}
  double operator()(const TileOrder& order) {
    // Two speeds of a processor differ by more than a tenth (docs/performance/cpu-tried.md, section 7).
    constexpr int max_tries = 3;
    constexpr double steady = 1.1;
    for (int tries = 1;; ++tries) {
      const double seconds = seconds_per_step_(order), after = seconds_per_step_(reference_);
      const double before = std::exchange(before_, after);
      if (tries == max_tries || std::max(before, after) <= steady * std::min(before, after))
        return 2.0 * seconds / (before + after);
    }
  }

 private:
  TileOrder reference_;
  const SecondsPerStep& seconds_per_step_;
  double before_;
};

struct Timed {
  TileOrder order;
  double ratio = never;
};

double least(std::span<const Timed> timed) {
  double ratio = never;
  for (const Timed& one : timed) ratio = std::min(ratio, one.ratio);
  return ratio;
}

// Is the fastest order with (or without) whole rows at most `factor` times as slow as the fastest of the other kind?
bool keeps_up(std::span<const Timed> timed, bool whole_rows, double factor) {
  double own = never, other = never;
  for (const Timed& one : timed) {
    double& of_kind = one.order.whole_rows == whole_rows ? own : other;
    of_kind = std::min(of_kind, one.ratio);
  }
  return timed.empty() || (own < never && own <= factor * other);
}

// Times the best few again and decides by the median. The cut-off follows the second best, as the best may be an
// outlier.
TileOrder fastest_by_median(std::vector<Timed> timed, TimeRatio& ratio) {
  // An order that is slower by more than the tenth to which single ratios are steady is not the fastest; each of the few
  // costs `rounds` timings more (docs/performance/cpu-tried.md, section 7).
  constexpr std::size_t few = 4, rounds = 3;
  constexpr double close = 1.1;
  std::ranges::stable_sort(timed, std::less{}, &Timed::ratio);
  const double second = timed[std::min<std::size_t>(timed.size() - 1, 1)].ratio;
  std::erase_if(timed, [&](const Timed& one) { return one.ratio > close * second; });
  timed.resize(std::min(timed.size(), few));
  if (timed.size() == 1) return timed.front().order;
  std::vector<std::array<double, rounds>> ratios(timed.size());
  for (std::size_t round = 0; round < rounds; ++round)
    for (std::size_t i = 0; i < timed.size(); ++i) ratios[i][round] = ratio(timed[i].order);
  for (auto& each : ratios) std::ranges::sort(each);
  const auto best = std::ranges::min_element(ratios, std::less{}, [](const auto& each) { return each[rounds / 2]; });
  return timed[static_cast<std::size_t>(best - ratios.begin())].order;
}

}  // namespace

std::vector<TileOrder> SearchSpace::all() const {
  std::vector<TileOrder> orders = single;
  for (const std::vector<TileOrder>& group : several) orders.insert(orders.end(), group.begin(), group.end());
  return orders;
}

TileOrder fastest(const SearchSpace& space, const SecondsPerStep& seconds_per_step) {
  const std::vector<TileOrder> all = space.all();
  if (all.size() == 1) return all.front();
  TimeRatio ratio(all.front(), seconds_per_step);
  std::vector<Timed> timed;
  for (const TileOrder& order : space.single) timed.push_back({order, ratio(order)});
  // Sweeps of several steps take long to time. Which kind of rows is faster depends on the machine: where single steps
  // do not decide, both kinds are timed with the fewest steps, then the faster kind alone, until more steps are clearly
  // slower.
  // Twice the tenth to which single ratios are steady.
  constexpr double close = 1.2;
  std::size_t begin = 0;  // of the stage before
  double factor = close;
  for (const std::vector<TileOrder>& group : space.several) {
    const std::span<const Timed> before(timed.begin() + static_cast<std::ptrdiff_t>(begin), timed.end());
    const std::array<bool, 2> hopeful = {keeps_up(before, false, factor), keeps_up(before, true, factor)};
    // Compare with the group before, not with single steps: those do not show how many steps are too many.
    const bool after_single = begin == 0 && !space.single.empty();
    const double min_before = after_single ? never : least(before);
    begin = timed.size();
    for (const TileOrder& order : group)
      if (hopeful[order.whole_rows ? 1 : 0]) timed.push_back({order, ratio(order)});
    if (least(std::span<const Timed>(timed).subspan(begin)) > close * min_before) break;
    factor = 1.0;
  }
  return fastest_by_median(std::move(timed), ratio);
}

}  // namespace fdtd::cpu
