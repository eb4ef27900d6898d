// Taps: a source or receiver position as weights on nodes of the grid.
#pragma once

#include <array>
#include <string>
#include <vector>

#include "engine/plan/plan.hpp"
#include "engine/plan/voxels.hpp"
#include "engine/transducers/tap_weights.hpp"

namespace fdtd {

// Radians a cell of a wave of `frequency` (Hz) along the axis of the coarsest spacing: what TapWeights are made for.
double finest_wave(const Grid& grid, double frequency);

// A tap at `position` (m): tensor product of the weights of TapWeights along each axis, for spacings that may differ by
// axis. The weights sum to 1, or to 0 with an operation, which reads derivatives of the field or radiates them; sources
// and receivers use the same weights, so that they may be exchanged (reciprocity).
//
// Nodes behind a wall are replaced by their mirror images: the ends of walks from the voxel that contains the point,
// axis by axis, averaged over the orders of the axes, each face between air and wall a mirror. In a box that is
// interpolation of the mirrored field; beside inner walls no weight lies behind a wall, however thin; nor behind a
// surface without thickness, with `cut`, whose closed passages are mirrors, too.
//
// Mirror images continue a field whose normal derivative is zero at the wall. Where walls absorb it is not, and
// derivatives of a high order would read its kink, and the layers that walls leave before them (wall_layer.hpp), as
// sound of low frequency. So an operation whose nodes reach a wall or its layer, one of `layers` with a depth, has nodes
// in the air alone (air_box.hpp) with weights that see through the layers (TapWeights::inside); but for gaps of fewer
// cells than its degree plus 2.
//
// Throws Error (status scene) when the point is in no air voxel, with the nearest air and its distance. A point on a
// face belongs to the air voxel beside it.
Tap make_tap(const ChannelId& channel, const std::array<double, 3>& position, const Grid& grid, const AirMask& air,
             const FieldOperator& operation, const TapWeights& weights, const CutVoxels* cut = nullptr,
             const std::array<WallLayer, 3>& layers = {});

// The same for the pressure, by Lagrange polynomials through 1 to 16 nodes an axis.
Tap make_tap(const ChannelId& channel, const std::array<double, 3>& position, const Grid& grid, const AirMask& air,
             int points = tap_points, const CutVoxels* cut = nullptr);

// The same place without nodes and weights, for plans that are only reported. Throws as make_tap does.
Tap tap_without_nodes(const ChannelId& channel, const std::array<double, 3>& position, const Grid& grid,
                      const AirMask& air, const FieldOperator& operation);

// Whether a tap can be at `position` (m).
bool in_air(const std::array<double, 3>& position, const Grid& grid, const AirMask& air);

struct NearestAir {
  std::array<double, 3> position{};  // m; on the surface of a voxel, or the given point
  double distance = 0.0;             // m
};

// The point in air nearest to `position` (m, finite). Throws Error (status scene) when the room has no air.
NearestAir nearest_air(const std::array<double, 3>& position, const Grid& grid, const AirMask& air);

}  // namespace fdtd
