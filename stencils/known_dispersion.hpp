// The functions of dispersion.hpp without computing twice: by a table of the catalogue's stencils that is built into the
// program, else once in a process. Values are the same to the last digit. Any thread may call.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <string_view>

#include "stencils/frequency_map.hpp"
#include "stencils/stencil.hpp"

namespace fdtd {

double known_usable_omega(const GridStencil& stencil, double tolerance, const FrequencyMap& map = {},
                          double enough = 0.0);
double known_second_branch(const GridStencil& stencil, const FrequencyMap& map = {});
double known_rendered_omega(const GridStencil& stencil, double tolerance, const FrequencyMap& map = {});
double known_slowest_group(const GridStencil& stencil, double omega, const FrequencyMap& map = {});
double known_worst_error(const GridStencil& stencil, double omega, const FrequencyMap& map = {});

// ---- the table: bench/dispersion_table.py writes known_dispersion_data.cpp -------------------------------------------
// Tolerances of the phase velocity; the table has each of them and strict_tolerance of it.
inline constexpr std::array<double, 7> tabulated_tolerances = {0.001, 0.003, 0.005, 0.01, 0.02, 0.03, 0.05};
// Whether usable_omega of that tolerance is in the table, of all stencils of the catalogue.
bool is_tabulated(double tolerance);
// A little below a tolerance, so that minimax weights keep it at their ripples, too.
double strict_tolerance(double tolerance);

// A stencil of the catalogue on a grid of equal axes.
struct DispersionRow {
  std::uint64_t fingerprint;                                       // dispersion_fingerprint of it
  std::string_view stencils;                                       // names of the catalogue, with blanks between them
  double branch;                                                   // second_branch
  std::array<double, tabulated_tolerances.size()> usable, strict;  // usable_omega
  std::array<double, tabulated_tolerances.size()> slowest;  // slowest_group up to rendered_omega; 0: not in the table
};

std::span<const DispersionRow> dispersion_rows();  // by fingerprint

// Of all numbers that the symbol and the map depend on.
std::uint64_t dispersion_fingerprint(const GridStencil& stencil, const FrequencyMap& map);

}  // namespace fdtd
