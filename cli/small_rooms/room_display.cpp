#include "cli/small_rooms/room_display.hpp"

#include "cli/terminal/say.hpp"
#include "engine/system/machine.hpp"

namespace fdtd::cli {

RoomCalls RoomDisplay::calls() {
  RoomCalls calls;
  if (!quiet_) {
    calls.stage = [this](const std::string& stage) { planning_.stage(stage); };
    calls.planned = [this](const WavePlan&, const Plan& plan, std::int64_t bytes, double seconds) {
      planning_.finish();
      const Grid& grid = plan.grid;
      const std::size_t passes = plan.sources.size(), receivers = plan.receivers.size();
      say("{} x {} x {} nodes, {:.3g} m apart, {}; {} pass{} of {:.3g} s, {} receiver{}; {} of memory, about {:.2g} "
          "s\n",
          grid.size[0], grid.size[1], grid.size[2], grid.mean_spacing(), to_string(plan.precision), passes,
          passes == 1 ? "" : "es", static_cast<double>(plan.steps) * grid.time_step, receivers,
          receivers == 1 ? "" : "s", human_bytes(static_cast<double>(bytes)), seconds);
    };
  }
  calls.begin = [this](const Plan& plan) {
    progress_.emplace(plan.grid.nodes(), quiet_);
    signals_.emplace();
  };
  calls.progress = [this](const Plan& plan, const fdtd::Progress& at) {
    progress_->show(at, plan.sources[static_cast<std::size_t>(at.source)].channel.name);
  };
  calls.stop = [] { return StopOnSignal::noted() != 0; };
  calls.end = [this] {
    signals_.reset();
    progress_->finish();
  };
  return calls;
}

}  // namespace fdtd::cli
