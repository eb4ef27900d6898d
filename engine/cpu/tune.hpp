// The orders of tiles that may suit a plan on this machine: steps a sweep, columns of blocks, layers at once, cut or
// whole rows. Every order gives the same bytes: choosing by time (schedule/search.hpp) does not change results.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "engine/cpu/schedule/search.hpp"
#include "engine/cpu/stepper.hpp"
#include "engine/files/tune_file.hpp"

namespace fdtd::cpu {

// One step a sweep, several, or whichever is faster.
enum class Steps { one, several, any };

// The order that the cache sizes and the processor's vendor suggest, untimed: one step a sweep unless several are
// requested.
template <class T>
TileOrder default_tile_order(const Stepper<T>& stepper, Steps steps);

// The orders to time, at least one; the first of single steps is the default.
template <class T>
SearchSpace tile_orders_to_try(const Stepper<T>& stepper, Steps steps);

// The fastest orders found, kept between runs (tune_file.hpp): a job is searched once and then always uses the same
// order. A file that is missing, damaged or not writable is no error and costs another search.
class TileOrderCache {
 public:
  explicit TileOrderCache(std::filesystem::path file);  // empty: nothing is kept
  // The known order if it is one of `orders`.
  std::optional<TileOrder> find(const std::string& key, const std::vector<TileOrder>& orders) const;
  void keep(const std::string& key, const TileOrder& order, double ctpn_ns);

 private:
  TuneFile file_;
};

}  // namespace fdtd::cpu
