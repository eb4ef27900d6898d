// The cost of a node with each member of the catalogue, by class of device: shipped figures, by which stencil = "auto"
// decides, so that the same scene takes the same stencil on every machine of a class.
#pragma once

#include <array>
#include <span>

#include "engine/devices/device_class.hpp"
#include "stencils/precision.hpp"
#include "stencils/stencil.hpp"

namespace fdtd {

// The cost of walls in a step, in triads a face of voxels on them.
struct FaceCost {
  double box, mesh;
};

// Costs are CTPN over the CTPN of the leapfrog triad of the same run: 1 is the speed of memory.
struct CostRow {
  const char* member;                                          // "leggy-4"
  std::array<std::array<double, 2>, device_classes> triads;    // [class][f32, f64]
  std::array<std::array<FaceCost, 2>, device_classes> a_face;  // the same
};

// One row for each member. cost_table_data.cpp holds the figures; bench/cost_table.py writes it from measurements.
std::span<const CostRow> cost_rows();

// Infinity for a stencil that is not a variant of a member of the catalogue.
double cost_per_node(const Stencil& stencil, Precision precision, DeviceClass device);

// Of walls of which the fraction `cut` (0 to 1) cuts voxels as a mesh's do; 0 for such a stencil.
double cost_per_face(const Stencil& stencil, Precision precision, DeviceClass device, double cut);

}  // namespace fdtd
