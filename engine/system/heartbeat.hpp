// Signs of life. A rank that waits cannot tell one that takes long, for a large file say, from one that will never answer: a
// stopped process, a machine without power. So every rank has a thread that does nothing but tell one other rank, again and
// again, that its process lives, and listen to one: in a ring each is listened to, however many there are.
// (failure detectors by heartbeats: M. Aguilera, W. Chen, S. Toueg, 1997.)
#pragma once

#include <functional>
#include <stop_token>
#include <thread>

namespace fdtd {

// How it tells and listens. Both are called from the thread, and return at once.
struct HeartLine {
  std::function<void()> beat;
  std::function<bool()> heard;          // since the last call
  std::function<void(double)> silence;  // the other has been silent for so many seconds; called once
};

class Heartbeat {
 public:
  // From here on, as long as it lives; `patience` in seconds. Time in which this process itself was stopped counts for nobody.
  Heartbeat(HeartLine line, double patience);

 private:
  void live(const std::stop_token& stop, double patience) const;
  HeartLine line_;
  std::jthread thread_;  // the last member: it ends first
};

}  // namespace fdtd
