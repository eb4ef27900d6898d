#include "cli/small_rooms/wave_options.hpp"

#include <CLI/App.hpp>

namespace fdtd::cli {

void add_wave_options(CLI::App& app, WaveOptions& options) {
  app.add_option("--from", options.from, "lowest frequency in Hz")
      ->check(CLI::Range(5.0, 1000.0))
      ->capture_default_str();
  app.add_option("--to", options.to, "highest frequency in Hz")->check(CLI::Range(10.0, 2000.0))->capture_default_str();
  app.add_option("--duration", options.duration,
                 "length of the records in s; by default from the decay and the spacing of modes")
      ->check(CLI::Range(0.05, 3600.0));
  app.add_option("--spacing", options.spacing,
                 "of the grid in m, for comparisons of grids; by default from the highest frequency")
      ->check(CLI::Range(1e-3, 10.0));
  app.add_option("--precision", options.precision,
                 "f64, or f32, whose rounding hides weak modes and which takes half the memory")
      ->check(CLI::IsMember({"f32", "f64"}))
      ->capture_default_str();
}

void set_waves(WaveRequest& request, const WaveOptions& options, const SceneRequest& scene) {
  request.scene = scene;
  request.from = options.from;
  request.to = options.to;
  request.duration = options.duration;
  request.spacing = options.spacing;
  request.precision = options.precision == "f32" ? Precision::f32 : Precision::f64;
}

}  // namespace fdtd::cli
