#include "engine/cpu/tune.hpp"

#include <algorithm>

#include "engine/system/machine.hpp"

namespace fdtd::cpu {
namespace {

// Columns of a block, `width` nodes wide or of whole rows (0), so that everything that a step reads again fits the
// second-level cache.
int fitting_columns(const Layout& layout, int layers, std::size_t value_bytes, int width = 0) {
  const int planes = 2 * layout.radius + 2 * layers * tile_edge;
  // Including a line on either side.
  const std::int64_t nodes = width > 0 ? width + 2 * 64 / static_cast<int>(value_bytes) : layout.row;
  const double row = static_cast<double>(nodes) * static_cast<double>(value_bytes);
  const double rows = 0.7 * static_cast<double>(second_level_cache()) / (planes * row);
  const int least = std::max(1, layout.radius / 2);  // with fewer columns rows around a block are read too often
  return std::clamp(static_cast<int>(std::min(rows / tile_edge, 1e6)), least, std::max(least, layout.columns));
}

// The orders to try for a stepper: blocks of no more columns than a thread has, no order twice.
template <class T>
class Candidates {
 public:
  explicit Candidates(const Stepper<T>& stepper)
      : stepper_(stepper), thread_columns_((stepper.layout().columns + stepper.threads() - 1) / stepper.threads()) {
    const bool guess = stepper.has_whole_rows() && prefetches_long_rows();
    kinds_ = {guess};
    if (stepper.has_whole_rows()) kinds_.push_back(!guess);
  }

  // The order that the cache sizes suggest.
  TileOrder guess(bool whole_rows) const {
    const int layers = stepper_.layers(whole_rows);
    return {1, std::min(fitting_columns(layout(), layers, sizeof(T)), thread_columns_), layers, 0, whole_rows};
  }
  TileOrder guess_of_several(bool whole_rows) const {
    return {layout().radius == 1 ? 4 : 2, std::min(8, thread_columns_), stepper_.layers(whole_rows), 0, whole_rows};
  }
  // Whole rows or not: the likelier first, or the only possibility.
  const std::vector<bool>& kinds() const { return kinds_; }

  std::vector<TileOrder> single_steps() const {
    std::vector<TileOrder> orders;
    for (const bool whole_rows : kinds_) add(orders, guess(whole_rows));
    for (const bool whole_rows : kinds_) {
      const std::vector<int> counts = stepper_.layers(whole_rows) > 1 ? std::vector<int>{1, 2, 4} : std::vector<int>{1};
      for (const int layers : counts) {
        const int fitting = fitting_columns(layout(), layers, sizeof(T));
        for (const int columns : {fitting, 2 * fitting, 4 * fitting, thread_columns_})
          add(orders, {1, columns, layers, 0, whole_rows});
      }
    }
    // For long stencils too few whole rows fit, so that rows around a block are read too often: try narrow blocks.
    if (layout().radius < 3) return orders;
    const int layers = stepper_.layers(false);
    for (const int bytes : {512, 1024, 2048}) {
      const int width = bytes / static_cast<int>(sizeof(T));
      if (width >= layout().size[0]) continue;
      for (const int columns : {thread_columns_, fitting_columns(layout(), layers, sizeof(T), width)})
        add(orders, {1, columns, layers, width});
    }
    return orders;
  }

  std::vector<std::vector<TileOrder>> several_steps() const {
    const bool near = layout().reach() == 1;
    std::vector<std::vector<TileOrder>> groups;
    if (layout().reach() > 2) return groups;
    for (const int steps : near ? std::vector<int>{2, 3, 4, 6, 8} : std::vector<int>{2, 3, 4}) {
      std::vector<TileOrder> group;
      for (const bool whole_rows : kinds_)
        for (const int columns : near ? std::vector<int>{2, 4, 8, thread_columns_} : std::vector<int>{4, 8, 12, 16})
          add(group, {steps, columns, stepper_.layers(whole_rows), 0, whole_rows});
      groups.push_back(std::move(group));
    }
    return groups;
  }

 private:
  const Layout& layout() const { return stepper_.layout(); }
  void add(std::vector<TileOrder>& orders, TileOrder order) const {
    order.columns = std::min(order.columns, thread_columns_);
    if (std::ranges::find(orders, order) == orders.end()) orders.push_back(order);
  }

  const Stepper<T>& stepper_;
  int thread_columns_;
  std::vector<bool> kinds_;
};

}  // namespace

template <class T>
TileOrder default_tile_order(const Stepper<T>& stepper, Steps steps) {
  const Candidates<T> candidates(stepper);
  const bool whole_rows = candidates.kinds().front();
  return steps == Steps::several ? candidates.guess_of_several(whole_rows) : candidates.guess(whole_rows);
}

template <class T>
SearchSpace tile_orders_to_try(const Stepper<T>& stepper, Steps steps) {
  const Candidates<T> candidates(stepper);
  SearchSpace space;
  if (steps != Steps::several) space.single = candidates.single_steps();
  if (steps != Steps::one && stepper.several_steps()) space.several = candidates.several_steps();
  // Steps taken together where nothing says how many.
  if (space.single.empty() && space.several.empty()) space.several = {{default_tile_order(stepper, steps)}};
  return space;
}

template TileOrder default_tile_order(const Stepper<float>&, Steps);
template TileOrder default_tile_order(const Stepper<double>&, Steps);
template SearchSpace tile_orders_to_try(const Stepper<float>&, Steps);
template SearchSpace tile_orders_to_try(const Stepper<double>&, Steps);

}  // namespace fdtd::cpu
