// A scene as small rooms need it: its waves alone up to some frequency, on a grid on which modes keep their places.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "engine/session/choices.hpp"

namespace fdtd {

struct WaveRequest {
  SceneRequest scene;
  double from = 20.0, to = 200.0;        // Hz
  std::optional<double> duration;        // s; none: by the decay and the spacing of modes
  std::optional<double> spacing;         // m, of the grid; none: by `to`
  Precision precision = Precision::f64;  // instead of the scene's: rounding in f32 hides weak modes
};

// Decisions before anything is computed.
struct WavePlan {
  Scene scene;  // waves alone; sources and receivers are omnidirectional and have no signals
  DeviceChoice device;
  PlanResult planned;
  std::vector<std::string> notes;
  double decay_time = 0.0;           // s, expected of the room up to `to`; infinite where nothing absorbs
  double mode_spacing = 0.0;         // Hz, mean at `to`
  double duration = 0.0;             // s
  double schroeder_frequency = 0.0;  // Hz, expected
};

// The grid of a box fits it exactly (leggy-4, whatever the scene names), with the error of the time difference
// removed; a note states up to which frequency the grid is expected to hold where that is below `to`. Throws Error as
// make_plan; scene where `to` is not above `from` or the duration is beyond an hour.
WavePlan plan_waves(const WaveRequest& request, const PlanningStage& stage = {});

}  // namespace fdtd
