// One rank, and the way to several: libfdtd_mpi.so, which is loaded where a launcher has started several.
#include "engine/system/ranks.hpp"

#include <dlfcn.h>
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <chrono>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <mutex>
#include <string_view>
#include <thread>

#include "base/error.hpp"
#include "engine/system/mpi_entry.hpp"

namespace fdtd {
namespace {

class OneRank final : public Ranks {
 public:
  int rank() const override { return 0; }
  int size() const override { return 1; }
  int local_rank() const override { return 0; }
  int local_size() const override { return 1; }
  void begin_halos(const HaloPlanes&, const HaloPlanes&) override {}
  void move_halos() override {}
  void end_halos() override {}
  void broadcast(std::span<std::byte>) override {}
  std::vector<std::vector<std::byte>> gather(std::span<const std::byte> mine) override {
    return {{mine.begin(), mine.end()}};
  }
  void send(int, std::span<const std::byte>) override {}
  void receive(int, std::span<std::byte>) override {}
  void wait_for_all() override {}
};

}  // namespace

double rank_patience() {
  const char* const text = std::getenv("FDTD_RANK_PATIENCE");
  if (text == nullptr) return 20.0;
  char* end = nullptr;
  const double seconds = std::strtod(text, &end);
  if (end == text || *end != '\0' || !(seconds >= 1.0 && seconds <= 1e6))
    throw Error(Status::scene,
                fmt::format("FDTD_RANK_PATIENCE: \"{}\" is no number of seconds from 1 to 1000000", text),
                "leave it out: ranks wait 20 s for each other");
  return seconds;
}

namespace {

// Environment variables that launchers set for each rank: Open MPI, PMIx, PMI (Slurm, MPICH).
constexpr std::array marks_of_rank = {"OMPI_COMM_WORLD_SIZE", "PMIX_RANK", "PMI_RANK"};

}  // namespace

bool launched_as_rank() {
  return std::ranges::any_of(marks_of_rank, [](const char* name) { return std::getenv(name) != nullptr; });
}

int launched_ranks() {
  if (!launched_as_rank()) return 1;
  for (const char* name : {"OMPI_COMM_WORLD_SIZE", "PMI_SIZE", "SLURM_STEP_NUM_TASKS"})
    if (const char* const text = std::getenv(name)) return std::max(1, std::atoi(text));
  return 1;
}

std::vector<std::string> environment_alone() {
  std::vector<std::string> all;
  for (char** one = environ; *one != nullptr; ++one) {
    const std::string_view text = *one;
    const auto marks = [&](std::string_view name) { return text.substr(0, text.find('=')) == name; };
    if (std::ranges::none_of(marks_of_rank, marks)) all.emplace_back(text);
  }
  return all;
}

namespace {

LostRankReport& lost_rank_report() {
  static LostRankReport report;
  return report;
}

std::unique_ptr<Ranks>& joined() {
  static std::unique_ptr<Ranks> all;
  return all;
}

struct Loaded {
  const MpiEntry* entry = nullptr;
  std::string why_not;  // empty where the program was built without MPI
};

#ifdef FDTD_MPI

// It lies beside the program, or in the folder lib of an installation: the program's RPATH names both. Open MPI's own
// plugins look for its symbols among those of the whole process.
Loaded load_mpi() {
  void* const library = ::dlopen("libfdtd_mpi.so", RTLD_NOW | RTLD_GLOBAL);
  if (library == nullptr) return {nullptr, ::dlerror()};
  return {static_cast<const MpiEntry*>(::dlsym(library, mpi_entry_name)), ""};
}

constexpr const char* get_mpi =
    "libfdtd_mpi.so lies beside the program, or in ../lib, and needs Open MPI 3 or newer (Debian, Ubuntu: openmpi-bin)";

#else

Loaded load_mpi() { return {}; }

constexpr const char* get_mpi =
    "install libopenmpi-dev and openmpi-bin (Debian, Ubuntu) and build again: ./go does both";

#endif

const Loaded& mpi() {
  static const Loaded loaded = load_mpi();
  return loaded;
}

// Time in which rank 0 may report a failure of all: 1 s, longer where ranks are known to be slow.
std::chrono::duration<double> time_for_first() {
  try {
    return std::chrono::duration<double>(std::max(1.0, rank_patience() / 20.0));
  } catch (const Error&) {  // this is the failure to report
    return std::chrono::seconds(1);
  }
}

std::unique_ptr<Ranks> join() {
  if (!launched_as_rank()) return std::make_unique<OneRank>();
  if (mpi().entry != nullptr) return mpi().entry->join(rank_patience(), lost_rank_report());
  if (launched_ranks() == 1) return std::make_unique<OneRank>();
  throw Error(Status::resource,
              mpi().why_not.empty()
                  ? std::string("several ranks were started, but this program was built without MPI")
                  : fmt::format("several ranks were started, but MPI cannot be loaded: {}", mpi().why_not),
              get_mpi);
}

}  // namespace

Ranks& ranks() {  // sessions of several threads may ask first
  static std::mutex guard;
  const std::lock_guard lock(guard);
  auto& all = joined();
  if (!all) all = join();
  return *all;
}

void stay_alone() { joined() = std::make_unique<OneRank>(); }

void on_lost_rank(std::function<void(const Error&)> report) { lost_rank_report() = std::move(report); }

bool reports_failure() {
  if (!launched_as_rank() || mpi().entry == nullptr) return true;
  static std::atomic<bool> called{false};
  const bool mine = !called.exchange(true);
  if (!mine || (joined() && !joined()->first())) std::this_thread::sleep_for(time_for_first());
  return mine;
}

void leave_ranks(int status) {
  if (launched_as_rank() && mpi().entry != nullptr) mpi().entry->leave(joined().get(), status);
}

std::string mpi_library() { return mpi().entry != nullptr ? mpi().entry->library() : ""; }

std::string how_to_get_mpi() { return mpi().entry != nullptr ? "mpirun is in the package openmpi-bin" : get_mpi; }

std::string of_first(Ranks& ranks, std::string text) {
  text.resize(of_first(ranks, text.size()));
  ranks.broadcast(std::as_writable_bytes(std::span(text)));
  return text;
}

bool any_of(Ranks& ranks, bool mine) {
  const auto byte = static_cast<std::byte>(mine ? 1 : 0);
  for (const auto& one : ranks.gather(std::span(&byte, 1)))
    if (one.front() != std::byte{0}) return true;
  return false;
}

std::vector<std::vector<std::byte>> gather_all(Ranks& ranks, std::span<const std::byte> mine) {
  constexpr std::size_t max_at_once = std::size_t{1} << 24;  // bytes of all ranks; each piece is copied twice
  ranks.wait_for_all();
  const std::uint64_t size = mine.size();
  std::uint64_t longest = 0;
  for (const auto& one : ranks.gather(std::as_bytes(std::span(&size, 1)))) {
    std::uint64_t theirs = 0;
    std::memcpy(&theirs, one.data(), sizeof theirs);
    longest = std::max(longest, theirs);
  }
  const std::size_t piece = max_at_once / static_cast<std::size_t>(ranks.size());
  std::vector<std::vector<std::byte>> all(static_cast<std::size_t>(ranks.size()));
  for (std::size_t begin = 0; begin < longest; begin += piece) {
    const std::size_t from = std::min(begin, mine.size());
    const auto parts = ranks.gather(mine.subspan(from, std::min(piece, mine.size() - from)));
    for (std::size_t r = 0; r < all.size(); ++r) all[r].insert(all[r].end(), parts[r].begin(), parts[r].end());
  }
  return all;
}

void check_alike(Ranks& ranks, const std::string& what, const std::string& mine) {
  const auto all = ranks.gather(std::as_bytes(std::span(mine)));
  const auto text = [&](std::size_t rank) {
    return std::string(reinterpret_cast<const char*>(all[rank].data()), all[rank].size());
  };
  for (std::size_t rank = 1; rank < all.size(); ++rank) {
    if (all[rank] != all[0])
      throw Error(Status::resource,
                  fmt::format("ranks differ in {}: {} on rank 0, {} on rank {}", what, text(0), text(rank), rank),
                  "start the same program, with the same files, on all machines");
  }
}

}  // namespace fdtd
