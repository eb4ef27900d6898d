// The options that the commands for small rooms share: the band of frequencies, the grid and the record.
#pragma once

#include <optional>
#include <string>

#include "engine/small_rooms/wave_scene.hpp"

namespace CLI {
class App;
}

namespace fdtd::cli {

struct WaveOptions {
  double from = 20.0, to = 200.0;  // Hz
  std::optional<double> duration, spacing;
  std::string precision = "f64";
};

void add_wave_options(CLI::App& app, WaveOptions& options);
void set_waves(WaveRequest& request, const WaveOptions& options, const SceneRequest& scene);

}  // namespace fdtd::cli
