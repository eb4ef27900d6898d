// Heartbeats between ranks. A rank that waits cannot distinguish one that takes long, for a large file say, from one
// that will never answer: a stopped process, a machine without power. So every rank has a thread that sends beats to
// the next rank of a ring and monitors those of the previous one. (failure detectors by heartbeats: M. Aguilera, W.
// Chen, S. Toueg, 1997.)
#pragma once

#include <functional>
#include <stop_token>
#include <thread>

namespace fdtd {

// How to send and receive beats. All are called from the heartbeat's thread, and beat and received return at once.
struct HeartLine {
  std::function<void()> beat;
  std::function<bool()> received;       // whether a beat has arrived since the last call
  std::function<void(double)> silence;  // no beat for so many seconds; called once
};

class Heartbeat {
 public:
  // Runs for the lifetime of the object. `patience`: silence allowed, s; time in which this process is stopped does not
  // count.
  Heartbeat(HeartLine line, double patience);

 private:
  void live(const std::stop_token& stop, double patience) const;
  HeartLine line_;
  std::jthread thread_;  // the last member: it is joined first
};

}  // namespace fdtd
