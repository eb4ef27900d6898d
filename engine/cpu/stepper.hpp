// Steps a plan on the CPU: threads, order of tiles and bookkeeping around the kernels.
//
// Threads process tiles side by side: rows, near-wall corrections, sources, boundary, receivers and image halo while
// the tiles are in cache, in the order of tile_order.hpp and time_skewing.hpp, one step or several a sweep. The samples
// of receivers and the energies of a sweep are added up while the next sweep runs, which writes to other buffers. Walls
// that read nodes of several tiles are updated after a further barrier; with them a sweep is one step.
//
// With neighbouring ranks the planes that neighbours read are computed first, and are sent while the rest is computed
// (P. Micikevicius, "3D finite difference computation on GPUs using CUDA", 2009).
#pragma once

#include <omp.h>

#include <array>
#include <atomic>
#include <exception>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "engine/backend/backend.hpp"
#include "engine/cpu/cpu_plan.hpp"
#include "engine/cpu/schedule/barrier.hpp"
#include "engine/cpu/schedule/tile_order.hpp"
#include "engine/cpu/schedule/time_skewing.hpp"
#include "engine/system/ranks.hpp"
#include "engine/vector/denormals.hpp"
#include "engine/vector/kernels.hpp"

namespace fdtd::cpu {

template <class T>
class Stepper final : public Backend {
 public:
  // The plan must outlive the stepper. The state is zero; a sweep is one step until `set_tile_order`. `ranks`: for a
  // slab with neighbours.
  Stepper(const Plan& plan, const Slab& slab, const Kernel& kernel, int threads, Ranks* ranks);

  void load(const Plan&, const Slab&) override {}  // the owner constructs a new one
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
  WallReads wall_reads() const override { return WallReads::in_rows; }
  std::vector<std::uint32_t> wall_row() override;
  void read_walls(const Drive& drive, Samples& samples, std::byte* rows) override;
  int host_threads() const override { return threads_; }

  const Layout& layout() const { return cpu_plan_.layout; }
  const RowStencil<T>& stencil() const { return cpu_plan_.stencil.view(); }
  int threads() const { return threads_; }
  bool has_whole_rows() const { return functions_.leap_whole_rows != nullptr; }
  int layers(bool whole_rows) const { return whole_rows ? functions_.whole_rows_layers : functions_.layers; }
  // Can a sweep be several steps? Not with walls that read nodes of several tiles, nor with neighbouring ranks.
  bool several_steps() const { return !cpu_plan_.reads_several_tiles() && slab_.alone(); }
  void set_tile_order(const TileOrder& order);
  const TileOrder& order() const { return tile_order_; }
  // Seconds a step in this order, which stays set, over some sweeps. Changes the state.
  double seconds_per_step(const TileOrder& order);
  void reset();

 private:
  // One step in one rectangle of tiles, or in a piece of its rows: the pieces of a tile follow each other along x.
  struct Patch {
    std::int64_t step;  // of the drive
    int slot;           // of the sweep's buffers: the index of the step in the sweep
    int columns_begin, columns_end, layer_begin, layer_end;
    int begin, end;  // of the rows
  };
  // The number of waves that a block has completed in a pass; on its own cache line.
  struct alignas(64) WaveCounter {
    std::atomic<int> waves{0};
  };
  // The order of a sweep: one step in phases, or several in the passes of a time skewing.
  struct Schedule {
    int steps = 1;  // of a phase or a pass
    std::vector<Phase> phases;
    TimeSkewing skewing;
  };
  // The parts of samples and energies that the tiles of a sweep contribute, by step. There are two: one is added up
  // while the next is filled.
  struct SweepSums {
    std::vector<WaveCounter> wave_counters;  // by pass, in it by block
    // By step, in it by tile, driven node, batch, group.
    std::vector<double> dissipated, injected, wide_dissipated, wide_edges_dissipated;
  };
  // The values at receivers of several steps, in each as CpuPlan::receiver_nodes, so that the samples of a receiver are
  // written side by side. There are two: one is read while the next is filled.
  struct Received {
    std::int64_t steps = 1;  // that one holds
    std::array<std::vector<T>, 2> values;
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
  // Calls function(part) for the calling thread's parts: one, unless OpenMP provides fewer threads than requested.
  template <class Function>
  void each_part(const Function& function) const {
    for (int part = omp_get_thread_num(); part < threads_; part += omp_get_num_threads()) function(part);
  }
  // Calls function(tile) for every tile of a part, the same tiles at every call: a thread computes in its own memory.
  template <class Function>
  void each_tile(int part, const Function& function) const {
    const auto index = static_cast<std::size_t>(part);
    for (std::size_t j = whole_.first[index]; j < whole_.first[index + 1]; ++j) {
      const Job& job = whole_.jobs[j];
      for (int layer = job.layer_begin; layer < job.layer_end; ++layer)
        for (int column = job.begin; column < job.end; ++column)
          function(cpu_plan_.layout.first_tile(layer) + static_cast<std::size_t>(column));
    }
  }

  T* field(std::int64_t step) const { return static_cast<T*>(fields_[static_cast<std::size_t>(step & 1)].get()); }
  T* now() const { return field(step_); }
  T* before() const { return field(step_ + 1); }

  Schedule schedule_of(const TileOrder& order) const;
  void sweep(const std::vector<Phase>& phases, const Drive& drive, std::int64_t first, SweepSums& sums);
  void sweep_skewed(const TimeSkewing& skewing, int passes, const Drive& drive, std::int64_t first, SweepSums& sums);
  void work(const Drive& drive, const Patch& patch, SweepSums& sums);
  void leap_rows(const Patch& patch, const T* u1, T* u0) const;
  void keep_driven_nodes(std::size_t tile, const T* u0);
  void drive_sources(std::size_t tile, const Drive& drive, std::int64_t n, T* u0) const;
  void finish_tile(std::size_t tile, const Drive& drive, std::int64_t n, int slot, const T* u0, SweepSums& sums);
  T* received_at(std::int64_t n);  // of step n of a drive
  // Copies what walls read in step n of a drive to its row: of parts of the batches or groups of a kind, where rows are
  // asked for.
  enum ReadKind : std::size_t { of_boundary, of_wide, of_edges, of_wide_edges };
  template <class Walls>
  void hand_out(ReadKind kind, const Walls& walls, std::size_t begin, std::size_t end, std::int64_t n) const {
    if (wall_rows_ == nullptr) return;
    T* const row = wall_rows_ + static_cast<std::size_t>(n) * wall_row_->nodes().size();
    wall_row_->copy(kind, begin, end, walls.reads(static_cast<int>((step_ + n) & 1)), row);
  }
  void wide_walls(std::size_t where, int part, std::int64_t n, SweepSums& sums);
  void find_edges();
  void send_edges(T* field);
  void receive_edges(T* field);
  void make_neighbours_images(T* field) const;
  void sample_receivers(int part, std::int64_t first, std::int64_t end, Samples& samples);
  void add_up_energies(int part, const SweepSums& sums, const Drive& drive, std::int64_t first, int steps);
  std::size_t layers() const {
    return static_cast<std::size_t>(cpu_plan_.layout.own_end() - cpu_plan_.layout.own_begin());
  }

  double tile_energy(std::size_t index, double* out) const;
  void save_branches(State& state) const;
  void triad(std::int64_t steps);
  std::uint64_t in_plane() const;
  void save_planes(const T* field, int begin, int count, std::byte* to) const;
  void restore_field(const State& state, StatePart part, T* field);

  const Plan& plan_;
  Slab slab_;
  Ranks* ranks_;
  const Kernel& kernel_;
  int threads_;
  CpuPlan<T> cpu_plan_;
  RowFunctions<T> functions_;
  Division division_;
  TileOrder tile_order_;
  Phase whole_;  // assigns tiles to threads: memory, energies
  Schedule schedule_, remainder_schedule_;
  std::array<std::unique_ptr<void, Free>, 2> fields_;
  // Layers [0, edge_below_) and [edge_above_, layers) hold the planes that neighbours read.
  int edge_below_ = 0, edge_above_ = 0;
  // Ranges of the threads in the batches and groups that read several tiles: of the lower edge, inside, of the upper
  // edge.
  std::array<std::vector<std::size_t>, 3> wide_ranges_, wide_edges_ranges_;
  std::exception_ptr failure_;      // of the exchange, caught in the thread that communicates
  std::vector<std::size_t> lossy_;  // tiles with boundary nodes, without ghosts
  SpinBarrier barrier_;             // of the threads of a run
  std::array<SweepSums, 2> sweep_sums_;
  Received received_;
  std::vector<T> driven_before_;  // u- of driven nodes
  std::optional<WallRow> wall_row_;
  T* wall_rows_ = nullptr;  // of a drive, while read_walls() advances
  std::int64_t step_ = 0;
  std::vector<double> injected_, dissipated_;  // by layer, without ghosts
};

}  // namespace fdtd::cpu
