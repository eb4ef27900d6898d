#include "engine/cpu/tune.hpp"

#include <algorithm>
#include <array>
#include <functional>
#include <limits>
#include <numeric>

#include "engine/machine.hpp"

namespace fdtd::cpu {
namespace {

// Columns of a block, `width` nodes wide or whole rows (0), of which everything that a step reads again fits a thread's share of
// the second-level cache.
int fitting_columns(const Layout& layout, int layers, std::size_t value_bytes, int width = 0) {
  const int planes = 2 * layout.radius + 2 * layers * tile_edge;
  // With a line on either side.
  const std::int64_t nodes = width > 0 ? width + 2 * 64 / static_cast<int>(value_bytes) : layout.row;
  const double row = static_cast<double>(nodes) * static_cast<double>(value_bytes);
  const double rows = 0.7 * static_cast<double>(second_level_cache()) / (planes * row);
  const int least = std::max(1, layout.radius / 2);  // below, rows around a block are read too often
  return std::clamp(static_cast<int>(std::min(rows / tile_edge, 1e6)), least, std::max(least, layout.columns));
}

// Layers that a kernel is best given at once: where planes share sums, or what they read, those of two.
template <class T>
int usual_layers(const Stepper<T>& stepper, bool uncut) {
  const RowStencil<T>& stencil = stepper.stencil();
  return stencil.shape != Shape::none || in_passes(stencil.legs, uncut) ? 2 : 1;
}

template <class T>
March untimed(const Stepper<T>& stepper, Steps steps, bool uncut) {
  const int layers = usual_layers(stepper, uncut);
  if (steps == Steps::several) {
    const int most = stepper.stencil().shape == Shape::none ? layers : 1;
    return {stepper.layout().radius == 1 ? 4 : 2, 8, most, 0, uncut};
  }
  return {1, fitting_columns(stepper.layout(), layers, sizeof(T)), layers, 0, uncut};
}

// Marches without their like, in blocks of no more columns than a thread's share.
class Candidates {
 public:
  // kinds: rows uncut or not, the likelier first.
  Candidates(int share, std::vector<bool> kinds, std::vector<March> first)
      : share_(share), kinds_(std::move(kinds)), marches_(std::move(first)) {}
  void add(March march) {
    march.columns = std::min(march.columns, share_);
    if (std::ranges::find(marches_, march) == marches_.end()) marches_.push_back(march);
  }
  int share() const { return share_; }
  const std::vector<bool>& kinds() const { return kinds_; }
  std::vector<March> take() { return std::move(marches_); }

 private:
  int share_;
  std::vector<bool> kinds_;
  std::vector<March> marches_;
};

template <class T>
void add_single_steps(Candidates& candidates, const Stepper<T>& stepper) {
  const Layout& layout = stepper.layout();
  for (const bool uncut : candidates.kinds()) {
    std::vector<int> counts = {usual_layers(stepper, uncut)};
    if (stepper.stencil().shape != Shape::none) counts = {1, 2, 4};
    for (const int layers : counts) {
      const int fitting = fitting_columns(layout, layers, sizeof(T));
      for (const int columns : {fitting, 2 * fitting, candidates.share()})
        candidates.add({1, columns, layers, 0, uncut});
    }
  }
  // Of long stencils the planes of whole rows that fit are too few rows: those around a block are read too often.
  if (layout.radius < 3) return;
  const int layers = usual_layers(stepper, false);
  for (const int bytes : {512, 1024, 2048}) {
    const int width = bytes / static_cast<int>(sizeof(T));
    if (width >= layout.size[0]) continue;
    for (const int columns : {candidates.share(), fitting_columns(layout, layers, sizeof(T), width)})
      candidates.add({1, columns, layers, width});
  }
}

template <class T>
void add_several_steps(Candidates& candidates, const Stepper<T>& stepper) {
  const auto add = [&](int steps, int columns, bool uncut) {
    const int layers = stepper.stencil().shape == Shape::none ? usual_layers(stepper, uncut) : 1;
    candidates.add({steps, columns, layers, 0, uncut});
  };
  if (stepper.layout().reach() == 1) {
    for (const int steps : {2, 3, 4, 6, 8}) {
      for (const int columns : {4, 8})
        for (const bool uncut : candidates.kinds()) add(steps, columns, uncut);
      for (const int columns : {2, candidates.share()}) add(steps, columns, candidates.kinds().front());
    }
  } else {
    for (const int steps : {2, 3, 4})
      for (const int columns : {4, 8, 12, 16})
        for (const bool uncut : candidates.kinds()) add(steps, columns, uncut);
  }
}

// The places of the least few of `times`, in order.
std::vector<std::size_t> first_few(const std::vector<double>& times) {
  constexpr std::size_t few = 4;
  std::vector<std::size_t> order(times.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::ranges::stable_sort(order, std::less{}, [&](std::size_t i) { return times[i]; });
  order.resize(std::min(order.size(), few));
  return order;
}

// A machine that others use as well has fast moments, and what was timed in one seems the best: of the last few the median of
// several turns decides.
template <class T>
std::size_t fastest_by_median(Stepper<T>& stepper, const std::vector<March>& marches,
                              const std::vector<std::size_t>& few) {
  if (few.size() == 1) return few.front();
  constexpr std::size_t turns = 3;
  std::vector<std::array<double, turns>> times(few.size());
  for (std::size_t turn = 0; turn < turns; ++turn)
    for (std::size_t k = 0; k < few.size(); ++k) times[k][turn] = stepper.seconds_per_step(marches[few[k]]);
  for (auto& each : times) std::ranges::sort(each);
  const auto least = std::ranges::min_element(times, std::less{}, [](const auto& each) { return each[turns / 2]; });
  return few[static_cast<std::size_t>(least - times.begin())];
}

}  // namespace

template <class T>
March default_march(const Stepper<T>& stepper, Steps steps) {
  return untimed(stepper, steps, stepper.cuts_rows() && prefetches_long_rows());
}

template <class T>
std::vector<March> marches_to_try(const Stepper<T>& stepper, Steps steps) {
  const Layout& layout = stepper.layout();
  std::vector<March> first = {default_march(stepper, steps)};
  std::vector<bool> kinds = {first.front().uncut};
  if (stepper.cuts_rows()) {
    kinds.push_back(!kinds.front());
    first.push_back(untimed(stepper, steps, kinds.back()));
  }
  Candidates candidates(std::max(1, layout.columns / stepper.threads()), kinds, first);
  if (steps != Steps::several) add_single_steps(candidates, stepper);
  if (steps != Steps::one && stepper.slices() && layout.reach() <= 2) add_several_steps(candidates, stepper);
  return candidates.take();
}

template <class T>
March fastest(Stepper<T>& stepper, const std::vector<March>& marches) {
  constexpr double close = 1.2, never = std::numeric_limits<double>::infinity();
  std::vector<double> times(marches.size(), never);
  // Whether rows are better cut depends on the machine: where more steps are taken together than by the first two marches, the
  // kind that those of as few steps have shown to be much slower is not timed any more.
  const auto hopeful = [&](std::size_t i) {
    const int few = marches.front().steps;
    if (marches[i].steps == few) return true;
    std::array<double, 2> least = {never, never};  // cut, uncut
    for (std::size_t k = 0; k < i; ++k)
      if (marches[k].steps == few) least[marches[k].uncut] = std::min(least[marches[k].uncut], times[k]);
    return least[marches[i].uncut] < close * least[!marches[i].uncut] || least[!marches[i].uncut] == never;
  };
  stepper.silence();
  for (std::size_t i = 0; i < marches.size() && marches.size() > 1; ++i)
    if (hopeful(i)) times[i] = stepper.seconds_per_step(marches[i]);
  const March chosen = marches[fastest_by_median(stepper, marches, first_few(times))];
  stepper.set_march(chosen);
  stepper.silence();
  return chosen;
}

template March default_march(const Stepper<float>&, Steps);
template March default_march(const Stepper<double>&, Steps);
template std::vector<March> marches_to_try(const Stepper<float>&, Steps);
template std::vector<March> marches_to_try(const Stepper<double>&, Steps);
template March fastest(Stepper<float>&, const std::vector<March>&);
template March fastest(Stepper<double>&, const std::vector<March>&);

}  // namespace fdtd::cpu
