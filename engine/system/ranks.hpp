// Ranks: the processes that compute one run together, as `mpirun` starts them, and their messages. Only ranks.cpp uses
// MPI; a build without MPI has one rank.
//
// Every rank makes the same calls in the same order, from the thread that called `ranks()` first. Two kinds of failure
// are found within 30 s, or as FDTD_RANK_PATIENCE in the environment says: a process that gives no sign of life
// (heartbeat.hpp), whatever the others do meanwhile; and a process that lives but keeps the others waiting longer than
// steps take: then the waiting rank throws Error (status resource). wait_for_all waits without limit.
#pragma once

#include <cstddef>
#include <functional>
#include <span>
#include <string>
#include <type_traits>
#include <vector>

#include "base/error.hpp"

namespace fdtd {

// Planes to send to a neighbour, and memory for those to receive; empty where there is no neighbour.
struct HaloPlanes {
  std::span<const std::byte> out;
  std::span<std::byte> in;
};

class Ranks {
 public:
  Ranks() = default;
  Ranks(const Ranks&) = delete;
  Ranks& operator=(const Ranks&) = delete;
  virtual ~Ranks() = default;
  virtual int rank() const = 0;
  virtual int size() const = 0;
  virtual int local_rank() const = 0;  // among the ranks of this machine
  virtual int local_size() const = 0;
  bool first() const { return rank() == 0; }
  bool alone() const { return size() == 1; }

  // Exchanges halos with rank - 1 (below) and rank + 1 (above), from begin_halos to end_halos; calls of move_halos in
  // between make progress. The planes must not be touched meanwhile.
  virtual void begin_halos(const HaloPlanes& below, const HaloPlanes& above) = 0;
  virtual void move_halos() = 0;
  virtual void end_halos() = 0;

  virtual void broadcast(std::span<std::byte> bytes) = 0;  // from rank 0 to all
  virtual std::vector<std::vector<std::byte>> gather(
      std::span<const std::byte> mine) = 0;                         // of all ranks, at every rank
  virtual void send(int to, std::span<const std::byte> bytes) = 0;  // waits without limit for the receiver
  virtual void receive(int from, std::span<std::byte> bytes) = 0;   // exactly as many bytes as are sent
  virtual void wait_for_all() = 0;  // without limit while all live: one may be writing a file
};

// Sets the function that reports a lost rank. It is called from a thread of its own, then the program ends, and all
// ranks with it. To be set before the first call of ranks(); by default nothing is reported.
void on_lost_rank(std::function<void(const Error&)> report);
// The ranks of this process. The first call joins those that mpirun started, if any. Throws Error (status resource) if
// mpirun started several and this program was built without MPI.
Ranks& ranks();
// Whatever has started this process, it is one rank alone from here on: for a process that is not this program, which
// may be a rank of something else. To be called before the first call of ranks().
void stay_alone();
// To be called before the program ends, with its exit status. Waits for all ranks; after a failure all ranks are ended:
// by rank 0 at once, by another after a moment in which rank 0 may have reported the same failure.
void leave_ranks(int status);
// A failure of all ranks is reported once: whether this thread should report it. Rank 0 reports at once; another rank,
// with another failure, after a moment in which rank 0 has not ended it. False for all but the first caller of a
// process.
bool reports_failure();
double rank_patience();   // s to wait for an answer: FDTD_RANK_PATIENCE, or 20
bool launched_as_rank();  // whether mpirun, or another launcher that MPI knows, started this process
int launched_ranks();     // number of ranks started together; 1 where no launcher says
std::vector<std::string>
environment_alone();           // NAME=VALUE, without the variables of a rank: for a child process that is no rank
std::string mpi_library();     // its version; "" without MPI
std::string how_to_get_mpi();  // for messages

// ---- built on these
// Rank 0's value at every rank.
template <class Value>
Value of_first(Ranks& ranks, Value value) {
  static_assert(std::is_trivially_copyable_v<Value>);
  ranks.broadcast(std::as_writable_bytes(std::span(&value, 1)));
  return value;
}
std::string of_first(Ranks& ranks, std::string text);
bool any_of(Ranks& ranks, bool mine);
// As Ranks::gather, for any number of bytes (MPI counts in 32 bits) and after work of any length: waits without limit for
// ranks that live.
std::vector<std::vector<std::byte>> gather_all(Ranks& ranks, std::span<const std::byte> mine);
// Throws Error (status resource) at every rank if a rank differs from rank 0, with both texts.
void check_alike(Ranks& ranks, const std::string& what, const std::string& mine);

}  // namespace fdtd
