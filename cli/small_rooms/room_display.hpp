// Progress on stderr of runs in small rooms.
#pragma once

#include <optional>

#include "cli/terminal/progress.hpp"
#include "cli/terminal/stop_on_signal.hpp"
#include "engine/small_rooms/room_run.hpp"

namespace fdtd::cli {

class RoomDisplay {
 public:
  explicit RoomDisplay(bool quiet) : quiet_(quiet) {}
  RoomCalls calls();
  void finish() { planning_.finish(); }

 private:
  bool quiet_;
  PlanningLine planning_;
  std::optional<Progress> progress_;
  std::optional<StopOnSignal> signals_;
};

}  // namespace fdtd::cli
