// The table of dispersion is what the functions compute, and nothing is computed twice with another outcome.
#include "stencils/known_dispersion.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <set>
#include <string>
#include <thread>
#include <vector>

#include "engine/planning/choose/grid_choice.hpp"
#include "stencils/catalogue.hpp"
#include "stencils/dispersion.hpp"
#include "tests/support/catch.hpp"

using namespace fdtd;

namespace {

struct Cube {
  const Stencil* stencil;
  GridStencil grid;
  FrequencyMap map;
};

// The catalogue at the Courant numbers at which the program runs it.
std::vector<Cube> cubes() {
  std::vector<Cube> all;
  for (const Stencil& stencil : catalogue())
    for (const bool oblique : {false, true}) {
      const double lambda = own_courant(stencil, oblique);
      const Stencil scaled = at_courant(stencil, lambda);
      all.push_back({&stencil, on_grid(scaled, {lambda, lambda, lambda}), frequency_map(scaled)});
    }
  return all;
}

const DispersionRow* row_of(const Cube& cube) {
  const auto rows = dispersion_rows();
  const std::uint64_t wanted = dispersion_fingerprint(cube.grid, cube.map);
  const auto found = std::ranges::find(rows, wanted, &DispersionRow::fingerprint);
  return found == rows.end() ? nullptr : &*found;
}

bool names(const DispersionRow& row, const std::string& name) {
  return fmt::format(" {} ", row.stencils).find(fmt::format(" {} ", name)) != std::string::npos;
}

void check_row(const DispersionRow& row, const Cube& cube) {
  INFO(cube.stencil->name << " at Courant number " << cube.grid.courant[0]);
  constexpr double digits = 1e-9;  // another compiler's rounding
  CHECK(row.branch == Approx(second_branch(cube.grid, cube.map)).epsilon(digits));
  for (std::size_t i = 0; i < tabulated_tolerances.size(); ++i) {
    const double tolerance = tabulated_tolerances[i];
    INFO("tolerance " << tolerance);
    CHECK(row.usable[i] == Approx(usable_omega(cube.grid, tolerance, cube.map)).epsilon(digits));
    CHECK(row.strict[i] == Approx(usable_omega(cube.grid, strict_tolerance(tolerance), cube.map)).epsilon(digits));
    const double rendered = std::min(row.usable[i], row.branch / branch_margin);
    const bool radial = cube.map.kind() == FrequencyMap::Kind::radial;
    const double slowest = radial ? slowest_group(cube.grid, rendered, cube.map) : 0.0;
    CHECK(row.slowest[i] == Approx(slowest).epsilon(digits));
  }
}

}  // namespace

TEST_CASE("every stencil of the catalogue has its row of dispersion, and no row is left over", "[dispersion]") {
  std::set<std::uint64_t> seen;
  for (const Cube& cube : cubes()) {
    INFO(cube.stencil->name << ": run bench_known_dispersion and bench/dispersion_table.py");
    const DispersionRow* const row = row_of(cube);
    REQUIRE(row != nullptr);
    CHECK(names(*row, cube.stencil->name));
    seen.insert(row->fingerprint);
  }
  CHECK(seen.size() == dispersion_rows().size());
  CHECK(std::ranges::is_sorted(dispersion_rows(), {}, &DispersionRow::fingerprint));
}

// Another part of the table each day; bench_known_dispersion derives all of it.
TEST_CASE("rows of the table of dispersion are what the scans find", "[dispersion]") {
  constexpr std::size_t every = 24;
  const auto days = std::chrono::duration_cast<std::chrono::days>(std::chrono::system_clock::now().time_since_epoch());
  const std::vector<Cube> all = cubes();
  for (std::size_t i = static_cast<std::size_t>(days.count()) % every; i < all.size(); i += every) {
    const DispersionRow* const row = row_of(all[i]);
    REQUIRE(row != nullptr);
    check_row(*row, all[i]);
  }
}

TEST_CASE("a weight that differs in its last digit is not taken from the table", "[dispersion]") {
  Cube cube = cubes().front();
  const std::uint64_t as_it_is = dispersion_fingerprint(cube.grid, cube.map);
  cube.grid.terms.front().weight = std::nextafter(cube.grid.terms.front().weight, 1.0);
  CHECK(dispersion_fingerprint(cube.grid, cube.map) != as_it_is);
  CHECK(dispersion_fingerprint(cube.grid, FrequencyMap::time()) != dispersion_fingerprint(cube.grid, {}));
}

TEST_CASE("dispersion that the table lacks is what the scans find, from any thread, again and again", "[dispersion]") {
  const Stencil& stencil = *find_stencil("leggy-3/opt1");
  const double lambda = 0.9 * stencil.courant;
  const GridStencil grid = on_grid(stencil, {lambda, 0.97 * lambda, 0.91 * lambda});
  const double usable = usable_omega(grid, 0.013), branch = second_branch(grid),
               worst = worst_error(grid, 0.9 * usable);
  // A search that ended early is not taken for the value.
  const double beyond = 1.01 * usable;
  CHECK(known_usable_omega(grid, 0.013, {}, beyond) < beyond);
  CHECK(known_usable_omega(grid, 0.013, {}, beyond) >= usable);
  std::vector<std::vector<double>> found(4);
  std::vector<std::thread> threads;
  for (std::vector<double>& one : found)
    threads.emplace_back([&] {
      for (int again = 0; again < 3; ++again)
        one.insert(one.end(), {known_usable_omega(grid, 0.013), known_second_branch(grid),
                               known_worst_error(grid, 0.9 * usable), known_rendered_omega(grid, 0.013)});
    });
  for (std::thread& one : threads) one.join();
  for (const std::vector<double>& one : found)
    for (std::size_t i = 0; i < one.size(); i += 4) {
      CHECK(one[i] == usable);
      CHECK(one[i + 1] == branch);
      CHECK(one[i + 2] == worst);
      CHECK(one[i + 3] == std::min(usable, branch / branch_margin));
    }
  // A tolerance beside those of the table, of a stencil that has a row.
  const Cube cube = cubes().back();
  CHECK(known_usable_omega(cube.grid, 0.0201, cube.map) == usable_omega(cube.grid, 0.0201, cube.map));
}
