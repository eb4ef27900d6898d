#include "engine/cpu/stepper.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <thread>

#include "engine/system/machine.hpp"

namespace fdtd::cpu {
namespace {

double force(const Drive& drive, std::size_t source, std::int64_t n) {
  return drive.f[source * static_cast<std::size_t>(drive.steps) + static_cast<std::size_t>(n)];
}

// Neighbours are a wave apart: microseconds. On a machine with more work than processors someone else may have ours.
template <class Condition>
void wait_until(const Condition& condition) {
  for (int i = 0; !condition(); ++i, look_again())
    if (i >= patience) std::this_thread::yield();
}

// Of the next sweep, where `left` are to come: sweeps of as many passes, as nearly, none of a few at the end.
int passes_of(std::int64_t left, int threads) {
  const std::int64_t sweeps = (left + most_passes(threads) - 1) / most_passes(threads);
  return static_cast<int>((left + sweeps - 1) / sweeps);
}

bool drives(const Drive& drive, std::int64_t n) {
  const std::size_t sources = drive.steps > 0 ? drive.f.size() / static_cast<std::size_t>(drive.steps) : 0;
  for (std::size_t s = 0; s < sources; ++s)
    if (force(drive, s, n) != 0.0) return true;
  return false;
}

}  // namespace

template <class T>
Stepper<T>::Stepper(const Plan& plan, const Slab& slab, const Kernel& kernel, int threads, Ranks* ranks)
    : plan_(plan),
      slab_(slab),
      ranks_(ranks),
      kernel_(kernel),
      threads_(threads),
      room_(plan, slab),
      functions_(functions_of(kernel, room_.stencil.view())),
      division_(divide(room_.layout, threads, memory_nodes())),
      whole_(single_step(room_.layout, {1, room_.layout.columns, 1}, division_, room_.costs)) {
  const auto bytes = static_cast<std::size_t>(room_.layout.length) * sizeof(T);
  for (auto& field : fields_) field = take_memory(bytes);
  held_.assign(room_.driven.size(), T{});
  for (std::size_t tile = room_.layout.first_tile(room_.layout.own_begin());
       tile < room_.layout.first_tile(room_.layout.own_end()); ++tile)
    if (room_.boundary.in_tile(tile) > 0) lossy_.push_back(tile);
  find_edges();
  set_march({});
  silence();
}

template <class T>
void Stepper<T>::set_march(const March& march) {
  march_ = march;
  march_.uncut = march.uncut && two_ways();
  way_ = way_of(march);
  const std::size_t passes = march.steps > 1 ? static_cast<std::size_t>(most_passes(threads_)) : 1;
  const std::size_t steps = passes * static_cast<std::size_t>(march.steps);
  for (Told& told : told_) {
    told.lost.assign(steps * room_.layout.tiles.size(), 0.0);
    told.injected.assign(steps * room_.driven.size(), 0.0);
    told.wide_lost.assign(steps * room_.wide.count(), 0.0);
    told.heard.assign(steps * room_.heard.size(), T{});
  }
}

template <class T>
typename Stepper<T>::Way Stepper<T>::way_of(const March& march) const {
  if (march.steps > 1) return {march.steps, {}, relay_of(room_.layout, march, threads_, memory_nodes(), room_.costs)};
  if (slab_.alone()) return {1, {single_step(room_.layout, march, division_, room_.costs)}, {}};
  return {1, edges_first(room_.layout, march, division_, room_.costs, edge_below_, edge_above_), {}};
}

template <class T>
std::string Stepper<T>::describe() const {
  return fmt::format("cpu, {} thread{}, {}, kernel {}, {}", threads_, threads_ == 1 ? "" : "s", kernel_.instruction_set,
                     march_.steps > 1 ? "time_slice" : kernel_.name, to_string(march_));
}

// Walls that read several tiles end what they read: beside the layers that are sent, those next to them are worked as well,
// with walls at most a tile away.
template <class T>
void Stepper<T>::find_edges() {
  const Layout& layout = room_.layout;
  const int margin = room_.wide.count() > 0 ? 2 : 0;
  const int below = slab_.ghosts_below + layout.radius + slab_.ghosts_below;  // planes
  const int above = layout.size[2] - slab_.ghosts_above - layout.radius - slab_.ghosts_above;
  const int sent_below = slab_.below ? layout.layer_of_plane(below - 1) + 1 : 0;
  const int sent_above = slab_.above ? layout.layer_of_plane(above) : layout.layers;
  edge_below_ = slab_.below ? sent_below + margin : 0;
  edge_above_ = slab_.above ? sent_above - margin : layout.layers;
  const bool all = edge_below_ >= edge_above_;  // too thin for an inside
  if (all) edge_below_ = edge_above_ = layout.layers;
  const std::size_t wide = room_.wide.count();
  const std::size_t lower = all ? wide : slab_.below ? room_.wide.before_tile(layout.first_tile(sent_below + 1)) : 0;
  const std::size_t upper = !all && slab_.above ? room_.wide.before_tile(layout.first_tile(sent_above - 1)) : wide;
  wide_shares_ = {room_.wide.shares(0, lower, threads_), room_.wide.shares(lower, upper, threads_),
                  room_.wide.shares(upper, wide, threads_)};
}

template <class T>
void Stepper<T>::send_edges(T* field) {
  const Layout& layout = room_.layout;
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

// Planes came with the images at some rows' ends alone.
template <class T>
void Stepper<T>::make_neighbours_images(T* field) const {
  const Layout& layout = room_.layout;
  const int own_end = layout.size[2] - slab_.ghosts_above;
  if (slab_.below) room_.images.make_planes(-layout.radius, slab_.ghosts_below, field);
  if (slab_.above) room_.images.make_planes(own_end, layout.size[2] + layout.radius, field);
}

// No exception leaves the threads' region.
template <class T>
void Stepper<T>::take_edges(T* field) {
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
  March rest = march_;
  rest.steps = static_cast<int>(drive.steps % march_.steps);
  if (rest.steps > 0) way_of_rest_ = way_of(rest);
  const std::size_t blocks = std::max(way_.relay.blocks.size(), way_of_rest_.relay.blocks.size());
  for (Told& told : told_) told.batons = std::vector<Baton>(static_cast<std::size_t>(most_passes(threads_)) * blocks);
  each_thread([&] {
    std::size_t parity = 0;
    for (std::int64_t n = 0; n < drive.steps && !failure_; parity ^= 1U) {
      const std::int64_t left = drive.steps - n;
      const Way& way = left >= march_.steps ? way_ : way_of_rest_;
      const int passes = way.steps > 1 ? passes_of(left / way.steps, threads_) : 1;
      const int steps = passes * way.steps;
      Told& told = told_[parity];
      if (way.steps > 1)
        relay(way.relay, passes, drive, n, told);
      else
        sweep(way.phases, drive, n, told);
      each_part([&](int part) {
        listen(part, n, steps, told, samples);
        take_sums(part, told, drive, n, steps);
      });
#pragma omp master
      for (Baton& baton : told.batons) baton.waves.store(0, std::memory_order_relaxed);  // the next sweep but one's
      n += steps;
    }
  });
  if (failure_) std::rethrow_exception(failure_);
  step_ += drive.steps;
}

// Blocks of passes in order, in turns to the threads that there are: what one waits for has been taken up before it.
template <class T>
void Stepper<T>::relay(const Relay& relay, int passes, const Drive& drive, std::int64_t first, Told& told) {
  const int blocks = static_cast<int>(relay.blocks.size());
  const auto baton = [&](int pass, int block) -> std::atomic<int>& {
    return told.batons[static_cast<std::size_t>(pass * blocks + block)].waves;
  };
  const auto done = [&](int pass, int block) { return baton(pass, block).load(std::memory_order_acquire); };
  for (int item = omp_get_thread_num(); item < passes * blocks; item += omp_get_num_threads()) {
    const int pass = item / blocks, block = item % blocks;
    for (int wave = 0; wave < relay.waves; ++wave) {
      wait_until([&] { return relay.may_go(pass, block, wave, done); });
      relay.go(block, wave, [&](int step, int begin, int end, int layer_begin, int layer_end) {
        const int slot = pass * relay.steps + step;
        work(drive, {first + slot, slot, begin, end, layer_begin, layer_end, 0, room_.layout.size[0]}, told);
      });
      baton(pass, block).store(wave + 1, std::memory_order_release);
    }
  }
  gate_.pass(omp_get_num_threads());
}

template <class T>
void Stepper<T>::sweep(const std::vector<Phase>& phases, const Drive& drive, std::int64_t first, Told& told) {
  const int nx = room_.layout.size[0], width = march_.width > 0 ? march_.width : nx;
  const auto each_patch = [&](const Job& job, const auto& visit) {
    for (int x = 0; x < nx; x += width)
      for (int layer = job.layer_begin; layer < job.layer_end; layer += march_.layers)
        visit(Patch{first, 0, job.begin, job.end, layer, std::min(layer + march_.layers, job.layer_end), x,
                    std::min(x + width, nx)});
  };
  bool halos = false;  // under way
  for (const Phase& phase : phases) {
    each_part([&](int part) {
      const auto index = static_cast<std::size_t>(part);
      for (std::size_t j = phase.first[index]; j < phase.first[index + 1]; ++j) {
        each_patch(phase.jobs[j], [&](const Patch& patch) {
          work(drive, patch, told);
          if (halos && omp_get_thread_num() == 0) ranks_->move_halos();
        });
      }
    });
    gate_.pass(omp_get_num_threads());
    if (slab_.alone() || halos) continue;
    each_part([&](int part) {
      for (const std::size_t edge : {std::size_t{0}, std::size_t{2}}) wide_walls(wide_shares_[edge], part, first, told);
    });
    gate_.pass(omp_get_num_threads());
#pragma omp master
    send_edges(field(step_ + first + 1));
    halos = true;
  }
  if (room_.wide.count() > 0) {
    each_part([&](int part) { wide_walls(wide_shares_[1], part, first, told); });
    gate_.pass(omp_get_num_threads());
    each_part([&](int part) {
      T* const u0 = field(step_ + first + 1);
      each_tile(part, [&](std::size_t tile) {
        if (room_.heeded[tile] != 0) settle(tile, drive, first, 0, u0, told);
        room_.images.make(room_.layout.tiles[tile], u0);
      });
    });
    gate_.pass(omp_get_num_threads());
  }
  if (!halos) return;
#pragma omp master
  take_edges(field(step_ + first + 1));
  gate_.pass(omp_get_num_threads());
}

template <class T>
void Stepper<T>::work(const Drive& drive, const Patch& patch, Told& told) {
  const std::int64_t step = step_ + patch.step;
  const T* const u1 = field(step);
  T* const u0 = field(step + 1);
  const Layout& layout = room_.layout;
  const bool driven = drives(drive, patch.step), settled = room_.wide.count() == 0;
  const auto each_layer = [&](const auto& function) {
    for (int layer = patch.layer_begin; layer < patch.layer_end; ++layer)
      function(layout.first_tile(layer) + static_cast<std::size_t>(patch.columns_begin),
               layout.first_tile(layer) + static_cast<std::size_t>(patch.columns_end));
  };
  const auto each_heeded = [&](std::size_t begin, std::size_t end, const auto& function) {
    for (std::size_t tile = begin; tile < end; ++tile)
      if (room_.heeded[tile] != 0) function(tile);
  };
  if (driven && patch.begin == 0) {
    each_layer([&](std::size_t begin, std::size_t end) {
      each_heeded(begin, end, [&](std::size_t tile) { hold_sources(tile, u0); });
    });
  }
  const bool last = patch.end >= layout.size[0];  // of the rows' pieces
  if (last) each_layer([&](std::size_t begin, std::size_t end) { room_.fetch_places(begin, end); });
  leap_rows(patch, u1, u0);
  if (!last) return;
  const int parity = static_cast<int>(step & 1);
  each_layer([&](std::size_t begin, std::size_t end) { room_.boundary.fetch(begin, end, parity); });
  double* const lost = told.lost.data() + static_cast<std::size_t>(patch.slot) * layout.tiles.size();
  each_layer([&](std::size_t begin, std::size_t end) {
    room_.walls.correct(layout, begin, end, functions_, u1, u0);
    if (driven) each_heeded(begin, end, [&](std::size_t tile) { drive_sources(tile, drive, patch.step, u0); });
    room_.boundary.lose(begin, end, functions_, parity, u0, lost + begin);
    if (!settled) return;
    each_heeded(begin, end, [&](std::size_t tile) { settle(tile, drive, patch.step, patch.slot, u0, told); });
    if (!room_.images.any()) return;
    for (std::size_t tile = begin; tile < end; ++tile) room_.images.make(layout.tiles[tile], u0);
  });
}

// Rows one after another with the same runs of air in all planes go to the kernel together.
template <class T>
void Stepper<T>::leap_rows(const Patch& patch, const T* u1, T* u0) const {
  const Layout& layout = room_.layout;
  const int y_begin = layout.tile(patch.columns_begin, patch.layer_begin).y_begin;
  const int y_end = layout.tile(patch.columns_end - 1, patch.layer_begin).y_end;
  const int first = layout.tile(patch.columns_begin, patch.layer_begin).z_begin;
  if (room_.all_air) {
    const int last = layout.tile(patch.columns_begin, patch.layer_end - 1).z_end;
    const Run whole{0, layout.size[0]};
    leap(patch, y_begin, first, {&whole, 1}, y_end - y_begin, last - first, u1, u0);
    return;
  }
  for (int layer = patch.layer_begin; layer < patch.layer_end; ++layer) {
    const Tile& tile = layout.tile(patch.columns_begin, layer);
    for (int y = y_begin; y < y_end;) {
      const std::span<const Run> runs = room_.runs_of(y, tile.z_begin);
      const auto alike = [&](int row) {
        for (int z = tile.z_begin; z < tile.z_end; ++z)
          if (!std::ranges::equal(room_.runs_of(row, z), runs)) return false;
        return true;
      };
      int rows = 0;
      while (y + rows < y_end && alike(y + rows)) ++rows;
      if (rows > 0) {
        leap(patch, y, tile.z_begin, runs, rows, tile.z_end - tile.z_begin, u1, u0);
        y += rows;
        continue;
      }
      for (int z = tile.z_begin; z < tile.z_end; ++z) leap(patch, y, z, room_.runs_of(y, z), 1, 1, u1, u0);
      ++y;
    }
  }
}

template <class T>
void Stepper<T>::leap(const Patch& patch, int y, int z, std::span<const Run> runs, int rows, int planes, const T* u1,
                      T* u0) const {
  const std::ptrdiff_t row = room_.layout.offset(0, y, z);
  const auto leap = march_.uncut ? functions_.leap_uncut : functions_.leap;
  for (const Run& run : runs) {
    const int begin = std::max(run.begin, patch.begin), end = std::min(run.end, patch.end);
    if (begin < end) leap(room_.stencil.view(), u1 + row, u0 + row, begin, end, rows, planes);
  }
}

template <class T>
void Stepper<T>::hold_sources(std::size_t tile, const T* u0) {
  for (std::size_t i = room_.driven_begin[tile]; i < room_.driven_begin[tile + 1]; ++i)
    held_[i] = u0[room_.driven[i].offset];
}

template <class T>
void Stepper<T>::drive_sources(std::size_t tile, const Drive& drive, std::int64_t n, T* u0) const {
  for (std::size_t i = room_.driven_begin[tile]; i < room_.driven_begin[tile + 1]; ++i) {
    const Driven& node = room_.driven[i];
    u0[node.offset] += static_cast<T>(node.gain * force(drive, node.source, n));
  }
}

// Nothing will change u+ on the tile any more: the work of sources, what receivers hear.
template <class T>
void Stepper<T>::settle(std::size_t tile, const Drive& drive, std::int64_t n, int slot, const T* u0, Told& told) const {
  double* const injected = told.injected.data() + static_cast<std::size_t>(slot) * room_.driven.size();
  for (std::size_t i = room_.driven_begin[tile]; i < room_.driven_begin[tile + 1]; ++i) {
    const Driven& node = room_.driven[i];
    const double f = force(drive, node.source, n);
    const double moved = f == 0.0 ? 0.0 : static_cast<double>(u0[node.offset]) - static_cast<double>(held_[i]);
    injected[i] = node.weight * f * moved / 2.0;
  }
  T* const heard = told.heard.data() + static_cast<std::size_t>(slot) * room_.heard.size();
  for (std::size_t i = room_.heard_begin[tile]; i < room_.heard_begin[tile + 1]; ++i) heard[i] = u0[room_.heard[i]];
}

// Walls that read nodes of several tiles.
template <class T>
void Stepper<T>::wide_walls(const std::vector<std::size_t>& shares, int part, std::int64_t n, Told& told) {
  const auto index = static_cast<std::size_t>(part);
  for (std::size_t batch = shares[index]; batch < shares[index + 1]; ++batch) {
    told.wide_lost[batch] =
        room_.wide.lose_batch(batch, functions_, static_cast<int>((step_ + n) & 1), field(step_ + n + 1));
  }
}

// u^{n+1} at the receivers that fall to this thread.
template <class T>
void Stepper<T>::listen(int part, std::int64_t first, int steps, const Told& told, Samples& samples) const {
  for (auto r = static_cast<std::size_t>(part); r < room_.listeners.size(); r += static_cast<std::size_t>(threads_)) {
    const Listener& listener = room_.listeners[r];
    for (int step = 0; step < steps; ++step) {
      const T* const heard = told.heard.data() + static_cast<std::size_t>(step) * room_.heard.size();
      double p = 0.0;
      std::size_t i = 0;
      for (const std::size_t end : listener.layer_end) {
        double layer = 0.0;
        for (; i < end; ++i) layer += listener.weights[i] * static_cast<double>(heard[listener.places[i]]);
        p += layer;
      }
      samples.p[r * static_cast<std::size_t>(samples.steps) + static_cast<std::size_t>(first + step)] = p;
    }
  }
}

// Energies of the layers that fall to this thread: all tiles of one by one thread, in their order.
template <class T>
void Stepper<T>::take_sums(int part, const Told& told, const Drive& drive, std::int64_t first, int steps) {
  const Layout& layout = room_.layout;
  const auto index = static_cast<std::size_t>(part), parts = static_cast<std::size_t>(threads_);
  const std::size_t from = layers() * index / parts, to = layers() * (index + 1) / parts;
  const auto begin_of = [&](std::size_t layer) {
    return layout.first_tile(layout.own_begin() + static_cast<int>(layer));
  };
  const auto first_lossy = std::ranges::lower_bound(lossy_, begin_of(from));
  for (int step = 0; step < steps; ++step) {
    const double* const by_tile = told.lost.data() + static_cast<std::size_t>(step) * layout.tiles.size();
    const double* const by_node = told.injected.data() + static_cast<std::size_t>(step) * room_.driven.size();
    const bool driven = drives(drive, first + step);
    auto lossy = first_lossy;
    for (std::size_t layer = from; layer < to; ++layer) {
      const std::size_t begin = begin_of(layer), end = begin_of(layer + 1);
      double lost = 0.0, injected = 0.0;
      for (; lossy != lossy_.end() && *lossy < end; ++lossy) lost += by_tile[*lossy];
      for (std::size_t batch = room_.wide.before_tile(begin); batch < room_.wide.before_tile(end); ++batch)
        lost += told.wide_lost[batch];
      dissipated_[layer] += lost;
      if (!driven) continue;
      for (std::size_t i = room_.driven_begin[begin]; i < room_.driven_begin[end]; ++i) injected += by_node[i];
      injected_[layer] += injected;
    }
  }
}

template class Stepper<float>;
template class Stepper<double>;

}  // namespace fdtd::cpu
