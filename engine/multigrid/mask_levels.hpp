// The levels of a mask of trilinear elements, as CPU and GPU share them.
//
// A coarser level has elements of twice the sides. Children in one coarse cell that share no node make elements of their
// own, and elements that meet at a coarse position but join no child there have nodes of their own in it: a wall of one
// cell parts what lies on both sides on every level, up to where a door joins them (C. Dick, J. Georgii, R. Westermann,
// A hexahedral multigrid approach for simulating cuts in deformable objects, IEEE Trans. Vis. Comput. Graph. 17, 2011;
// virtual nodes: N. Molino, Z. Bao, R. Fedkiw, A virtual node algorithm for changing mesh topology during simulation,
// ACM Trans. Graph. 23, 2004). An element's coefficient is the sum of its children's over eight: where all are there,
// that is the Galerkin operator, because trilinear spaces are nested.
//
// Each position has one node in the grid; further ones lie in planes above it, where no element is, so that stencil
// computations over all planes leave their diagonals to them. Elements whose corners are all in the grid are stencil
// computations; the others, and what transfers to and from further nodes, are sparse rows.
#pragma once

#include <array>
#include <cstddef>
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

inline constexpr std::int64_t coarsest_nodes = 400;  // at most, where there is more than one cell

// The finest first; it has no further nodes. Throws std::invalid_argument for sizes that do not match or a mask without
// elements.
std::vector<MaskLevel> mask_levels(const Elements& elements);

}  // namespace fdtd::multigrid
