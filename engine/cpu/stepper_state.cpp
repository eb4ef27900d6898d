// The part of the stepper that does not step: states, energies, extremes.
#include <algorithm>
#include <cmath>
#include <cstring>

#include "base/error.hpp"
#include "engine/backend/state_planes.hpp"
#include "engine/cpu/stepper.hpp"

namespace fdtd::cpu {
namespace {

// Calls function(place in the planes' bytes, offset in the array, bytes) for every row of these planes.
template <class Function>
void each_row(const Layout& layout, int begin, int count, std::size_t value, const Function& function) {
  const auto [nx, ny, nz] = layout.size;
  const std::size_t bytes = static_cast<std::size_t>(nx) * value;
  std::size_t row = 0;
  for (int z = begin; z < begin + count; ++z)
    for (int y = 0; y < ny; ++y, ++row) function(row * bytes, layout.offset(0, y, z), bytes);
}

}  // namespace

// Every thread writes zeros where it will compute, halos included: first touch places the memory.
template <class T>
void Stepper<T>::reset() {
  const Layout& layout = cpu_plan_.layout;
  each_thread([&] {
    each_part([&](int part) {
      each_tile(part, [&](std::size_t index) {
        const Tile& tile = layout.tiles[index];
        cpu_plan_.boundary.reset(index);
        cpu_plan_.wide.reset(index);
        cpu_plan_.edges.reset(index);
        cpu_plan_.wide_edges.reset(index);
        for (const auto& field : fields_) {
          T* const values = static_cast<T*>(field.get());
          for (int z = tile.z_begin; z < tile.z_end; ++z)
            std::fill(values + layout.start_of(tile.y_begin, z), values + layout.start_of(tile.y_end, z), T{});
        }
      });
    });
  });
  step_ = 0;
  injected_.assign(layers(), 0.0);
  dissipated_.assign(layers(), 0.0);
}

template <class T>
void Stepper<T>::save(State& state) const {
  state = this->state();
  for (const StatePart part : field_parts)
    state.array(part) = state.values(part, 0, static_cast<std::uint64_t>(plan_.grid.nodes()));
  save_branches(state);
  state.read = nullptr;
}

template <class T>
void Stepper<T>::save_branches(State& state) const {
  cpu_plan_.boundary.save(state.branches);
  cpu_plan_.wide.save(state.branches);
  cpu_plan_.edges.save(state.branches);
  cpu_plan_.wide_edges.save(state.branches);
}

template <class T>
State Stepper<T>::state() const {
  State state;
  state.precision = plan_.precision;
  state.step = step_;
  state.injected = injected_;
  state.dissipated = dissipated_;
  state.read = [this](StatePart part, std::uint64_t first, std::uint64_t count) {
    if (part == StatePart::u_now || part == StatePart::u_before) {
      const T* const field = part == StatePart::u_now ? now() : before();
      return nodes_by_planes(first, count, in_plane(), sizeof(T),
                             [&](int begin, int planes, std::byte* to) { save_planes(field, begin, planes, to); });
    }
    State walls;
    walls.precision = plan_.precision;
    save_branches(walls);
    return walls.values(part, first, count);
  };
  return state;
}

template <class T>
void Stepper<T>::restore(const State& state) {
  if (state.precision != plan_.precision) throw Error(Status::file, "the state has another precision than the plan");
  reset();
  if (state.silent()) return;
  step_ = state.step;
  restore_field(state, StatePart::u_now, now());
  restore_field(state, StatePart::u_before, before());
  if (!slab_.alone()) {
    ranks_->wait_for_all();  // ranks finish reading their files at different times
    for (T* const field : {now(), before()}) {
      send_edges(field);
      ranks_->end_halos();
      make_neighbours_images(field);
    }
  }
  if (cpu_plan_.image_halo.any()) {
    each_thread([&] {
      each_part([&](int part) {
        each_tile(part, [&](std::size_t tile) {
          for (T* const field : {now(), before()}) cpu_plan_.image_halo.make(cpu_plan_.layout.tiles[tile], field);
        });
      });
    });
  }
  const std::uint64_t branches = plan_.boundary.branch_begin.back();
  BranchValues<std::vector<std::byte>> read;
  for (const StatePart part : branch_parts) {
    state.require(part, branches);
    value_at(read, branch_value(part)) = state.values(part, 0, branches);
  }
  cpu_plan_.boundary.restore(read);
  cpu_plan_.wide.restore(read);
  cpu_plan_.edges.restore(read);
  cpu_plan_.wide_edges.restore(read);
  const FlushDenormals flush;  // as in the steps that computed it before
  for (BoundaryBatches<T>* const walls : {&cpu_plan_.boundary, &cpu_plan_.wide}) {
    walls->read(before(), static_cast<int>(step_ & 1));
    walls->read(now(), static_cast<int>((step_ + 1) & 1));
  }
  for (const CoupledGroups<T>* const groups : {&cpu_plan_.edges, &cpu_plan_.wide_edges}) {
    groups->read(functions_, before(), static_cast<int>(step_ & 1));
    groups->read(functions_, now(), static_cast<int>((step_ + 1) & 1));
  }
  for (std::size_t i = 0; i < state.injected.size(); ++i) {  // a flattened plan (axis_order.hpp) has one layer
    const std::size_t layer = std::min(i, layers() - 1);
    injected_[layer] += state.injected[i];
    dissipated_[layer] += state.dissipated[i];
  }
}

template <class T>
std::uint64_t Stepper<T>::in_plane() const {
  return static_cast<std::uint64_t>(cpu_plan_.layout.size[0]) * static_cast<std::uint64_t>(cpu_plan_.layout.size[1]);
}

template <class T>
void Stepper<T>::save_planes(const T* field, int begin, int count, std::byte* to) const {
  each_row(cpu_plan_.layout, begin, count, sizeof(T), [&](std::size_t at, std::ptrdiff_t offset, std::size_t size) {
    std::memcpy(to + at, field + offset, size);
  });
}

template <class T>
void Stepper<T>::restore_field(const State& state, StatePart part, T* field) {
  each_block_of_planes(state, part, cpu_plan_.layout.size[2], in_plane(), sizeof(T),
                       [&](int begin, int count, const std::vector<std::byte>& bytes) {
                         each_row(cpu_plan_.layout, begin, count, sizeof(T),
                                  [&](std::size_t at, std::ptrdiff_t offset, std::size_t size) {
                                    std::memcpy(field + offset, bytes.data() + at, size);
                                  });
                       });
}

template <class T>
std::vector<Energy> Stepper<T>::energies() const {
  std::vector<double> stored(cpu_plan_.layout.tiles.size(), 0.0);
  each_thread([&] {
    std::vector<double> out(static_cast<std::size_t>(cpu_plan_.layout.tile_length()));
    each_part(
        [&](int part) { each_tile(part, [&](std::size_t tile) { stored[tile] = tile_energy(tile, out.data()); }); });
  });
  std::vector<Energy> energies(layers());
  for (std::size_t layer = 0; layer < energies.size(); ++layer) {
    const std::size_t begin = cpu_plan_.layout.first_tile(cpu_plan_.layout.own_begin() + static_cast<int>(layer));
    for (int column = 0; column < cpu_plan_.layout.columns; ++column)
      energies[layer].stored += stored[begin + static_cast<std::size_t>(column)];
    energies[layer].injected = injected_[layer];
    energies[layer].dissipated = dissipated_[layer];
  }
  return energies;
}

// The tile's part of 1/2 |d|^2_M + 1/2 <u+, (2 - S) u>_M, d = u+ - u, plus the energy stored in its branches.
template <class T>
double Stepper<T>::tile_energy(std::size_t index, double* out) const {
  const Layout& layout = cpu_plan_.layout;
  const Tile& tile = layout.tiles[index];
  const T* const after = now();
  const T* const u = before();
  const auto each_tile_row = [&](const auto& function) {
    for (int z = tile.z_begin; z < tile.z_end; ++z)
      for (int y = tile.y_begin; y < tile.y_end; ++y) function(layout.offset(0, y, z));
  };
  const std::ptrdiff_t first = layout.first_of(tile);
  functions_.apply(cpu_plan_.stencil.view(), u + first, out + layout.within(tile, first), layout.row * max_tile_edge,
                   layout.size[0], tile.y_end - tile.y_begin, tile.z_end - tile.z_begin);
  cpu_plan_.walls.add(layout, index, u, out);
  const auto term = [](T u_after, T u_now, double sum) {  // wall voxels hold zeros
    const double d = static_cast<double>(u_after) - static_cast<double>(u_now);
    return d * d + static_cast<double>(u_after) * (2.0 * static_cast<double>(u_now) - sum);
  };
  double sums[energy_lanes] = {};
  each_tile_row([&](std::ptrdiff_t row) {
    prefetch_lines(after + row + layout.row, after + row + layout.row + layout.size[0]);
    functions_.energy(after + row, u + row, out + layout.within(tile, row), layout.size[0], sums);
  });
  double sum = 0.0;
  for (const double part : sums) sum += part;
  for (std::size_t i = cpu_plan_.mass_begin[index]; i < cpu_plan_.mass_begin[index + 1]; ++i) {
    const std::ptrdiff_t at = cpu_plan_.mass_nodes[i].offset;
    sum += cpu_plan_.mass_nodes[i].excess * term(after[at], u[at], out[layout.within(tile, at)]);
  }
  return 0.5 * sum + cpu_plan_.boundary.stored(index) + cpu_plan_.wide.stored(index) + cpu_plan_.edges.stored(index) +
         cpu_plan_.wide_edges.stored(index);
}

template <class T>
Extreme Stepper<T>::extreme() const {
  Extreme most;
  const auto [nx, ny, nz] = cpu_plan_.layout.size;
  std::uint64_t node =
      static_cast<std::uint64_t>(nx) * static_cast<std::uint64_t>(ny) * static_cast<std::uint64_t>(slab_.ghosts_below);
  for (int z = slab_.ghosts_below; z < nz - slab_.ghosts_above; ++z) {
    for (int y = 0; y < ny; ++y) {
      const T* const u = now() + cpu_plan_.layout.offset(0, y, z);
      for (int x = 0; x < nx; ++x, ++node) {
        const auto value = static_cast<double>(u[x]);
        if (!std::isfinite(value)) return {node, value};
        if (std::abs(value) > most.value) most = {node, std::abs(value)};
      }
    }
  }
  return most;
}

template <class T>
void Stepper<T>::plane(int axis, int index, std::span<float> values) const {
  std::array<int, 3> begin{}, end = cpu_plan_.layout.size;
  begin[static_cast<std::size_t>(axis)] = index;
  end[static_cast<std::size_t>(axis)] = index + 1;
  auto out = values.begin();
  for (int z = begin[2]; z < end[2]; ++z)
    for (int y = begin[1]; y < end[1]; ++y) {
      const T* const u = now() + cpu_plan_.layout.offset(0, y, z);
      for (int x = begin[0]; x < end[0]; ++x) *out++ = static_cast<float>(u[x]);
    }
}

template class Stepper<float>;
template class Stepper<double>;

}  // namespace fdtd::cpu
