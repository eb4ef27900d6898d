#include "engine/planning/cost_table.hpp"

#include <limits>
#include <string_view>

namespace fdtd {

double cost_per_node(const Stencil& stencil, Precision precision, DeviceClass device) {
  const std::string_view member = std::string_view(stencil.name).substr(0, stencil.name.find('/'));
  for (const CostRow& row : cost_rows())
    if (row.member == member) return row.triads[static_cast<std::size_t>(device)][precision == Precision::f32 ? 0 : 1];
  return std::numeric_limits<double>::infinity();
}

}  // namespace fdtd
