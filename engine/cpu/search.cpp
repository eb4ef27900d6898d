#include "engine/cpu/search.hpp"

#include <algorithm>
#include <array>
#include <limits>
#include <span>

namespace fdtd::cpu {
namespace {

constexpr double never = std::numeric_limits<double>::infinity();

struct Timed {
  March march;
  double seconds = never;
};

double least(std::span<const Timed> timed) {
  double seconds = never;
  for (const Timed& one : timed) seconds = std::min(seconds, one.seconds);
  return seconds;
}

// Is one way of working rows, uncut or not, not slower than the other by more than a factor?
bool keeps_up(std::span<const Timed> timed, bool uncut, double factor) {
  double own = never, other = never;
  for (const Timed& one : timed) {
    double& of_kind = one.march.uncut == uncut ? own : other;
    of_kind = std::min(of_kind, one.seconds);
  }
  return timed.empty() || (own < never && own <= factor * other);
}

// A machine that others use as well has fast moments, and what was timed in one seems the best: of the best few the median of
// several turns decides.
March fastest_by_median(std::vector<Timed> timed, const SecondsPerStep& seconds_per_step) {
  constexpr std::size_t few = 3, turns = 3;
  constexpr double close = 1.1;
  std::ranges::stable_sort(timed, std::less{}, &Timed::seconds);
  std::erase_if(timed, [most = close * timed.front().seconds](const Timed& one) { return one.seconds > most; });
  timed.resize(std::min(timed.size(), few));
  if (timed.size() == 1) return timed.front().march;
  std::vector<std::array<double, turns>> seconds(timed.size());
  for (std::size_t turn = 0; turn < turns; ++turn)
    for (std::size_t i = 0; i < timed.size(); ++i) seconds[i][turn] = seconds_per_step(timed[i].march);
  for (auto& each : seconds) std::ranges::sort(each);
  const auto best = std::ranges::min_element(seconds, std::less{}, [](const auto& each) { return each[turns / 2]; });
  return timed[static_cast<std::size_t>(best - seconds.begin())].march;
}

}  // namespace

std::vector<March> SearchSpace::all() const {
  std::vector<March> marches = single;
  for (const std::vector<March>& group : several) marches.insert(marches.end(), group.begin(), group.end());
  return marches;
}

March fastest(const SearchSpace& space, const SecondsPerStep& seconds_per_step) {
  if (const std::vector<March> all = space.all(); all.size() == 1) return all.front();
  std::vector<Timed> timed;
  for (const March& march : space.single) timed.push_back({march, seconds_per_step(march)});
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
      if (hopeful[march.uncut ? 1 : 0]) timed.push_back({march, seconds_per_step(march)});
    if (least(std::span<const Timed>(timed).subspan(begin)) > close * least_before) break;
    factor = 1.0;
  }
  return fastest_by_median(std::move(timed), seconds_per_step);
}

}  // namespace fdtd::cpu
