#include "stencils/known_dispersion.hpp"

#include <algorithm>
#include <utility>
#include <vector>

#include "base/known_values.hpp"
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

const DispersionRow* row_of(const Numbers& numbers) {
  const std::uint64_t fingerprint = hash_of_numbers(numbers);
  const auto rows = dispersion_rows();
  const auto found = std::ranges::lower_bound(rows, fingerprint, {}, &DispersionRow::fingerprint);
  return found != rows.end() && found->fingerprint == fingerprint ? &*found : nullptr;
}

constexpr std::size_t most_values = 4096;  // of a function, in a process

struct UsableOmega {
  double number = 0.0;
  bool exact = true;  // false: less than that is exact
};

Numbers with(Numbers numbers, double argument) {
  numbers.push_back(argument);
  return numbers;
}

double rendered_of(const DispersionRow& row, std::size_t i) {
  return std::min(row.usable[i], row.branch / branch_margin);
}

}  // namespace

bool is_tabulated(double tolerance) {
  return std::ranges::find(tabulated_tolerances, tolerance) != tabulated_tolerances.end();
}

double strict_tolerance(double tolerance) { return tolerance - std::min(1e-4, tolerance / 101.0); }

std::uint64_t dispersion_fingerprint(const GridStencil& stencil, const FrequencyMap& map) {
  return hash_of_numbers(numbers_of(stencil, map));
}

double known_usable_omega(const GridStencil& stencil, double tolerance, const FrequencyMap& map, double enough) {
  static KnownValues<UsableOmega> values(most_values);
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
  return values.keep(std::move(numbers), {found, found >= enough}).number;
}

double known_second_branch(const GridStencil& stencil, const FrequencyMap& map) {
  static KnownValues<double> values(most_values);
  Numbers numbers = numbers_of(stencil, map);
  if (const DispersionRow* const row = row_of(numbers)) return row->branch;
  return values.of(std::move(numbers), [&] { return second_branch(stencil, map); });
}

double known_rendered_omega(const GridStencil& stencil, double tolerance, const FrequencyMap& map) {
  return std::min(known_usable_omega(stencil, tolerance, map), known_second_branch(stencil, map) / branch_margin);
}

double known_slowest_group(const GridStencil& stencil, double omega, const FrequencyMap& map) {
  static KnownValues<double> values(most_values);
  Numbers numbers = numbers_of(stencil, map);
  if (const DispersionRow* const row = row_of(numbers))
    for (std::size_t i = 0; i < tabulated_tolerances.size(); ++i)
      if (row->slowest[i] > 0.0 && omega == rendered_of(*row, i)) return row->slowest[i];
  return values.of(with(std::move(numbers), omega), [&] { return slowest_group(stencil, omega, map); });
}

double known_worst_error(const GridStencil& stencil, double omega, const FrequencyMap& map) {
  static KnownValues<double> values(most_values);
  return values.of(with(numbers_of(stencil, map), omega), [&] { return worst_error(stencil, omega, map); });
}

}  // namespace fdtd
