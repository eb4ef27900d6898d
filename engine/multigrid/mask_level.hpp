// One level of a mask of trilinear elements (mask_levels.hpp).
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "engine/multigrid/node_grid.hpp"

namespace fdtd::multigrid {

struct Elements {
  std::array<int, 3> cells{};       // along each axis
  std::array<double, 3> spacing{};  // m, sides of a cell
  std::vector<float> coefficient;   // of cell x + nx (y + ny z); 0: not in the mask
};

// Some rows of a sparse matrix: entries begin[r] to begin[r + 1] belong to row[r]. Rows and columns are nodes.
struct SparseRows {
  std::vector<std::int64_t> row, begin = {0}, column;
  std::vector<float> value;
  std::int64_t count() const { return static_cast<std::int64_t>(row.size()); }
};

struct MaskLevel {
  NodeGrid body;                  // one node a position
  NodeGrid grid;                  // the same with the planes of further nodes: what arrays hold
  std::array<double, 8> weight;   // of an element (element_stiffness)
  std::vector<float> element;     // coefficients of those with all corners in the body
  std::vector<double> stiffness;  // the diagonal of all elements; 0: no node
  SparseRows irregular;           // the operator of the other elements
  // To the next coarser level: nodes whose values come from further nodes, or that are further nodes; and the transpose.
  SparseRows interpolation, restriction;
  std::int64_t nodes = 0;    // that have elements
  std::int64_t further = 0;  // those of them that are further nodes
};

}  // namespace fdtd::multigrid
