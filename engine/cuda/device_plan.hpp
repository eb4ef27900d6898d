// A plan on the GPU: two fields, the kernel bound to them, walls, sources and receivers; and how the launches of a step
// are queued.
#pragma once

#include <array>
#include <functional>
#include <memory>
#include <mutex>

#include "engine/backend/backend.hpp"
#include "engine/cuda/energy/energy.hpp"
#include "engine/cuda/exchange/halo.hpp"
#include "engine/cuda/gpu/graph.hpp"
#include "engine/cuda/many_steps/many_steps.hpp"
#include "engine/cuda/transducers/receivers.hpp"
#include "engine/cuda/transducers/sources.hpp"
#include "engine/cuda/tuning/choose.hpp"
#include "engine/cuda/walls/row_bricks.hpp"
#include "engine/cuda/walls/wall_memory.hpp"
#include "engine/cuda/walls/wall_reads.hpp"

namespace fdtd::cuda {

template <class T>
class DevicePlan {
 public:
  // For a slab with neighbours: the slab's own plan (slab.hpp), on every rank. Throws Error (status resource) before it
  // allocates anything where the GPU's free memory does not suffice.
  DevicePlan(const Plan& plan, const Slab& slab, const Device& device, const BackendOptions& options);

  // Steps from `step` on without a drive, or with it: f[source * stride + n]. Asynchronous.
  void step_undriven(std::int64_t step, std::int64_t count);
  void drive(std::int64_t step, const double* f, std::int64_t stride, std::int64_t count);
  // After the last step of a block, before its samples are collected.
  void sample_receivers(std::int64_t step);
  void wait() const;  // for all that is queued

  // From here on, before the first step, steps keep what walls read (wall_reads.hpp). Each has launches of its own; where it
  // had none, they get the fastest tile. The state is at rest.
  void keep_wall_reads();
  // Where a block of steps keeps it: a row of the field before the last, one of the last, and one of each step's.
  void read_walls_to(const ReadsTarget<T>& target) { reads_target_ = target; }
  // Before step `step`, the block's step `done`.
  void start_wall_reads(std::int64_t step, std::int64_t done);
  // Of a row.
  std::uint64_t wall_reads() const { return boundary_tables_.node_offset.size(); }
  const BoundaryTables<T>& boundary_tables() const { return boundary_tables_; }
  BoundaryView<T> boundary() const { return boundary_memory_.view(); }

  void reset();
  void make_noise();  // in both fields, wherever walls are
  void restore(const State& state);
  State state(std::int64_t step) const;  // to be read before the next step
  // By layer of the slab's own.
  std::vector<double> stored(std::int64_t step) const {
    return meter_.stored(field(step), field(step + 1), stream_.get());
  }

  T* field(std::int64_t step) const { return static_cast<T*>(fields_[static_cast<std::size_t>(step & 1)].get()); }
  std::array<void*, 2> fields() const { return {fields_[0].get(), fields_[1].get()}; }
  ReceiverBuffers& receivers() { return receivers_; }
  const ReceiverBuffers& receivers() const { return receivers_; }
  const Layout& layout() const { return job_.layout; }
  const Choice& chosen() const { return chosen_; }
  Stream stream() const { return stream_.get(); }
  bool many_steps() const { return many_steps_ != nullptr; }  // a launch
  // Held while a room steps whose blocks wait for each other although they need not start together: two of them at a
  // time could each wait for the multiprocessors of the other.
  std::unique_lock<std::mutex> alone_on_gpu() const;
  Halo* halo() const { return halo_.get(); }  // nullptr: no neighbours

 private:
  struct CapturedSteps {
    Graph graph;
    bool captured = false;
    bool warm = false;  // such a step has been queued: its kernels are on the GPU, as capturing wants them
  };
  struct Tables;  // packed on the host, before anything is taken on the GPU
  DevicePlan(const Plan& plan, const Slab& slab, const Device& device, const BackendOptions& options, const Job& job);
  DevicePlan(const Plan& plan, const Slab& slab, const Device& device, const BackendOptions& options, const Job& job,
             Tables&& tables);
  void step_alone(std::int64_t step);
  void drive_alone(std::int64_t step, const double* f, std::int64_t stride);
  // Is a graph of the steps from `step` to `end` the way? They are those of `steps`, which it captures once.
  bool has_graph(CapturedSteps& steps, std::int64_t step, std::int64_t end, const std::function<void()>& work);
  // Nodes to correct that read a neighbour's planes.
  bool corrects_borders() const {
    const NearView<T> near = near_.view();
    return near.nodes > near.inside_end - near.inside_begin || long_rows_.borders() > 0;
  }
  std::uint64_t in_plane() const;
  std::vector<std::byte> walls_values(StatePart part) const;
  WallsView<T> walls() const {
    return {near_.view(), boundary_memory_.view(), receivers_.view(), loss_sums_.view(), coupled_.view()};
  }

  const Plan& plan_;
  const Device device_;
  const BackendOptions options_;
  Job job_;
  BoundaryTables<T> boundary_tables_;  // on the host: the order of branches
  std::array<DeviceMemory, 2> fields_;
  Choice chosen_;
  Prepared prepared_;
  NearMemory<T> near_;
  RowBricks<T> long_rows_;
  BoundaryMemory<T> boundary_memory_;
  CoupledMemory<T> coupled_;
  FacesView<T> faces_;
  LossSumsMemory loss_sums_;
  ReceiverBuffers receivers_;
  DriveMemory<T> drive_;
  EnergyMeter<T> meter_;
  OwnedStream stream_;
  CapturedSteps undriven_, driven_;
  DeviceArray<double> graph_drive_;        // of a graph of driven steps: [source * graph_steps + n]
  ManySteps many_steps_;                   // empty: a step has its own launches
  std::unique_ptr<ReadsMemory<T>> reads_;  // nullptr: what walls read is not kept
  ReadsTarget<T> reads_target_{nullptr, 0};
  std::unique_ptr<Halo> halo_;
  bool graphs_pay_ = false;
};

}  // namespace fdtd::cuda
