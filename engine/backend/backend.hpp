// The interface of a backend: few functions, each coarse enough that a virtual call costs nothing.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "engine/backend/wall_correlation.hpp"
#include "engine/plan/branch_equation.hpp"
#include "engine/plan/plan.hpp"
#include "engine/plan/slab.hpp"

namespace fdtd {

class Ranks;

// Drive of all sources for the steps of one block: f[s * steps + n], n = 0 the first step of the block.
struct Drive {
  std::int64_t steps = 0;
  std::vector<double> f;
};

// Samples of all receivers for one block: p[r * steps + n] is u^{m+1} at receiver r, m the step (u^0 precedes the
// first).
struct Samples {
  std::int64_t steps = 0;
  std::vector<double> p;
};

// Energies in the units of H = 1/2 |u^{n+1} - u^n|^2_M + 1/2 <u^{n+1}, K u^n> plus the energy of the branches
// (docs/explanation/walls.md and impedance.md), all in double, summed layer by layer (slab.hpp) in an order that
// depends only on the grid. injected and dissipated count from the start of the run.
struct Energy {
  double stored = 0.0, injected = 0.0, dissipated = 0.0;
};
Energy sum_of(const std::vector<Energy>& layers);

// The arrays of a state, in the order in which they follow each other in files: fields, then those of the branches, in
// the order of BranchValues.
enum class StatePart : std::size_t { u_now, u_before, velocity, displacement };
inline constexpr std::array<StatePart, 2> field_parts = {StatePart::u_now, StatePart::u_before};
inline constexpr std::array<StatePart, branch_state_size> branch_parts = {StatePart::velocity, StatePart::displacement};
inline constexpr std::array<StatePart, 4> state_parts = {StatePart::u_now, StatePart::u_before, StatePart::velocity,
                                                         StatePart::displacement};
// Their names in files.
inline constexpr std::array<const char*, state_parts.size()> state_part_names = {"u_now", "u_before", "velocity",
                                                                                 "displacement"};
// The array of a part of the branches among BranchValues.
constexpr std::size_t branch_value(StatePart part) { return static_cast<std::size_t>(part) - field_parts.size(); }

// The whole state between two steps, in the plan's node order: what a checkpoint holds, the same for every backend. Its
// arrays are in memory, or are read in parts when needed: a room may fill all memory.
struct State {
  Precision precision = Precision::f32;
  std::int64_t step = 0;
  std::vector<std::byte> u_now, u_before;         // u^n, u^{n-1}: nodes values of float or double
  BranchValues<std::vector<std::byte>> branches;  // by Boundary::branch_begin
  std::vector<double> injected, dissipated;       // by layer
  // If set, the four arrays above are empty and this function reads values [first, first + count) of one of them, as
  // bytes.
  std::function<std::vector<std::byte>(StatePart part, std::uint64_t first, std::uint64_t count)> read = {};

  bool silent() const { return !read && u_now.empty() && u_before.empty(); }
  std::vector<std::byte>& array(StatePart part);
  const std::vector<std::byte>& array(StatePart part) const;
  // From memory or by `read`. Throws Error (status file) where such values do not exist.
  std::vector<std::byte> values(StatePart part, std::uint64_t first, std::uint64_t count) const;
  // Throws Error (status file) where an array in memory has another number of values.
  void require(StatePart part, std::uint64_t count) const;
};

// The largest |u|, or the first node that is not finite.
struct Extreme {
  std::uint64_t node = 0;
  double value = 0.0;
};

// Time per node and its roofline, of the plan's stencil on the loaded grid.
struct Timing {
  double seconds_per_step = 0.0;  // median
  double ctpn_ns = 0.0;           // seconds_per_step / nodes
  double triad_ctpn_ns = 0.0;     // leapfrog triad u0 = 2 u1 - u0 over the same arrays, same run
  double declared_bytes = 0.0;    // per node: 12 in f32, 24 in f64
  int steps = 1;                  // per sweep over memory
};

struct BackendOptions {
  int threads = 0;     // CPU; 0: OpenMP's number
  std::string kernel;  // of the CPU's or the GPU's table; empty: the best
  // CPU: time the tile orders that suit this plan before the first step, unless tile_order_file has the fastest, and
  // store it there. Results do not depend on it. A search takes the time of one to two thousand steps.
  bool tune = false;
  std::filesystem::path tile_order_file = {};  // empty: nothing is stored
  // Search even where tile_order_file, or the GPU's file of tiles, has the fastest. Results do not depend on it.
  bool retune = false;
  // GPU: rooms that threads of this process compute at a time, each with a share of it (many_steps.hpp). 1: this one
  // alone. Results do not depend on it. All calls of a backend of a share come from the thread that made it.
  int rooms_at_once = 1;
  Ranks* ranks = nullptr;  // with which a slab with neighbours exchanges planes
};

// Who finds what walls read, for a gradient (wall_correlation.hpp).
enum class WallReads {
  by_recorders,  // receivers that the gradient adds to the plan
  in_rows,       // the backend, in read_walls()
  correlated     // the backend, which correlates it too, in wall_correlation()
};

class Backend {
 public:
  virtual ~Backend() = default;
  // Allocates memory and zeroes the state; `plan` must outlive the backend. For a slab with neighbours, the slab's own
  // plan (slab.hpp): states then include its ghosts, energies do not, and advance and restore wait for the neighbours.
  // Throws Error (status resource) where memory does not suffice.
  virtual void load(const Plan& plan, const Slab& slab) = 0;
  // Computes drive.steps steps and records u^{n+1} after each.
  virtual void advance(const Drive& drive, Samples& samples) = 0;
  virtual void save(State& state) const = 0;
  // The same, but its arrays must be read before the next step; with several ranks every rank must make every read, and
  // rank 0 receives the values.
  virtual State state() const;
  virtual void restore(const State& state) = 0;      // overwrites the state; a state without values: all zero
  virtual Timing profile(int repeats) = 0;           // 0: of a short run, sooner. The state must be restored or loaded
  virtual std::vector<Energy> energies() const = 0;  // after the last step, by layer
  Energy energy() const { return sum_of(energies()); }
  virtual Extreme extreme() const = 0;
  // u^n of the nodes with this index along an axis (0: x, 1: y, 2: z), in the order of nodes, as float; walls are zero.
  // `values` has as many elements as the plane has nodes.
  virtual void plane(int axis, int index, std::span<float> values) const = 0;
  virtual std::int64_t step() const = 0;
  virtual std::string describe() const = 0;  // "cpu, 2 threads, AVX-512, kernel sliding_window, blocks of 32 rows"

  // ---- gradients (adjoint/gradient.hpp)
  // The walls of the loaded plan, correlated where its fields are. The plan must outlive it.
  virtual std::unique_ptr<WallCorrelation> wall_correlation(const CorrelationNeeds&) { lacks("wall_correlation"); }
  // Bytes that are free for what wall_correlation() keeps; nothing: it keeps it in main memory, or there is none.
  virtual std::optional<std::int64_t> correlation_memory() const { return std::nullopt; }
  // Known before a plan is loaded. A gradient by a backend that promises what it lacks throws std::logic_error.
  virtual WallReads wall_reads() const { return WallReads::by_recorders; }
  // The boundary node of each value of a row of read_walls(), an index of Boundary::nodes; no_wall_node: of no meaning.
  virtual std::vector<std::uint32_t> wall_row() { lacks("wall_row"); }
  // As advance(); row n of `rows` becomes b^T u^{m+1} of all walls after step m = n of the drive, in the precision of the plan:
  // drive.steps rows, each of wall_row().size() values.
  virtual void read_walls(const Drive&, Samples&, std::byte*) { lacks("read_walls"); }
  // Threads of the host that work for it; 0: OpenMP's number.
  virtual int host_threads() const { return 0; }
  // As save() and restore(), each rank its own part: what one saves, none but that one restores.
  virtual void save_own(State& state) const { save(state); }
  virtual void restore_own(const State& state) { restore(state); }
  // Values added up over the ranks, and the largest of each, the same in all of them.
  virtual void add_ranks(std::span<double>) const {}
  virtual void largest_of_ranks(std::span<double>) const {}

 private:
  [[noreturn]] void lacks(const char* function) const;
};

}  // namespace fdtd
