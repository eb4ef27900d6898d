// A plan on the GPU: two fields, the kernel bound to them, walls, sources and receivers; and how a step is queued.
#pragma once

#include <array>

#include "engine/backend/backend.hpp"
#include "engine/cuda/energy/energy.hpp"
#include "engine/cuda/exchange/halo.hpp"
#include "engine/cuda/gpu/graph.hpp"
#include "engine/cuda/transducers/receivers.hpp"
#include "engine/cuda/transducers/sources.hpp"
#include "engine/cuda/tuning/choose.hpp"
#include "engine/cuda/walls/wall_memory.hpp"

namespace fdtd::cuda {

template <class T>
class Room {
 public:
  // Of a slab with neighbours: its own plan (slab.hpp), and every rank makes its room. Throws Error (status resource)
  // when the GPU's free memory does not hold it, before any of it is taken.
  Room(const Plan& plan, const Slab& slab, const Device& device, const BackendOptions& options);

  // Steps from `step` on without drive, or one with it: f[source * stride]. Asynchronous.
  void rest(std::int64_t step, std::int64_t count);
  void drive(std::int64_t step, const double* f, std::int64_t stride);
  // After the last step of a block, before its samples are collected.
  void listen(std::int64_t step);
  void wait() const;  // for all that is queued

  void silence();
  void make_noise();  // in both fields, wherever walls are
  void restore(const State& state);
  State state(std::int64_t step) const;  // to be read before the next step
  // By layer of the slab's own.
  std::vector<double> stored(std::int64_t step) const {
    return meter_.stored(field(step), field(step + 1), queue_.stream());
  }

  T* field(std::int64_t step) const { return static_cast<T*>(fields_[static_cast<std::size_t>(step & 1)].get()); }
  std::array<void*, 2> fields() const { return {fields_[0].get(), fields_[1].get()}; }
  Ears& ears() { return ears_; }
  const Ears& ears() const { return ears_; }
  const Layout& layout() const { return job_.layout; }
  const Choice& chosen() const { return chosen_; }
  Stream stream() const { return queue_.stream(); }
  Halo* halo() { return halo_.get(); }  // nullptr: no neighbours

 private:
  struct Tables;  // packed on the host, before anything is taken on the GPU
  Room(const Plan& plan, const Slab& slab, const Device& device, const BackendOptions& options, const Job& job);
  Room(const Plan& plan, const Slab& slab, const Device& device, const BackendOptions& options, const Job& job,
       Tables&& tables);
  void step_alone(std::int64_t step);
  std::uint64_t in_plane() const;
  std::vector<std::byte> walls_values(StatePart part) const;
  WallsView<T> walls() const {
    return {near_.view(), site_memory_.view(), ears_.view(), tally_.view(), !job_.mirror.sides};
  }

  const Plan& plan_;
  Job job_;
  SiteTables<T> sites_;  // on the host: the order of V and G
  std::array<DeviceMemory, 2> fields_;
  Choice chosen_;
  Prepared prepared_;
  NearMemory<T> near_;
  SiteMemory<T> site_memory_;
  FacesView<T> faces_;
  TallyMemory tally_;
  Ears ears_;
  DriveMemory<T> drive_;
  EnergyMeter<T> meter_;
  Queue queue_;
  Graph graph_;
  std::unique_ptr<Halo> halo_;
  bool graphs_pay_ = false, captured_ = false;
  bool warm_ = false;  // a step has been queued: its kernels are on the GPU, as capturing wants them
};

}  // namespace fdtd::cuda
