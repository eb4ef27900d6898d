#include "engine/cpu/schedule/search.hpp"

#include <algorithm>
#include <array>
#include <limits>
#include <span>
#include <utility>

namespace fdtd::cpu {
namespace {

constexpr double never = std::numeric_limits<double>::infinity();

// What marches take in times of one of them, the reference, which is timed before and after each: the processors of a machine
// that others use as well run at one speed in one moment and at another in the next, and a march is not the better for
// having been timed in a fast one.
class Pace {
 public:
  Pace(const March& reference, const SecondsPerStep& seconds_per_step)
      : reference_(reference), seconds_per_step_(seconds_per_step), before_(seconds_per_step(reference)) {}
  double operator()(const March& march) {
    constexpr int most_tries = 3;
    constexpr double steady = 1.1;
    for (int tries = 1;; ++tries) {
      const double seconds = seconds_per_step_(march), after = seconds_per_step_(reference_);
      const double before = std::exchange(before_, after);
      if (tries == most_tries || std::max(before, after) <= steady * std::min(before, after))
        return 2.0 * seconds / (before + after);
    }
  }

 private:
  March reference_;
  const SecondsPerStep& seconds_per_step_;
  double before_;
};

struct Timed {
  March march;
  double pace = never;
};

double least(std::span<const Timed> timed) {
  double pace = never;
  for (const Timed& one : timed) pace = std::min(pace, one.pace);
  return pace;
}

// Is one way of working rows, uncut or not, not slower than the other by more than a factor?
bool keeps_up(std::span<const Timed> timed, bool uncut, double factor) {
  double own = never, other = never;
  for (const Timed& one : timed) {
    double& of_kind = one.march.uncut == uncut ? own : other;
    of_kind = std::min(of_kind, one.pace);
  }
  return timed.empty() || (own < never && own <= factor * other);
}

// Of the best few the median of several turns decides; the very best may have been lucky and keeps no other out.
March fastest_by_median(std::vector<Timed> timed, Pace& pace) {
  constexpr std::size_t few = 4, turns = 3;
  constexpr double close = 1.1;
  std::ranges::stable_sort(timed, std::less{}, &Timed::pace);
  const double second = timed[std::min<std::size_t>(timed.size() - 1, 1)].pace;
  std::erase_if(timed, [&](const Timed& one) { return one.pace > close * second; });
  timed.resize(std::min(timed.size(), few));
  if (timed.size() == 1) return timed.front().march;
  std::vector<std::array<double, turns>> paces(timed.size());
  for (std::size_t turn = 0; turn < turns; ++turn)
    for (std::size_t i = 0; i < timed.size(); ++i) paces[i][turn] = pace(timed[i].march);
  for (auto& each : paces) std::ranges::sort(each);
  const auto best = std::ranges::min_element(paces, std::less{}, [](const auto& each) { return each[turns / 2]; });
  return timed[static_cast<std::size_t>(best - paces.begin())].march;
}

}  // namespace

std::vector<March> SearchSpace::all() const {
  std::vector<March> marches = single;
  for (const std::vector<March>& group : several) marches.insert(marches.end(), group.begin(), group.end());
  return marches;
}

March fastest(const SearchSpace& space, const SecondsPerStep& seconds_per_step) {
  const std::vector<March> all = space.all();
  if (all.size() == 1) return all.front();
  Pace pace(all.front(), seconds_per_step);
  std::vector<Timed> timed;
  for (const March& march : space.single) timed.push_back({march, pace(march)});
  // Sweeps of several steps are dear to time. Which way of working rows is better depends on the machine: both are timed with the
  // fewest steps where single steps do not tell, then the better one alone, until more steps are clearly slower.
  constexpr double close = 1.2;
  std::size_t begin = 0;  // of the stage before
  double factor = close;
  for (const std::vector<March>& group : space.several) {
    const std::span<const Timed> before(timed.begin() + static_cast<std::ptrdiff_t>(begin), timed.end());
    const std::array<bool, 2> hopeful = {keeps_up(before, false, factor), keeps_up(before, true, factor)};
    // Of the group before: single steps, where they come before, say nothing of how many are too many.
    const bool after_single = begin == 0 && !space.single.empty();
    const double least_before = after_single ? never : least(before);
    begin = timed.size();
    for (const March& march : group)
      if (hopeful[march.uncut ? 1 : 0]) timed.push_back({march, pace(march)});
    if (least(std::span<const Timed>(timed).subspan(begin)) > close * least_before) break;
    factor = 1.0;
  }
  return fastest_by_median(std::move(timed), pace);
}

}  // namespace fdtd::cpu
