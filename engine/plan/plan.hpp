// Everything that a backend needs, decided and immutable: the grid, the stencil on it, walls, sources, receivers,
// steps. A backend never sees a scene, never parses, never decides physics. Node numbers are x + nx (y + ny z), 64
// bits; a backend chooses its own memory layout.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "engine/plan/boundary.hpp"
#include "engine/plan/channel_id.hpp"
#include "engine/plan/field_operator.hpp"
#include "engine/plan/joint_pass.hpp"
#include "engine/plan/near_wall.hpp"
#include "engine/plan/voxels.hpp"
#include "stencils/frequency_map.hpp"
#include "stencils/precision.hpp"
#include "stencils/stencil.hpp"

namespace fdtd {

struct Grid {
  std::array<int, 3> size{};
  std::array<double, 3> spacing{};  // m
  double time_step = 0.0;           // s
  double sound_speed = 0.0;         // m/s
  std::int64_t nodes() const {
    return static_cast<std::int64_t>(size[0]) * static_cast<std::int64_t>(size[1]) * static_cast<std::int64_t>(size[2]);
  }
  double cell_volume() const { return spacing[0] * spacing[1] * spacing[2]; }
  double mean_spacing() const;  // h with 3/h^2 = sum 1/h_d^2: stability limits the Courant number lambda = c T / h
  double courant() const { return sound_speed * time_step / mean_spacing(); }
};

// A point of the room as weights on nodes: a source spreads by them, a receiver sums by them (adjoint: reciprocity).
struct Tap {
  ChannelId channel;
  std::array<double, 3> position{};  // m
  std::vector<std::uint64_t> nodes;  // ascending, all air
  std::vector<double> weights;       // sum 1, or 0 with an operation
  FieldOperator operation;           // derivatives (1/m each) instead of the pressure itself
  double reach = 0.0;                // m, of the radial function of nodes in a ball (transducers/harmonic_ball.hpp)
};

// When a pass may stop before its last step: once the signal at every receiver has decayed (run/stop_rule.hpp).
struct StopRule {
  double decay_db = 0.0;          // 0: never
  double low = 20.0, high = 0.0;  // Hz, the band whose decay counts
};

// A plane of nodes, or all nodes, whose field is recorded (run/snapshots.hpp).
struct SnapshotPlan {
  std::string name;                 // "z1": the plane and its index in the scene's list
  int axis = 2;                     // perpendicular to the plane; 3: all nodes
  int index = 0;                    // of the plane's nodes along the axis
  std::vector<std::int64_t> steps;  // ascending: the middles of frames
};

struct Plan {
  Precision precision = Precision::f32;
  Grid grid;
  std::string stencil_name;
  GridStencil stencil;         // as the kernels use it: rounded to float in f32
  FrequencyMap frequency_map;  // between the grid's frequencies and the true ones
  AirMask air;
  NearWall near_wall;
  Boundary boundary;
  std::vector<Tap> sources, receivers;
  std::vector<JointPass> joint;  // of several sources each, ascending; every other source has a pass of its own
  double tap_wave = 0.0;         // radians a cell, the finest that their weights are made for; 0: long waves alone
  // 4 pi c^2 T^2 / cell volume. Source s adds drive_scale * w_i * f^n / mass_i to u^{n+1} at its nodes i, so that u is
  // pressure if f^n are the samples of a monopole's free-field pressure at 1 m.
  double drive_scale = 0.0;
  std::int64_t steps = 0;
  int energy_interval = 100;  // steps between two energy balances
  StopRule stop;
  std::vector<SnapshotPlan> snapshots;
  std::vector<double> snapshot_pulse;  // odd in number; a frame at step n is the sum of pulse[j] u^{n + j - half}
};

}  // namespace fdtd
