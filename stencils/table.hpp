// Makes a catalogue entry from a row of a family's table.
#pragma once

#include <string>
#include <vector>

#include "stencils/stencil.hpp"

namespace fdtd {

// One set of weights, as stencils/design/tabulate.py writes it.
struct TableRow {
  const char* name;      // "compact-9/opt1"
  double courant;        // Courant number of these weights
  double courant_limit;  // largest one to which K may be scaled under the same proof
  int order;
  WallProof proof;
  std::vector<double> weights;  // of S: the centre, then one a shell
};

// The entry of a row. Its weights are corrected: the first shell so that the second moment is 2 lambda^2, then the
// centre so that the sum is 2, both to rounding. The corrections are of the order of the last digit of a linear
// programme; above 1e-13 a digit is wrong, and std::logic_error is thrown.
Stencil from_row(const TableRow& row, Family family, const std::vector<Shell>& shells);

// Sets centre and first weight as above; returns the larger of the two corrections.
double polish(Stencil& stencil);

// The part of a name before the slash, and after it.
std::string member_of(const std::string& name);
std::string variant_of(const std::string& name);

// A description of a variant's weights, for `Stencil::source`.
std::string describe_variant(const std::string& variant);

}  // namespace fdtd
