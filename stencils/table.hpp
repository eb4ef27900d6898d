// From a row of a family's table to a catalogue entry.
#pragma once

#include <string>
#include <vector>

#include "stencils/stencil.hpp"

namespace fdtd {

// One set of weights, as stencils/design/tabulate.py writes it.
struct TableRow {
  const char* name;      // "compact-9/opt1"
  double courant;        // Courant number of these weights
  double courant_limit;  // greatest one to which K may be scaled under the same proof
  int order;
  WallProof proof;
  std::vector<double> weights;  // of S: the centre, then one a shell
};

// The entry of a row. Its weights are polished: the first shell takes up what the second moment misses of 2 lambda^2, then
// the centre what the sum misses of 2, both of the order of the last digit of a linear programme (1e-13 at most; more is
// a wrong digit and throws std::logic_error), so that both equalities hold to rounding.
Stencil from_row(const TableRow& row, Family family, const std::vector<Shell>& shells);

// Sets centre and first weight as above; returns the larger of the two corrections.
double polish(Stencil& stencil);

// The part of a name before the slash, and after it.
std::string member_of(const std::string& name);
std::string variant_of(const std::string& name);

// What a variant's weights are, in words, for `Stencil::source`.
std::string describe_variant(const std::string& variant);

}  // namespace fdtd
