// The processes that compute one run together, as `mpirun` starts them: who I am among them, and what we tell each
// other. The one place that knows MPI is ranks.cpp; a build without it has one rank.
//
// Every rank makes the same calls in the same order, from the thread that asked for `ranks()` first. Two kinds of
// failure are found before 30 s are over, unless the environment's FDTD_RANK_PATIENCE says otherwise: a process that
// gives no sign of life (heartbeat.hpp), whatever the others do meanwhile; and one that lives, but keeps the others
// waiting longer than steps take: who waits throws Error (status resource). Where nobody knows how long another takes
// there is wait_for_all.
#pragma once

#include <cstddef>
#include <functional>
#include <span>
#include <string>
#include <type_traits>
#include <vector>

#include "engine/error.hpp"

namespace fdtd {

// Planes that go to a neighbour, and where his come; none at all where there is no neighbour.
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

  // Halos to and from rank - 1 (below) and rank + 1 (above), under way from begin_halos to end_halos; meanwhile
  // move_halos, called now and then, lets them go on. Nobody touches the planes until they have ended.
  virtual void begin_halos(const HaloPlanes& below, const HaloPlanes& above) = 0;
  virtual void move_halos() = 0;
  virtual void end_halos() = 0;

  virtual void broadcast(std::span<std::byte> bytes) = 0;  // rank 0's to all
  virtual std::vector<std::vector<std::byte>> gather(
      std::span<const std::byte> mine) = 0;                         // everybody's, at every rank
  virtual void send(int to, std::span<const std::byte> bytes) = 0;  // however long he takes to be ready for it
  virtual void receive(int from, std::span<std::byte> bytes) = 0;   // as many as are sent
  virtual void wait_for_all() = 0;  // however long the others take, as long as they live: one may be writing a file
};

// What tells that another rank has been lost, from a thread of its own; then the program ends, and all ranks with it.
// To be given before the first call of ranks(); nothing tells by itself.
void on_lost_rank(std::function<void(const Error&)> tell);
// Of this process. The first call joins those that mpirun started, if it did. Throws Error (status resource) where it
// did, and this program was built without MPI.
Ranks& ranks();
// Before the program ends, with its exit status: waits for all. Where it failed, all ranks are ended: rank 0 at once,
// another after a moment in which rank 0 may have told the same.
void leave_ranks(int status);
// A run that fails on all ranks is told once: should this thread tell? Rank 0 at once; others, after a moment in which
// rank 0 ends them, if theirs was another failure. The second thread of a process that asks is told no.
bool reports_failure();
double rank_patience();   // s, how long an answer is waited for: FDTD_RANK_PATIENCE, or 20
bool launched_as_rank();  // was this process started by mpirun, or by another launcher that MPI knows?
int launched_ranks();     // as how many, side by side; 1 where no launcher says
std::vector<std::string>
environment_alone();           // NAME=VALUE: this process's, less what makes it a rank: for a child that is none
std::string mpi_library();     // its version; "" without MPI
std::string how_to_get_mpi();  // for messages

// ---- what is made of it
// Rank 0's value at every rank.
template <class Value>
Value of_first(Ranks& ranks, Value value) {
  static_assert(std::is_trivially_copyable_v<Value>);
  ranks.broadcast(std::as_writable_bytes(std::span(&value, 1)));
  return value;
}
std::string of_first(Ranks& ranks, std::string text);
bool any_of(Ranks& ranks, bool mine);
// Throws Error (status resource), at every rank, naming one that differs from rank 0 and both texts.
void check_alike(Ranks& ranks, const std::string& what, const std::string& mine);

}  // namespace fdtd
