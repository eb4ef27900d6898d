#include "engine/cpu/tune.hpp"

#include <algorithm>

#include "engine/system/machine.hpp"

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

// What may be tried for a stepper: blocks of no more columns than a thread's share, no march twice.
template <class T>
class Candidates {
 public:
  explicit Candidates(const Stepper<T>& stepper)
      : stepper_(stepper), share_((stepper.layout().columns + stepper.threads() - 1) / stepper.threads()) {
    const bool guess = stepper.two_ways() && prefetches_long_rows();
    kinds_ = {guess};
    if (stepper.two_ways()) kinds_.push_back(!guess);
  }

  // What the caches' sizes suggest.
  March guess(bool uncut) const {
    const int layers = stepper_.layers(uncut);
    return {1, std::min(fitting_columns(layout(), layers, sizeof(T)), share_), layers, 0, uncut};
  }
  March guess_of_several(bool uncut) const {
    return {layout().radius == 1 ? 4 : 2, std::min(8, share_), stepper_.layers(uncut), 0, uncut};
  }
  // Ways of working rows, uncut or not: the likelier first, or the only one.
  const std::vector<bool>& kinds() const { return kinds_; }

  std::vector<March> single_steps() const {
    std::vector<March> marches;
    for (const bool uncut : kinds_) add(marches, guess(uncut));
    for (const bool uncut : kinds_) {
      const std::vector<int> counts = stepper_.layers(uncut) > 1 ? std::vector<int>{1, 2, 4} : std::vector<int>{1};
      for (const int layers : counts) {
        const int fitting = fitting_columns(layout(), layers, sizeof(T));
        for (const int columns : {fitting, 2 * fitting, 4 * fitting, share_})
          add(marches, {1, columns, layers, 0, uncut});
      }
    }
    // Of long stencils the planes of whole rows that fit are too few rows: those around a block are read too often.
    if (layout().radius < 3) return marches;
    const int layers = stepper_.layers(false);
    for (const int bytes : {512, 1024, 2048}) {
      const int width = bytes / static_cast<int>(sizeof(T));
      if (width >= layout().size[0]) continue;
      for (const int columns : {share_, fitting_columns(layout(), layers, sizeof(T), width)})
        add(marches, {1, columns, layers, width});
    }
    return marches;
  }

  std::vector<std::vector<March>> several_steps() const {
    const bool near = layout().reach() == 1;
    std::vector<std::vector<March>> groups;
    if (layout().reach() > 2) return groups;
    for (const int steps : near ? std::vector<int>{2, 3, 4, 6, 8} : std::vector<int>{2, 3, 4}) {
      std::vector<March> group;
      for (const bool uncut : kinds_)
        for (const int columns : near ? std::vector<int>{2, 4, 8, share_} : std::vector<int>{4, 8, 12, 16})
          add(group, {steps, columns, stepper_.layers(uncut), 0, uncut});
      groups.push_back(std::move(group));
    }
    return groups;
  }

 private:
  const Layout& layout() const { return stepper_.layout(); }
  void add(std::vector<March>& marches, March march) const {
    march.columns = std::min(march.columns, share_);
    if (std::ranges::find(marches, march) == marches.end()) marches.push_back(march);
  }

  const Stepper<T>& stepper_;
  int share_;
  std::vector<bool> kinds_;
};

}  // namespace

template <class T>
March default_march(const Stepper<T>& stepper, Steps steps) {
  const Candidates<T> candidates(stepper);
  const bool uncut = candidates.kinds().front();
  return steps == Steps::several ? candidates.guess_of_several(uncut) : candidates.guess(uncut);
}

template <class T>
SearchSpace marches_to_try(const Stepper<T>& stepper, Steps steps) {
  const Candidates<T> candidates(stepper);
  SearchSpace space;
  if (steps != Steps::several) space.single = candidates.single_steps();
  if (steps != Steps::one && stepper.slices()) space.several = candidates.several_steps();
  // Steps taken together where nothing says how many.
  if (space.single.empty() && space.several.empty()) space.several = {{default_march(stepper, steps)}};
  return space;
}

template March default_march(const Stepper<float>&, Steps);
template March default_march(const Stepper<double>&, Steps);
template SearchSpace marches_to_try(const Stepper<float>&, Steps);
template SearchSpace marches_to_try(const Stepper<double>&, Steps);

}  // namespace fdtd::cpu
