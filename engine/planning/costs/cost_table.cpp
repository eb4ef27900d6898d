#include "engine/planning/costs/cost_table.hpp"

#include <limits>
#include <string_view>

namespace fdtd {

namespace {

// Null for a stencil that is not a variant of a member of the catalogue.
const CostRow* row_of(const Stencil& stencil) {
  const std::string_view member = std::string_view(stencil.name).substr(0, stencil.name.find('/'));
  for (const CostRow& row : cost_rows())
    if (row.member == member) return &row;
  return nullptr;
}

}  // namespace

double cost_per_node(const Stencil& stencil, Precision precision, DeviceClass device) {
  const CostRow* row = row_of(stencil);
  return row == nullptr ? std::numeric_limits<double>::infinity()
                        : row->triads[static_cast<std::size_t>(device)][precision == Precision::f32 ? 0 : 1];
}

double cost_per_face(const Stencil& stencil, Precision precision, DeviceClass device, double cut) {
  const CostRow* row = row_of(stencil);
  if (row == nullptr) return 0.0;
  const FaceCost& cost = row->a_face[static_cast<std::size_t>(device)][precision == Precision::f32 ? 0 : 1];
  return cost.box + cut * (cost.mesh - cost.box);
}

}  // namespace fdtd
