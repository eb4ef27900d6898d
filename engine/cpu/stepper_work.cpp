// The work of a thread in the tiles of a step: rows, near-wall corrections, sources, boundary, receivers, image halo;
// and what tiles add to samples and energies.
#include <algorithm>

#include "engine/cpu/stepper.hpp"

namespace fdtd::cpu {
namespace {

double force(const Drive& drive, std::size_t source, std::int64_t n) {
  return drive.f[source * static_cast<std::size_t>(drive.steps) + static_cast<std::size_t>(n)];
}

bool drives(const Drive& drive, std::int64_t n) {
  const std::size_t sources = drive.steps > 0 ? drive.f.size() / static_cast<std::size_t>(drive.steps) : 0;
  for (std::size_t s = 0; s < sources; ++s)
    if (force(drive, s, n) != 0.0) return true;
  return false;
}

}  // namespace

template <class T>
void Stepper<T>::work(const Drive& drive, const Patch& patch, SweepSums& sums) {
  const std::int64_t step = step_ + patch.step;
  const T* const u1 = field(step);
  T* const u0 = field(step + 1);
  const Layout& layout = cpu_plan_.layout;
  const bool driven = drives(drive, patch.step), finishes = !cpu_plan_.reads_several_tiles();
  const auto each_layer = [&](const auto& function) {
    for (int layer = patch.layer_begin; layer < patch.layer_end; ++layer)
      function(layout.first_tile(layer) + static_cast<std::size_t>(patch.columns_begin),
               layout.first_tile(layer) + static_cast<std::size_t>(patch.columns_end));
  };
  const auto each_with_transducers = [&](std::size_t begin, std::size_t end, const auto& function) {
    for (std::size_t tile = begin; tile < end; ++tile)
      if (cpu_plan_.has_transducers[tile] != 0) function(tile);
  };
  if (driven && patch.begin == 0) {
    each_layer([&](std::size_t begin, std::size_t end) {
      each_with_transducers(begin, end, [&](std::size_t tile) { keep_driven_nodes(tile, u0); });
    });
  }
  const bool last = patch.end >= layout.size[0];  // piece of the rows
  if (last) each_layer([&](std::size_t begin, std::size_t end) { cpu_plan_.prefetch_index(begin, end); });
  leap_rows(patch, u1, u0);
  if (!last) return;
  const int parity = static_cast<int>(step & 1);
  each_layer([&](std::size_t begin, std::size_t end) { cpu_plan_.boundary.prefetch(begin, end, parity); });
  double* const dissipated = sums.dissipated.data() + static_cast<std::size_t>(patch.slot) * layout.tiles.size();
  each_layer([&](std::size_t begin, std::size_t end) {
    const std::span<const SolidPiece> solid = cpu_plan_.air.solid(begin, end);
    functions_.clear(solid.data(), solid.data() + solid.size(), u0);
    cpu_plan_.walls.correct(layout, begin, end, functions_, u1, u0);
    if (driven)
      each_with_transducers(begin, end, [&](std::size_t tile) { drive_sources(tile, drive, patch.step, u0); });
    cpu_plan_.boundary.update(begin, end, functions_, parity, u0, dissipated + begin);
    for (std::size_t tile = begin; cpu_plan_.edges.count() > 0 && tile < end; ++tile) {
      if (cpu_plan_.edges.in_tile(tile) == 0) continue;
      const double lost = cpu_plan_.boundary.in_tile(tile) > 0 ? dissipated[tile] : 0.0;
      dissipated[tile] = cpu_plan_.edges.update_tile(tile, functions_, parity, u0, lost);
    }
    hand_out(of_boundary, cpu_plan_.boundary, cpu_plan_.boundary.before_tile(begin),
             cpu_plan_.boundary.before_tile(end), patch.step);
    hand_out(of_edges, cpu_plan_.edges, begin, end, patch.step);
    if (!finishes) return;
    each_with_transducers(begin, end,
                          [&](std::size_t tile) { finish_tile(tile, drive, patch.step, patch.slot, u0, sums); });
    if (!cpu_plan_.image_halo.any()) return;
    for (std::size_t tile = begin; tile < end; ++tile) cpu_plan_.image_halo.make(layout.tiles[tile], u0);
  });
}

template <class T>
void Stepper<T>::leap_rows(const Patch& patch, const T* u1, T* u0) const {
  const Layout& layout = cpu_plan_.layout;
  const auto leap = tile_order_.whole_rows ? functions_.leap_whole_rows : functions_.leap;
  const auto leap_box = [&](const AirBox& box) {
    const int begin = std::max(box.x_begin, patch.begin), end = std::min(box.x_end, patch.end);
    const std::ptrdiff_t row = layout.offset(0, box.y, box.z);
    if (begin < end) leap(cpu_plan_.stencil.view(), u1 + row, u0 + row, begin, end, box.rows, box.planes);
  };
  cpu_plan_.air.each(layout, patch.columns_begin, patch.columns_end, patch.layer_begin, patch.layer_end, leap_box);
}

template <class T>
void Stepper<T>::keep_driven_nodes(std::size_t tile, const T* u0) {
  for (std::size_t i = cpu_plan_.driven_begin[tile]; i < cpu_plan_.driven_begin[tile + 1]; ++i)
    driven_before_[i] = u0[cpu_plan_.driven[i].offset];
}

template <class T>
void Stepper<T>::drive_sources(std::size_t tile, const Drive& drive, std::int64_t n, T* u0) const {
  for (std::size_t i = cpu_plan_.driven_begin[tile]; i < cpu_plan_.driven_begin[tile + 1]; ++i) {
    const DrivenNode& node = cpu_plan_.driven[i];
    u0[node.offset] += static_cast<T>(node.gain * force(drive, node.source, n));
  }
}

// u+ on the tile is final: records the energy that sources inject and the values at receivers.
template <class T>
void Stepper<T>::finish_tile(std::size_t tile, const Drive& drive, std::int64_t n, int slot, const T* u0,
                             SweepSums& sums) {
  double* const injected = sums.injected.data() + static_cast<std::size_t>(slot) * cpu_plan_.driven.size();
  for (std::size_t i = cpu_plan_.driven_begin[tile]; i < cpu_plan_.driven_begin[tile + 1]; ++i) {
    const DrivenNode& node = cpu_plan_.driven[i];
    const double f = force(drive, node.source, n);
    const double moved = f == 0.0 ? 0.0 : static_cast<double>(u0[node.offset]) - static_cast<double>(driven_before_[i]);
    injected[i] = node.weight * f * moved / 2.0;
  }
  T* const received = received_at(n);
  for (std::size_t i = cpu_plan_.receiver_begin[tile]; i < cpu_plan_.receiver_begin[tile + 1]; ++i)
    received[i] = u0[cpu_plan_.receiver_nodes[i]];
}

// Walls that read nodes of several tiles.
template <class T>
void Stepper<T>::wide_walls(std::size_t where, int part, std::int64_t n, SweepSums& sums) {
  const auto index = static_cast<std::size_t>(part);
  const int parity = static_cast<int>((step_ + n) & 1);
  T* const u0 = field(step_ + n + 1);
  const std::vector<std::size_t>&batches = wide_ranges_[where], &groups = wide_edges_ranges_[where];
  for (std::size_t batch = batches[index]; batch < batches[index + 1]; ++batch)
    sums.wide_dissipated[batch] = cpu_plan_.wide.update_batch(batch, functions_, parity, u0);
  for (std::size_t group = groups[index]; group < groups[index + 1]; ++group)
    sums.wide_edges_dissipated[group] = cpu_plan_.wide_edges.update(group, functions_, parity, u0);
  hand_out(of_wide, cpu_plan_.wide, batches[index], batches[index + 1], n);
  hand_out(of_wide_edges, cpu_plan_.wide_edges, groups[index], groups[index + 1], n);
}

template <class T>
T* Stepper<T>::received_at(std::int64_t n) {
  return received_.values[static_cast<std::size_t>(n / received_.steps & 1)].data() +
         static_cast<std::size_t>(n % received_.steps) * cpu_plan_.receiver_nodes.size();
}

// Samples u^{n+1} of the steps [first, end) at the receivers of this thread.
template <class T>
void Stepper<T>::sample_receivers(int part, std::int64_t first, std::int64_t end, Samples& samples) {
  const std::size_t count = cpu_plan_.receivers.size(), parts = static_cast<std::size_t>(threads_),
                    index = static_cast<std::size_t>(part);
  for (std::size_t r = count * index / parts; r < count * (index + 1) / parts; ++r) {
    const ReceiverWeights& receiver = cpu_plan_.receivers[r];
    double* const p = samples.p.data() + receiver.receiver * static_cast<std::size_t>(samples.steps);
    if (receiver.single) {
      for (std::int64_t n = first; n < end; ++n)
        p[n] = 0.0 + receiver.weight * static_cast<double>(received_at(n)[receiver.place]);  // no -0, as sums have none
      continue;
    }
    for (std::int64_t n = first; n < end; ++n) {
      const T* const received = received_at(n);
      double sum = 0.0;
      std::size_t i = 0;
      for (const std::size_t layer_end : receiver.layer_end) {
        double layer = 0.0;
        for (; i < layer_end; ++i) layer += receiver.weights[i] * static_cast<double>(received[receiver.places[i]]);
        sum += layer;
      }
      p[n] = sum;
    }
  }
}

// Adds up the energies of this thread's layers: one thread adds all tiles of a layer, in their order.
template <class T>
void Stepper<T>::add_up_energies(int part, const SweepSums& sums, const Drive& drive, std::int64_t first, int steps) {
  const Layout& layout = cpu_plan_.layout;
  const auto index = static_cast<std::size_t>(part), parts = static_cast<std::size_t>(threads_);
  const std::size_t from = layers() * index / parts, to = layers() * (index + 1) / parts;
  const auto begin_of = [&](std::size_t layer) {
    return layout.first_tile(layout.own_begin() + static_cast<int>(layer));
  };
  const auto first_lossy = std::ranges::lower_bound(lossy_, begin_of(from));
  for (int step = 0; step < steps; ++step) {
    const double* const by_tile = sums.dissipated.data() + static_cast<std::size_t>(step) * layout.tiles.size();
    const double* const by_node = sums.injected.data() + static_cast<std::size_t>(step) * cpu_plan_.driven.size();
    const bool driven = drives(drive, first + step);
    auto lossy = first_lossy;
    for (std::size_t layer = from; layer < to; ++layer) {
      const std::size_t begin = begin_of(layer), end = begin_of(layer + 1);
      double dissipated = 0.0, injected = 0.0;
      for (; lossy != lossy_.end() && *lossy < end; ++lossy) dissipated += by_tile[*lossy];
      for (std::size_t batch = cpu_plan_.wide.before_tile(begin); batch < cpu_plan_.wide.before_tile(end); ++batch)
        dissipated += sums.wide_dissipated[batch];
      for (std::size_t g = cpu_plan_.wide_edges.before_tile(begin); g < cpu_plan_.wide_edges.before_tile(end); ++g)
        dissipated += sums.wide_edges_dissipated[g];
      dissipated_[layer] += dissipated;
      if (!driven) continue;
      for (std::size_t i = cpu_plan_.driven_begin[begin]; i < cpu_plan_.driven_begin[end]; ++i) injected += by_node[i];
      injected_[layer] += injected;
    }
  }
}

template class Stepper<float>;
template class Stepper<double>;

}  // namespace fdtd::cpu
