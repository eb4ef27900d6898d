// A plan on the CPU: threads, steps and bookkeeping around the kernels.
//
// Tiles side by side at a time: rows, wall corrections, sources, boundary, receivers, mirror images, while the tiles are in cache, in
// the order that march.hpp and relay.hpp give, one step or several a sweep. Receivers and sums of a sweep are added up while the
// next sweep runs, which writes to other buffers. Walls that read nodes of several tiles are worked after a barrier more, and
// keep the run to single steps.
//
// So do neighbours: what they read of a slab is computed first, and travels while the rest is computed (P. Micikevicius, "3D finite
// difference computation on GPUs using CUDA", 2009).
#pragma once

#include <omp.h>

#include <array>
#include <atomic>
#include <exception>
#include <memory>
#include <string>
#include <vector>

#include "engine/backend/backend.hpp"
#include "engine/cpu/field/denormals.hpp"
#include "engine/cpu/field/kernels.hpp"
#include "engine/cpu/room.hpp"
#include "engine/cpu/schedule/barrier.hpp"
#include "engine/cpu/schedule/tile_order.hpp"
#include "engine/cpu/schedule/time_skewing.hpp"
#include "engine/system/ranks.hpp"

namespace fdtd::cpu {

template <class T>
class Stepper final : public Backend {
 public:
  // The plan must outlive it. Everything is at rest; the march is one step a sweep until `set_march`. `ranks`: of a slab
  // with neighbours.
  Stepper(const Plan& plan, const Slab& slab, const Kernel& kernel, int threads, Ranks* ranks);

  void load(const Plan&, const Slab&) override {}  // the owner makes a new one
  void advance(const Drive& drive, Samples& samples) override;
  void save(State& state) const override;
  State state() const override;
  void restore(const State& state) override;
  Timing profile(int repeats) override;
  std::vector<Energy> energies() const override;
  Extreme extreme() const override;
  void plane(int axis, int index, std::span<float> values) const override;
  std::int64_t step() const override { return step_; }
  std::string describe() const override;

  const Layout& layout() const { return room_.layout; }
  const RowStencil<T>& stencil() const { return room_.stencil.view(); }
  int threads() const { return threads_; }
  bool two_ways() const { return functions_.leap_uncut != nullptr; }  // of working rows
  int layers(bool uncut) const { return uncut ? functions_.uncut_layers : functions_.layers; }
  // Can steps be taken together? Not beside walls that read nodes of several tiles, nor beside neighbours.
  bool slices() const { return room_.wide.count() == 0 && slab_.alone(); }
  void set_march(const March& march);
  const March& march() const { return march_; }
  // Seconds a step of `march`, which stays set, over some sweeps. Disturbs the state.
  double seconds_per_step(const March& march);
  void silence();

 private:
  // One step in one rectangle of tiles, or a piece of its rows: pieces of a tile come in the order of x.
  struct Patch {
    std::int64_t step;  // of the drive
    int slot;           // of the sweep's buffers: its place among the sweep's steps
    int columns_begin, columns_end, layer_begin, layer_end;
    int begin, end;  // of the rows
  };
  // Waves that a block has done in a pass; on a cache line of its own.
  struct alignas(64) Baton {
    std::atomic<int> waves{0};
  };
  // How steps are taken: one by phases, several by a relay, whose passes make up a sweep.
  struct Way {
    int steps = 1;  // of a phase or a pass
    std::vector<Phase> phases;
    Relay relay;
  };
  // What tiles tell of every step of a sweep; of two sweeps, for one is added up while the next runs.
  struct Told {
    std::vector<Baton> batons;                      // by pass, in it by block
    std::vector<double> lost, injected, wide_lost;  // by step, in it by tile, driven node, batch
    std::vector<T> heard;                           // by step, in it as Room::heard
  };

  // Calls function() in every thread, with denormals flushed.
  template <class Function>
  void each_thread(const Function& function) const {
#pragma omp parallel num_threads(threads_)
    {
      const FlushDenormals flush;
      function();
    }
  }
  // Calls function(part) for the calling thread's parts: one, unless OpenMP gave fewer threads than were asked for.
  template <class Function>
  void each_part(const Function& function) const {
    for (int part = omp_get_thread_num(); part < threads_; part += omp_get_num_threads()) function(part);
  }
  // Calls function(tile) for every tile of a part, the same at every call: memory stays with who computes.
  template <class Function>
  void each_tile(int part, const Function& function) const {
    const auto index = static_cast<std::size_t>(part);
    for (std::size_t j = whole_.first[index]; j < whole_.first[index + 1]; ++j) {
      const Job& job = whole_.jobs[j];
      for (int layer = job.layer_begin; layer < job.layer_end; ++layer)
        for (int column = job.begin; column < job.end; ++column)
          function(room_.layout.first_tile(layer) + static_cast<std::size_t>(column));
    }
  }

  T* field(std::int64_t step) const { return static_cast<T*>(fields_[static_cast<std::size_t>(step & 1)].get()); }
  T* now() const { return field(step_); }
  T* before() const { return field(step_ + 1); }

  Way way_of(const March& march) const;
  void sweep(const std::vector<Phase>& phases, const Drive& drive, std::int64_t first, Told& told);
  void relay(const Relay& relay, int passes, const Drive& drive, std::int64_t first, Told& told);
  void work(const Drive& drive, const Patch& patch, Told& told);
  void leap_rows(const Patch& patch, const T* u1, T* u0) const;
  void leap(const Patch& patch, int y, int z, std::span<const Run> runs, int rows, int planes, const T* u1,
            T* u0) const;
  void hold_sources(std::size_t tile, const T* u0);
  void drive_sources(std::size_t tile, const Drive& drive, std::int64_t n, T* u0) const;
  void settle(std::size_t tile, const Drive& drive, std::int64_t n, int slot, const T* u0, Told& told) const;
  void wide_walls(const std::vector<std::size_t>& shares, int part, std::int64_t n, Told& told);
  void find_edges();
  void send_edges(T* field);
  void take_edges(T* field);
  void make_neighbours_images(T* field) const;
  void listen(int part, std::int64_t first, int steps, const Told& told, Samples& samples) const;
  void take_sums(int part, const Told& told, const Drive& drive, std::int64_t first, int steps);
  std::size_t layers() const { return static_cast<std::size_t>(room_.layout.own_end() - room_.layout.own_begin()); }

  double tile_energy(std::size_t index, double* out) const;
  void triad(std::int64_t steps);
  std::uint64_t in_plane() const;
  void save_planes(const T* field, int begin, int count, std::byte* to) const;
  void restore_field(const State& state, StatePart part, T* field);

  const Plan& plan_;
  Slab slab_;
  Ranks* ranks_;
  const Kernel& kernel_;
  int threads_;
  Room<T> room_;
  RowFunctions<T> functions_;
  Division division_;
  March march_;
  Phase whole_;  // who has which tile: memory, energies
  Way way_, way_of_rest_;
  std::array<std::unique_ptr<void, Free>, 2> fields_;
  // Layers [0, edge_below_) and [edge_above_, layers) make what neighbours read.
  int edge_below_ = 0, edge_above_ = 0;
  // Shares of the threads in the batches beyond tiles: of the lower edge, inside, of the upper edge.
  std::array<std::vector<std::size_t>, 3> wide_shares_;
  std::exception_ptr failure_;      // of a neighbour, met by the thread that talks to him
  std::vector<std::size_t> lossy_;  // tiles with boundary nodes, ghosts left out
  Gate gate_;                       // of the threads of a run
  std::array<Told, 2> told_;
  std::vector<T> held_;  // u- of driven nodes
  std::int64_t step_ = 0;
  std::vector<double> injected_, dissipated_;  // by layer, ghosts left out
};

}  // namespace fdtd::cpu
