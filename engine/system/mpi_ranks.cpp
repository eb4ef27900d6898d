// Ranks by MPI: a library of its own, libfdtd_mpi.so, because a program that links MPI runs only where MPI is.
#include <fmt/format.h>
#include <mpi.h>
#include <sched.h>

#include <algorithm>
#include <chrono>
#include <cstring>
#include <memory>
#include <mutex>
#include <optional>
#include <thread>
#include <utility>

#include "base/error.hpp"
#include "engine/system/heartbeat.hpp"
#include "engine/system/mpi_entry.hpp"
#include "engine/system/ranks.hpp"

namespace fdtd {
namespace {

constexpr std::size_t largest_message = std::size_t{1} << 30U;  // MPI counts in int

int chunk_of(std::size_t bytes) { return static_cast<int>(std::min(bytes, largest_message)); }

// Each rank sends its beats to the next one, the last one to rank 0. MPI allows one call at a time: `calls` is locked
// around each.
class BeatRing {
 public:
  BeatRing(int rank, int size, std::mutex& calls, double patience, LostRankReport lost)
      : next_((rank + 1) % size), before_((rank + size - 1) % size), calls_(calls), lost_(std::move(lost)) {
    MPI_Comm_dup(MPI_COMM_WORLD, &ring_);
    receive_beat();
    const auto beat = [this] { this->beat(); };
    const auto received = [this] { return this->received(); };
    const auto silence = [this](double seconds) { end_all(seconds); };
    heart_.emplace(HeartLine{beat, received, silence}, patience);
  }
  // MPI requires that every message sent is received: a last message marks the end.
  void end() {
    heart_.reset();
    MPI_Wait(&sending_, MPI_STATUS_IGNORE);
    MPI_Isend(&last_beat, 1, MPI_INT, next_, 0, ring_, &sending_);
    for (;;) {
      MPI_Wait(&receiving_, MPI_STATUS_IGNORE);
      if (received_ == last_beat) break;
      receive_beat();
    }
    MPI_Wait(&sending_, MPI_STATUS_IGNORE);
    MPI_Comm_free(&ring_);
  }

 private:
  static constexpr int one_beat = 0, last_beat = 1;

  void receive_beat() { MPI_Irecv(&received_, 1, MPI_INT, before_, 0, ring_, &receiving_); }

  void beat() {
    const std::lock_guard one(calls_);
    int sent = 0;
    MPI_Test(&sending_, &sent, MPI_STATUS_IGNORE);
    if (sent != 0) MPI_Isend(&one_beat, 1, MPI_INT, next_, 0, ring_, &sending_);
  }
  bool received() {
    const std::lock_guard one(calls_);
    for (bool any = false;; any = true) {
      int came = 0;
      if (received_ != last_beat) MPI_Test(&receiving_, &came, MPI_STATUS_IGNORE);
      if (received_ == last_beat) return true;  // it has left
      if (came == 0) return any;
      receive_beat();
    }
  }
  void end_all(double seconds) const {
    if (lost_)
      lost_(Error(Status::resource, fmt::format("rank {} has given no sign of life for {:.0f} s", before_, seconds),
                  "its process, or its machine, is stopped or gone; the last checkpoint is valid"));
    MPI_Abort(MPI_COMM_WORLD, static_cast<int>(Status::resource));
  }

  int next_, before_;
  std::mutex& calls_;
  LostRankReport lost_;
  MPI_Comm ring_ = MPI_COMM_NULL;
  MPI_Request sending_ = MPI_REQUEST_NULL, receiving_ = MPI_REQUEST_NULL;
  int received_ = one_beat;
  std::optional<Heartbeat> heart_;
};

class MpiRanks final : public Ranks {
 public:
  MpiRanks(double patience, LostRankReport lost) : patience_(patience) {
    int provided = 0;
    if (MPI_Init_thread(nullptr, nullptr, MPI_THREAD_SERIALIZED, &provided) != MPI_SUCCESS ||
        provided < MPI_THREAD_SERIALIZED)
      throw Error(Status::resource, "MPI cannot be started with MPI_THREAD_SERIALIZED");
    MPI_Comm_rank(MPI_COMM_WORLD, &rank_);
    MPI_Comm_size(MPI_COMM_WORLD, &size_);
    MPI_Comm machine = MPI_COMM_NULL;
    MPI_Comm_split_type(MPI_COMM_WORLD, MPI_COMM_TYPE_SHARED, rank_, MPI_INFO_NULL, &machine);
    MPI_Comm_rank(machine, &local_rank_);
    MPI_Comm_size(machine, &local_size_);
    MPI_Comm_free(&machine);
    if (size_ > 1) beats_.emplace(rank_, size_, calls_, patience_, std::move(lost));
  }
  void leave() {
    if (!beats_) return;
    wait_for_all();
    beats_->end();
    beats_.reset();
  }
  int rank() const override { return rank_; }
  int size() const override { return size_; }
  int local_rank() const override { return local_rank_; }
  int local_size() const override { return local_size_; }

  void begin_halos(const HaloPlanes& below, const HaloPlanes& above) override {
    const std::lock_guard one(calls_);
    receive_from(rank_ - 1, below.in);
    receive_from(rank_ + 1, above.in);
    send_to(rank_ - 1, below.out);
    send_to(rank_ + 1, above.out);
  }
  void move_halos() override {
    const std::lock_guard one(calls_);
    int done = 0;
    MPI_Testall(static_cast<int>(requests_.size()), requests_.data(), &done, MPI_STATUSES_IGNORE);
  }
  void end_halos() override { wait("a neighbour's planes"); }

  void broadcast(std::span<std::byte> bytes) override {
    while (!bytes.empty()) {
      const int count = chunk_of(bytes.size());
      start([&](MPI_Request* request) { MPI_Ibcast(bytes.data(), count, MPI_BYTE, 0, MPI_COMM_WORLD, request); });
      wait("rank 0");
      bytes = bytes.subspan(static_cast<std::size_t>(count));
    }
  }

  // The parts of all ranks, in order; they are small.
  std::vector<std::vector<std::byte>> gather(std::span<const std::byte> mine) override {
    const auto count = static_cast<int>(mine.size());
    std::vector<int> counts(static_cast<std::size_t>(size_)), begin(counts.size() + 1, 0);
    start([&](MPI_Request* request) {
      MPI_Iallgather(&count, 1, MPI_INT, counts.data(), 1, MPI_INT, MPI_COMM_WORLD, request);
    });
    wait("the other ranks");
    for (std::size_t r = 0; r < counts.size(); ++r) begin[r + 1] = begin[r] + counts[r];
    std::vector<std::byte> all(static_cast<std::size_t>(begin.back()));
    start([&](MPI_Request* request) {
      MPI_Iallgatherv(mine.data(), count, MPI_BYTE, all.data(), counts.data(), begin.data(), MPI_BYTE, MPI_COMM_WORLD,
                      request);
    });
    wait("the other ranks");
    std::vector<std::vector<std::byte>> parts;
    for (std::size_t r = 0; r < counts.size(); ++r)
      parts.emplace_back(all.begin() + begin[r], all.begin() + begin[r + 1]);
    return parts;
  }

  void send(int to, std::span<const std::byte> bytes) override {
    {
      const std::lock_guard one(calls_);
      send_to(to, bytes);
    }
    wait_patiently();
  }
  void receive(int from, std::span<std::byte> bytes) override {
    {
      const std::lock_guard one(calls_);
      receive_from(from, bytes);
    }
    wait("a rank's part of the state");
  }
  void wait_for_all() override {
    start([](MPI_Request* request) { MPI_Ibarrier(MPI_COMM_WORLD, request); });
    wait_patiently();
  }

 private:
  using Clock = std::chrono::steady_clock;

  template <class Call>
  void start(const Call& call) {
    const std::lock_guard one(calls_);
    call(&requests_.emplace_back());
  }
  void receive_from(int rank, std::span<std::byte> bytes) {
    while (!bytes.empty()) {
      const int count = chunk_of(bytes.size());
      MPI_Irecv(bytes.data(), count, MPI_BYTE, rank, 0, MPI_COMM_WORLD, &requests_.emplace_back());
      bytes = bytes.subspan(static_cast<std::size_t>(count));
    }
  }
  void send_to(int rank, std::span<const std::byte> bytes) {
    while (!bytes.empty()) {
      const int count = chunk_of(bytes.size());
      MPI_Isend(bytes.data(), count, MPI_BYTE, rank, 0, MPI_COMM_WORLD, &requests_.emplace_back());
      bytes = bytes.subspan(static_cast<std::size_t>(count));
    }
  }

  bool done() {
    const std::lock_guard one(calls_);
    int all = 0;
    MPI_Testall(static_cast<int>(requests_.size()), requests_.data(), &all, MPI_STATUSES_IGNORE);
    if (all != 0) requests_.clear();
    return all != 0;
  }

  // Ranks that share a core must yield it to each other; ranks with a core of their own should not sleep.
  static void pause(int tries) {
    if (tries > 2000) {
      std::this_thread::sleep_for(std::chrono::microseconds(100));
    } else if (tries > 50) {
      sched_yield();
    }
  }

  // Throws where a rank lives but does not answer. The heartbeat finds a dead rank a little earlier, and names it.
  void wait(const char* whom) {
    const auto start = Clock::now();
    const auto seconds = [](Clock::duration time) { return std::chrono::duration<double>(time).count(); };
    for (int tries = 0; !done(); ++tries) {
      pause(tries);
      const double waited = seconds(Clock::now() - start);
      if (waited > 1.25 * patience_ + 3.0 * seconds(start - waited_until_))
        throw Error(Status::resource, fmt::format("rank {} has waited {:.0f} s for {}", rank_, waited, whom),
                    "a rank hangs: see its machine; the last checkpoint is valid");
    }
    waited_until_ = Clock::now();
  }
  void wait_patiently() {
    for (int tries = 0; !done(); ++tries) pause(tries);
    waited_until_ = Clock::now();
  }

  int rank_ = 0, size_ = 1, local_rank_ = 0, local_size_ = 1;
  const double patience_;  // plus three times what this rank's own work took
  std::vector<MPI_Request> requests_;
  Clock::time_point waited_until_ = Clock::now();
  std::mutex calls_;
  std::optional<BeatRing> beats_;
};

std::unique_ptr<Ranks> join(double patience, LostRankReport lost) {
  return std::make_unique<MpiRanks>(patience, std::move(lost));
}

void leave(Ranks* joined, int status) {
  int started = 0;
  MPI_Initialized(&started);
  if (started == 0) return;
  if (status != 0 && !(joined != nullptr && joined->alone())) MPI_Abort(MPI_COMM_WORLD, status);
  if (auto* const all = dynamic_cast<MpiRanks*>(joined)) all->leave();
  MPI_Finalize();
}

std::string library() {
  char text[MPI_MAX_LIBRARY_VERSION_STRING] = {};
  int length = 0;
  MPI_Get_library_version(text, &length);
  const std::string all(text, static_cast<std::size_t>(length));
  return all.substr(0, all.find(','));
}

}  // namespace
}  // namespace fdtd

extern "C" __attribute__((visibility("default")))
const fdtd::MpiEntry fdtd_mpi_entry = {fdtd::join, fdtd::leave, fdtd::library};
