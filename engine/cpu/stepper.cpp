#include "engine/cpu/stepper.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <thread>

#include "engine/system/machine.hpp"

namespace fdtd::cpu {
namespace {

// Blocks are one wave, that is microseconds, apart. On an oversubscribed machine the awaited thread may not be running:
// yield.
template <class Condition>
void wait_until(const Condition& condition) {
  for (int i = 0; !condition(); ++i, spin_pause())
    if (i >= max_spins) std::this_thread::yield();
}

// Passes of the next sweep of the `left` remaining ones: sweeps of nearly equal length.
int passes_of(std::int64_t left, int threads) {
  const std::int64_t sweeps = (left + max_passes(threads) - 1) / max_passes(threads);
  return static_cast<int>((left + sweeps - 1) / sweeps);
}

}  // namespace

template <class T>
Stepper<T>::Stepper(const Plan& plan, const Slab& slab, const Kernel& kernel, int threads, Ranks* ranks)
    : plan_(plan),
      slab_(slab),
      ranks_(ranks),
      kernel_(kernel),
      threads_(threads),
      cpu_plan_(plan, slab),
      functions_(functions_of(kernel, cpu_plan_.stencil.view())),
      division_(divide(cpu_plan_.layout, threads, memory_nodes())),
      whole_(single_step(cpu_plan_.layout, {1, cpu_plan_.layout.columns, 1}, division_, cpu_plan_.costs)) {
  const auto bytes = static_cast<std::size_t>(cpu_plan_.layout.length) * sizeof(T);
  for (auto& field : fields_) field = allocate_memory(bytes);
  driven_before_.assign(cpu_plan_.driven.size(), T{});
  for (std::size_t tile = cpu_plan_.layout.first_tile(cpu_plan_.layout.own_begin());
       tile < cpu_plan_.layout.first_tile(cpu_plan_.layout.own_end()); ++tile)
    if (cpu_plan_.boundary.in_tile(tile) + cpu_plan_.edges.in_tile(tile) > 0) lossy_.push_back(tile);
  find_edges();
  set_tile_order({});
  reset();
}

template <class T>
void Stepper<T>::set_tile_order(const TileOrder& order) {
  tile_order_ = order;
  tile_order_.whole_rows = order.whole_rows && has_whole_rows();
  schedule_ = schedule_of(order);
  const std::size_t passes = order.steps > 1 ? static_cast<std::size_t>(max_passes(threads_)) : 1;
  const std::size_t steps = passes * static_cast<std::size_t>(order.steps);
  for (SweepSums& sums : sweep_sums_) {
    sums.dissipated.assign(steps * cpu_plan_.layout.tiles.size(), 0.0);
    sums.injected.assign(steps * cpu_plan_.driven.size(), 0.0);
    sums.wide_dissipated.assign(steps * cpu_plan_.wide.count(), 0.0);
    sums.wide_edges_dissipated.assign(steps * cpu_plan_.wide_edges.count(), 0.0);
  }
  // Where receivers are many, the steps of several sweeps of one step are sampled together.
  const std::size_t nodes = cpu_plan_.receiver_nodes.size();
  constexpr std::size_t together = 16, few_nodes = 1024;
  received_.steps = static_cast<std::int64_t>(order.steps > 1 ? steps : nodes > few_nodes ? together : 1);
  for (std::vector<T>& values : received_.values) values.assign(static_cast<std::size_t>(received_.steps) * nodes, T{});
}

template <class T>
typename Stepper<T>::Schedule Stepper<T>::schedule_of(const TileOrder& order) const {
  if (order.steps > 1)
    return {order.steps, {}, time_skewing_of(cpu_plan_.layout, order, threads_, memory_nodes(), cpu_plan_.costs)};
  if (slab_.alone()) return {1, {single_step(cpu_plan_.layout, order, division_, cpu_plan_.costs)}, {}};
  return {1, edges_first(cpu_plan_.layout, order, division_, cpu_plan_.costs, edge_below_, edge_above_), {}};
}

template <class T>
std::string Stepper<T>::describe() const {
  return fmt::format("cpu, {} thread{}, {}, kernel {}, {}", threads_, threads_ == 1 ? "" : "s", kernel_.instruction_set,
                     tile_order_.steps > 1 ? "time_slice" : kernel_.name, to_string(tile_order_));
}

// Walls that read several tiles end what they read: beside the layers that are sent, those that such walls read are
// worked as well, with walls as many layers away as they reach.
template <class T>
void Stepper<T>::find_edges() {
  const Layout& layout = cpu_plan_.layout;
  const int taps = std::max(cpu_plan_.wide.max_taps_read(), cpu_plan_.wide_edges.max_taps_read());
  const int reach = (taps - 1 + tile_edge - 1) / tile_edge;  // layers
  const int margin = 2 * reach;
  const int below = slab_.ghosts_below + layout.radius + slab_.ghosts_below;  // planes
  const int above = layout.size[2] - slab_.ghosts_above - layout.radius - slab_.ghosts_above;
  const int sent_below = slab_.below ? layout.layer_of_plane(below - 1) + 1 : 0;
  const int sent_above = slab_.above ? layout.layer_of_plane(above) : layout.layers;
  edge_below_ = slab_.below ? sent_below + margin : 0;
  edge_above_ = slab_.above ? sent_above - margin : layout.layers;
  const bool all = edge_below_ >= edge_above_;  // too thin to have an inside
  if (all) edge_below_ = edge_above_ = layout.layers;
  const auto ranges_of = [&](const auto& walls) -> std::array<std::vector<std::size_t>, 3> {
    const std::size_t count = walls.count();
    const std::size_t lower = all ? count : slab_.below ? walls.before_tile(layout.first_tile(sent_below + reach)) : 0;
    const std::size_t upper = !all && slab_.above ? walls.before_tile(layout.first_tile(sent_above - reach)) : count;
    return {walls.ranges(0, lower, threads_), walls.ranges(lower, upper, threads_),
            walls.ranges(upper, count, threads_)};
  };
  wide_ranges_ = ranges_of(cpu_plan_.wide);
  wide_edges_ranges_ = ranges_of(cpu_plan_.wide_edges);
}

template <class T>
void Stepper<T>::send_edges(T* field) {
  const Layout& layout = cpu_plan_.layout;
  const auto planes = [&](int z, int count) {
    const std::ptrdiff_t values = (count - 1) * layout.plane + (layout.size[1] - 1) * layout.row + layout.size[0];
    return std::span(field + layout.offset(0, 0, z), static_cast<std::size_t>(values));
  };
  HaloPlanes below, above;
  if (slab_.below) {
    const int count = layout.radius + slab_.ghosts_below;
    below = {std::as_bytes(planes(slab_.ghosts_below, count)), std::as_writable_bytes(planes(-layout.radius, count))};
  }
  if (slab_.above) {
    const int count = layout.radius + slab_.ghosts_above, own_end = layout.size[2] - slab_.ghosts_above;
    above = {std::as_bytes(planes(own_end - count, count)), std::as_writable_bytes(planes(own_end, count))};
  }
  ranks_->begin_halos(below, above);
}

// Received planes hold images at the ends of some rows only.
template <class T>
void Stepper<T>::make_neighbours_images(T* field) const {
  const Layout& layout = cpu_plan_.layout;
  const int own_end = layout.size[2] - slab_.ghosts_above;
  if (slab_.below) cpu_plan_.image_halo.make_planes(-layout.radius, slab_.ghosts_below, field);
  if (slab_.above) cpu_plan_.image_halo.make_planes(own_end, layout.size[2] + layout.radius, field);
}

// No exception may leave the parallel region.
template <class T>
void Stepper<T>::receive_edges(T* field) {
  try {
    ranks_->end_halos();
    make_neighbours_images(field);
  } catch (...) {
    failure_ = std::current_exception();
  }
}

template <class T>
void Stepper<T>::advance(const Drive& drive, Samples& samples) {
  samples.steps = drive.steps;
  samples.p.assign(plan_.receivers.size() * static_cast<std::size_t>(drive.steps), 0.0);
  TileOrder remainder = tile_order_;
  remainder.steps = static_cast<int>(drive.steps % tile_order_.steps);
  if (remainder.steps > 0) remainder_schedule_ = schedule_of(remainder);
  const std::size_t blocks = std::max(schedule_.skewing.blocks.size(), remainder_schedule_.skewing.blocks.size());
  for (SweepSums& sums : sweep_sums_)
    sums.wave_counters = std::vector<WaveCounter>(static_cast<std::size_t>(max_passes(threads_)) * blocks);
  each_thread([&] {
    std::size_t parity = 0;
    std::int64_t unsampled = 0;
    for (std::int64_t n = 0; n < drive.steps && !failure_; parity ^= 1U) {
      const std::int64_t left = drive.steps - n;
      const Schedule& schedule = left >= tile_order_.steps ? schedule_ : remainder_schedule_;
      const int passes = schedule.steps > 1 ? passes_of(left / schedule.steps, threads_) : 1;
      const int steps = passes * schedule.steps;
      SweepSums& sums = sweep_sums_[parity];
      if (schedule.steps > 1)
        sweep_skewed(schedule.skewing, passes, drive, n, sums);
      else
        sweep(schedule.phases, drive, n, sums);
      const std::int64_t end = n + steps;
      const bool sampled = schedule.steps > 1 || end % received_.steps == 0 || end == drive.steps;
      each_part([&](int part) {
        if (sampled) sample_receivers(part, unsampled, end, samples);
        add_up_energies(part, sums, drive, n, steps);
      });
      if (sampled) unsampled = end;
#pragma omp master
      for (WaveCounter& counter : sums.wave_counters) counter.waves.store(0, std::memory_order_relaxed);
      n += steps;
    }
  });
  if (failure_) std::rethrow_exception(failure_);
  step_ += drive.steps;
}

template <class T>
std::vector<std::uint32_t> Stepper<T>::wall_row() {
  if (!wall_row_)
    wall_row_.emplace(plan_.boundary, std::array{cpu_plan_.boundary.read_nodes(plan_.boundary),
                                                 cpu_plan_.wide.read_nodes(plan_.boundary),
                                                 cpu_plan_.edges.read_nodes(), cpu_plan_.wide_edges.read_nodes()});
  return wall_row_->nodes();
}

template <class T>
void Stepper<T>::read_walls(const Drive& drive, Samples& samples, std::byte* rows) {
  if (!wall_row_) wall_row();
  struct Handing {
    T*& rows;
    ~Handing() { rows = nullptr; }
  } const handing{wall_rows_};
  wall_rows_ = reinterpret_cast<T*>(rows);
  advance(drive, samples);
}

// Threads take the blocks of all passes in turn: whatever a block waits for has been started before it.
template <class T>
void Stepper<T>::sweep_skewed(const TimeSkewing& skewing, int passes, const Drive& drive, std::int64_t first,
                              SweepSums& sums) {
  const int blocks = static_cast<int>(skewing.blocks.size());
  const auto counter = [&](int pass, int block) -> std::atomic<int>& {
    return sums.wave_counters[static_cast<std::size_t>(pass * blocks + block)].waves;
  };
  const auto done = [&](int pass, int block) { return counter(pass, block).load(std::memory_order_acquire); };
  for (int item = omp_get_thread_num(); item < passes * blocks; item += omp_get_num_threads()) {
    const int pass = item / blocks, block = item % blocks;
    for (int wave = 0; wave < skewing.waves; ++wave) {
      wait_until([&] { return skewing.may_run(pass, block, wave, done); });
      skewing.visit_wave(block, wave, [&](int step, int begin, int end, int layer_begin, int layer_end) {
        const int slot = pass * skewing.steps + step;
        work(drive, {first + slot, slot, begin, end, layer_begin, layer_end, 0, cpu_plan_.layout.size[0]}, sums);
      });
      counter(pass, block).store(wave + 1, std::memory_order_release);
    }
  }
  barrier_.arrive_and_wait(omp_get_num_threads());
}

template <class T>
void Stepper<T>::sweep(const std::vector<Phase>& phases, const Drive& drive, std::int64_t first, SweepSums& sums) {
  const int nx = cpu_plan_.layout.size[0], width = tile_order_.width > 0 ? tile_order_.width : nx;
  const auto each_patch = [&](const Job& job, const auto& visit) {
    for (int x = 0; x < nx; x += width)
      for (int layer = job.layer_begin; layer < job.layer_end; layer += tile_order_.layers)
        visit(Patch{first, 0, job.begin, job.end, layer, std::min(layer + tile_order_.layers, job.layer_end), x,
                    std::min(x + width, nx)});
  };
  bool halos = false;  // being exchanged
  for (const Phase& phase : phases) {
    each_part([&](int part) {
      const auto index = static_cast<std::size_t>(part);
      for (std::size_t j = phase.first[index]; j < phase.first[index + 1]; ++j) {
        each_patch(phase.jobs[j], [&](const Patch& patch) {
          work(drive, patch, sums);
          if (halos && omp_get_thread_num() == 0) ranks_->move_halos();
        });
      }
    });
    barrier_.arrive_and_wait(omp_get_num_threads());
    if (slab_.alone() || halos) continue;
    each_part([&](int part) {
      for (const std::size_t edge : {std::size_t{0}, std::size_t{2}}) wide_walls(edge, part, first, sums);
    });
    barrier_.arrive_and_wait(omp_get_num_threads());
#pragma omp master
    send_edges(field(step_ + first + 1));
    halos = true;
  }
  if (cpu_plan_.reads_several_tiles()) {
    each_part([&](int part) { wide_walls(1, part, first, sums); });
    barrier_.arrive_and_wait(omp_get_num_threads());
    each_part([&](int part) {
      T* const u0 = field(step_ + first + 1);
      each_tile(part, [&](std::size_t tile) {
        if (cpu_plan_.has_transducers[tile] != 0) finish_tile(tile, drive, first, 0, u0, sums);
        cpu_plan_.image_halo.make(cpu_plan_.layout.tiles[tile], u0);
      });
    });
    barrier_.arrive_and_wait(omp_get_num_threads());
  }
  if (!halos) return;
#pragma omp master
  receive_edges(field(step_ + first + 1));
  barrier_.arrive_and_wait(omp_get_num_threads());
}

template class Stepper<float>;
template class Stepper<double>;

}  // namespace fdtd::cpu
