#include "stencils/known_dispersion.hpp"

#include <algorithm>
#include <bit>
#include <mutex>
#include <optional>
#include <unordered_map>
#include <vector>

#include "stencils/dispersion.hpp"

namespace fdtd {
namespace {

using Numbers = std::vector<double>;

Numbers numbers_of(const GridStencil& stencil, const FrequencyMap& map) {
  Numbers all(stencil.courant.begin(), stencil.courant.end());
  // The scan of leggy stencils adds in another order than that of others.
  all.insert(all.end(), {stencil.centre, static_cast<double>(stencil.radius),
                         stencil.family == Family::leggy ? 1.0 : 0.0, static_cast<double>(map.kind())});
  const Numbers of_map = map.numbers();
  all.insert(all.end(), of_map.begin(), of_map.end());
  for (const Term& term : stencil.terms) {
    all.insert(all.end(), term.offset.begin(), term.offset.end());
    all.push_back(term.weight);
  }
  return all;
}

// FNV-1a over 64-bit words, folded: no two stencils of a table or a process may meet by chance.
std::uint64_t hash_of(const Numbers& numbers) {
  std::uint64_t hash = 0xcbf29ce484222325U;
  for (const double number : numbers) {
    hash = (hash ^ std::bit_cast<std::uint64_t>(number)) * 0x100000001b3U;
    hash ^= hash >> 29U;
  }
  return hash;
}

const DispersionRow* row_of(const Numbers& numbers) {
  const std::uint64_t fingerprint = hash_of(numbers);
  const auto rows = dispersion_rows();
  const auto found = std::ranges::lower_bound(rows, fingerprint, {}, &DispersionRow::fingerprint);
  return found != rows.end() && found->fingerprint == fingerprint ? &*found : nullptr;
}

// Values of one function by its arguments. A process that meets more of them begins anew.
class Values {
 public:
  struct Value {
    double number = 0.0;
    bool exact = true;  // false: less than that is exact
  };
  std::optional<Value> find(const Numbers& arguments) {
    const std::lock_guard lock(mutex_);
    const auto found = known_.find(arguments);
    return found == known_.end() ? std::nullopt : std::optional(found->second);
  }
  double keep(Numbers arguments, Value value) {
    constexpr std::size_t most = 4096;
    const std::lock_guard lock(mutex_);
    if (known_.size() >= most) known_.clear();
    known_.insert_or_assign(std::move(arguments), value);
    return value.number;
  }

 private:
  struct Hash {
    std::size_t operator()(const Numbers& numbers) const { return hash_of(numbers); }
  };
  std::mutex mutex_;
  std::unordered_map<Numbers, Value, Hash> known_;
};

// `compute()`, once for the same arguments.
template <class Compute>
double once(Values& values, Numbers arguments, const Compute& compute) {
  if (const auto known = values.find(arguments)) return known->number;
  return values.keep(std::move(arguments), {compute(), true});
}

Numbers with(Numbers numbers, double argument) {
  numbers.push_back(argument);
  return numbers;
}

double rendered_of(const DispersionRow& row, std::size_t i) {
  return std::min(row.usable[i], row.branch / branch_margin);
}

}  // namespace

double strict_tolerance(double tolerance) { return tolerance - std::min(1e-4, tolerance / 101.0); }

std::uint64_t dispersion_fingerprint(const GridStencil& stencil, const FrequencyMap& map) {
  return hash_of(numbers_of(stencil, map));
}

double known_usable_omega(const GridStencil& stencil, double tolerance, const FrequencyMap& map, double enough) {
  static Values values;
  Numbers numbers = numbers_of(stencil, map);
  if (const DispersionRow* const row = row_of(numbers)) {
    for (std::size_t i = 0; i < tabulated_tolerances.size(); ++i) {
      if (tolerance == tabulated_tolerances[i]) return row->usable[i];
      if (tolerance == strict_tolerance(tabulated_tolerances[i])) return row->strict[i];
    }
  }
  numbers.push_back(tolerance);
  if (const auto known = values.find(numbers); known && (known->exact || known->number < enough)) return known->number;
  const double found = usable_omega(stencil, tolerance, map, enough);
  return values.keep(std::move(numbers), {found, found >= enough});
}

double known_second_branch(const GridStencil& stencil, const FrequencyMap& map) {
  static Values values;
  Numbers numbers = numbers_of(stencil, map);
  if (const DispersionRow* const row = row_of(numbers)) return row->branch;
  return once(values, std::move(numbers), [&] { return second_branch(stencil, map); });
}

double known_rendered_omega(const GridStencil& stencil, double tolerance, const FrequencyMap& map) {
  return std::min(known_usable_omega(stencil, tolerance, map), known_second_branch(stencil, map) / branch_margin);
}

double known_slowest_group(const GridStencil& stencil, double omega, const FrequencyMap& map) {
  static Values values;
  Numbers numbers = numbers_of(stencil, map);
  if (const DispersionRow* const row = row_of(numbers))
    for (std::size_t i = 0; i < tabulated_tolerances.size(); ++i)
      if (row->slowest[i] > 0.0 && omega == rendered_of(*row, i)) return row->slowest[i];
  return once(values, with(std::move(numbers), omega), [&] { return slowest_group(stencil, omega, map); });
}

double known_worst_error(const GridStencil& stencil, double omega, const FrequencyMap& map) {
  static Values values;
  return once(values, with(numbers_of(stencil, map), omega), [&] { return worst_error(stencil, omega, map); });
}

}  // namespace fdtd
