#include "engine/results/make_result.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "engine/above/marry.hpp"
#include "engine/plan/record_tail.hpp"
#include "engine/system/version.hpp"
#include "engine/transducers/channels.hpp"

namespace fdtd {
namespace {

// How long the response of a recording is that ended before the plan's last step.
double recorded_duration(const Recording& recording, const Plan& plan, const RenderOptions& options) {
  const double recorded = static_cast<double>(recording.samples - 1) * plan.grid.time_step;
  return std::min(options.duration,
                  std::max(recorded - render_tail(options.bandwidth, options.branch), 0.5 * recorded));
}

}  // namespace

void render_result(Result& result) {
  result.rendered = render(result.recording, result.options);
  if (result.above) add_above(*result.above, result.rendered);
  weigh_receivers(result.rendered.ir, result.rendered.samples, result.options.weights);
  render_ears(result.recording.sources, result.recording.receivers, result.rendered, result.options, result.binaural);
}

Result make_result(const Scene& scene, const Plan& plan, RenderOptions options, Recording&& recording) {
  Result result;
  if (recording.samples <= plan.steps) options.duration = recorded_duration(recording, plan, options);
  result.recording = std::move(recording);
  result.options = std::move(options);
  result.rendered = render(result.recording, result.options);
  if (result.options.duration < scene.simulation.duration)
    result.rendered.remarks.push_back(
        fmt::format("every receiver has decayed by {:g} dB: {:.4g} s of {:g} s were needed",
                    scene.simulation.stop_decay_db, result.options.duration, scene.simulation.duration));
  result.version = version();
  result.build = build_description();
  result.scene_text = scene.text;
  result.overrides = scene.overrides;
  const Channels channels = channels_of(scene);
  for (const Channel& source : channels.sources) {
    result.source_positions.push_back(source.position);
    result.source_directions.push_back(source.direction);
  }
  for (const Channel& receiver : channels.receivers) {
    result.receiver_positions.push_back(receiver.position);
    result.receiver_directions.push_back(receiver.direction);
  }
  if (!scene.room.mesh) result.room_box = scene.room.box;
  result.surface = surface_of(scene.room);
  result.sound_speed = plan.grid.sound_speed;
  result.format = scene.output.format;
  result.raw = scene.output.raw;
  return result;
}

}  // namespace fdtd
