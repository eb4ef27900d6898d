// Runs that are killed (SIGKILL, which nothing can catch) at random times and resumed, again and again.
#pragma once

#include <string>

namespace fdtd::test {

struct Kills {
  std::string device = "cpu";  // as --device has it
  std::string precision = "f32";
  double duration =
      0.1;  // s of sound in a room of some 3000 nodes with two sources: 0.1 s takes some 0.2 s on one core
  std::string checkpoint_every = "17steps";
  bool snapshots = false;  // of a plane and of the whole room as well
  int count = 3;
  unsigned seed = 7;
};

// Kills and resumes a run of `kills`, on a CPU with another number of threads each time, until it has been killed
// kills.count times and has finished at least once; each time that it finishes, CHECKs its outputs against those of an
// uninterrupted run, byte for byte, and starts again. Where FDTD_KILLS_RECORD names a file, a line of JSON about it is
// added there.
void kill_and_resume(const Kills& kills);

// FDTD_KILLS of the environment, of all precisions together, or `otherwise`.
int kills_asked(int otherwise);

// The scene of these runs, also for tests that interrupt in other ways.
std::string scene_to_interrupt(const std::string& precision, double duration);

void sleep_for(double seconds);
// Waits for a file to appear, a minute at most.
bool appears(const std::string& file);

}  // namespace fdtd::test
