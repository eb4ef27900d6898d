// Which marches (march.hpp) suit a plan on this machine: how many steps a sweep, blocks of how many columns, how many layers
// at once, which way of working rows. Every march gives the same bytes: choosing by time (search.hpp) changes no result.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "engine/cpu/schedule/search.hpp"
#include "engine/cpu/stepper.hpp"

namespace fdtd::cpu {

// One step a sweep, several, or whichever is faster.
enum class Steps { one, several, any };

// What the caches' sizes and the processor's maker suggest, untimed: one step a sweep unless several are asked for.
template <class T>
March default_march(const Stepper<T>& stepper, Steps steps);

// What is worth timing. One march at least; of single steps the first is the default.
template <class T>
SearchSpace marches_to_try(const Stepper<T>& stepper, Steps steps);

// Marches that were found fastest, kept between runs as lines "key = steps columns layers width uncut": a search is paid for
// once, and the same job marches the same way every time. A file that is missing, damaged or not writable is a search more, no error.
class MarchCache {
 public:
  explicit MarchCache(std::filesystem::path file);  // empty: nothing is kept
  // The one of `marches` that is known, or null.
  const March* find(const std::string& key, const std::vector<March>& marches) const;
  void keep(const std::string& key, const March& march);

 private:
  std::filesystem::path file_;
  std::vector<std::pair<std::string, March>> known_;  // latest last
};

}  // namespace fdtd::cpu
