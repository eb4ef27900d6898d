// The CPU backend: threads, steps and bookkeeping around the kernels.
//
// A step goes tile by tile: rows, wall corrections, sources, boundary, while the tile is in cache. Every thread has a
// contiguous share of the tiles and goes through it column by column (all z of one block of rows), so that the planes
// that a tile needs stay in its cache. One barrier a step: receivers and sums of step n are taken while step n + 1 runs,
// which writes only the array that they do not read. Walls that read nodes of several tiles are worked after one barrier
// more.
#include "engine/backend.hpp"

#include <fmt/format.h>
#include <omp.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstring>

#include "engine/cpu/denormals.hpp"
#include "engine/cpu/room.hpp"
#include "engine/error.hpp"

namespace fdtd {
namespace cpu {
namespace {

template <class T>
RowFunctions<T> functions_of(const Kernel& kernel, const RowStencil<T>& stencil) {
  if constexpr (sizeof(T) == sizeof(float)) {
    return kernel.f32(stencil);
  } else {
    return kernel.f64(stencil);
  }
}

double median(std::vector<double> values) {
  const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
  std::nth_element(values.begin(), middle, values.end());
  return *middle;
}

template <class T>
class Rows final : public Backend {
 public:
  Rows(const Plan& plan, const Kernel& kernel, int threads)
      : plan_(plan),
        kernel_(kernel),
        threads_(threads),
        room_(plan),
        functions_(functions_of<T>(kernel, room_.stencil.view())) {
    const auto bytes = static_cast<std::size_t>(room_.layout.length) * sizeof(T);
    for (auto& field : fields_) field = take_memory(bytes);
    for (auto& lost : lost_) lost.assign(room_.layout.tiles.size(), 0.0);
    for (auto& injected : injected_now_) injected.assign(room_.driven.size(), 0.0);
    held_.assign(room_.driven.size(), T{});
    wide_shares_ = room_.wide.shares(threads);
    for (auto& lost : wide_lost_) lost.assign(room_.wide.count(), 0.0);
    silence();
  }

  void load(const Plan&, const Slab&) override {}  // the owner makes a new one

  void advance(const Drive& drive, Samples& samples) override {
    const std::int64_t steps = drive.steps;
    samples.steps = steps;
    samples.p.assign(plan_.receivers.size() * static_cast<std::size_t>(steps), 0.0);
    each_thread([&] {
      for (std::int64_t n = 0; n < steps; ++n) {
        const bool driven = heard(drive, n), wide = room_.wide.count() > 0;
        each_part([&](int part) { one_step(part, drive, n, driven, !wide); });
#pragma omp barrier
        if (wide) {
          each_part([&](int part) { wide_walls(part, n); });
#pragma omp barrier
          if (driven) {
            each_part([&](int part) { weigh_share(part, drive, n); });
#pragma omp barrier
          }
        }
        each_part([&](int part) { listen(part, n, samples); });
#pragma omp master
        take_sums(n, driven);
      }
    });
    step_ += steps;
  }

  void save(State& state) const override {
    state.precision = plan_.precision;
    state.step = step_;
    state.injected = injected_;
    state.dissipated = dissipated_;
    save_field(now(), state.u_now);
    save_field(before(), state.u_before);
    room_.boundary.save(state.velocity, state.displacement);
    room_.wide.save(state.velocity, state.displacement);
  }

  void restore(const State& state) override {
    if (state.precision != plan_.precision) throw Error(Status::file, "the state has another precision than the plan");
    silence();
    if (state.u_now.empty() && state.u_before.empty()) return;
    step_ = state.step;
    restore_field(state.u_now, now());
    restore_field(state.u_before, before());
    room_.boundary.restore(state.velocity, state.displacement);
    room_.wide.restore(state.velocity, state.displacement);
    for (Batches<T>* const walls : {&room_.boundary, &room_.wide}) {
      walls->read(before(), static_cast<int>(step_ & 1));
      walls->read(now(), static_cast<int>((step_ + 1) & 1));
    }
    injected_ = state.injected;
    dissipated_ = state.dissipated;
  }

  Energy energy() const override {
    std::vector<double> stored(room_.layout.tiles.size(), 0.0);
    each_thread([&] {
      std::vector<double> out(static_cast<std::size_t>(room_.layout.tile_length()));
      each_part([&](int part) {
        const Share share = share_of(stored.size(), part, threads_);
        for (std::size_t tile = share.first; tile < share.last; ++tile) stored[tile] = tile_energy(tile, out.data());
      });
    });
    double sum = 0.0;
    for (const double part : stored) sum += part;
    return {sum, injected_, dissipated_};
  }

  Extreme extreme() const override {
    Extreme most;
    std::uint64_t node = 0;
    const auto [nx, ny, nz] = room_.layout.size;
    for (int z = 0; z < nz; ++z) {
      for (int y = 0; y < ny; ++y) {
        const T* const u = now() + room_.layout.offset(0, y, z);
        for (int x = 0; x < nx; ++x, ++node) {
          const auto value = static_cast<double>(u[x]);
          if (!std::isfinite(value)) return {node, value};
          if (std::abs(value) > most.value) most = {node, std::abs(value)};
        }
      }
    }
    return most;
  }

  // Steps and triads take turns, so that both see the same machine.
  Timing profile(int repeats) override {
    silence();
    Drive drive;
    Samples samples;
    const auto rest = [&](std::int64_t steps) {
      drive.steps = steps;
      drive.f.assign(plan_.sources.size() * static_cast<std::size_t>(steps), 0.0);
    };
    const auto seconds = [](const auto& work) {
      const auto start = std::chrono::steady_clock::now();
      work();
      return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
    };
    rest(1);
    advance(drive, samples);
    const double first = seconds([&] { advance(drive, samples); });
    const auto steps = static_cast<std::int64_t>(std::clamp(0.02 / std::max(first, 1e-7), 1.0, 1000.0));
    rest(steps);
    std::vector<double> stepping, triads;
    for (int i = 0; i < std::max(repeats, 1); ++i) {
      stepping.push_back(seconds([&] { advance(drive, samples); }) / static_cast<double>(steps));
      triads.push_back(seconds([&] { triad(steps); }) / static_cast<double>(steps));
    }
    Timing timing;
    const auto nodes = static_cast<double>(plan_.grid.nodes());
    timing.seconds_per_step = median(stepping);
    timing.ctpn_ns = timing.seconds_per_step / nodes * 1e9;
    timing.triad_ctpn_ns = median(triads) / nodes * 1e9;
    timing.declared_bytes = 3.0 * sizeof(T);
    return timing;
  }

  std::int64_t step() const override { return step_; }

  std::string describe() const override {
    return fmt::format("cpu, {} thread{}, {}, kernel {}", threads_, threads_ == 1 ? "" : "s", kernel_.instruction_set,
                       kernel_.name);
  }

 private:
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

  T* field(std::int64_t step) const { return static_cast<T*>(fields_[static_cast<std::size_t>(step & 1)].get()); }
  T* now() const { return field(step_); }
  T* before() const { return field(step_ + 1); }

  bool heard(const Drive& drive, std::int64_t n) const {
    for (std::size_t s = 0; s < plan_.sources.size(); ++s)
      if (drive.f[s * static_cast<std::size_t>(drive.steps) + static_cast<std::size_t>(n)] != 0.0) return true;
    return false;
  }

  // `weigh`: nothing will change u+ after the tiles, so that the sources' work can be taken at once.
  void one_step(int part, const Drive& drive, std::int64_t n, bool driven, bool weigh) {
    const T* const u1 = field(step_ + n);
    T* const u0 = field(step_ + n + 1);
    const auto parity = static_cast<std::size_t>(n & 1);
    const int walls = static_cast<int>((step_ + n) & 1);
    const std::size_t columns = room_.layout.columns;
    const Share share = share_of(room_.layout.tiles.size(), part, threads_);
    for (std::size_t column = 0; column < columns; ++column) {
      std::size_t tile = share.first + (column + columns - share.first % columns) % columns;
      for (; tile < share.last; tile += columns) {
        if (driven) hold_sources(tile, u0);
        leap_rows(room_.layout.tiles[tile], u1, u0);
        functions_.correct(room_.walls.tables(), room_.walls.begin(tile), room_.walls.count(tile), u1, u0);
        if (driven) drive_sources(tile, drive, n, u0);
        lost_[parity][tile] = room_.boundary.lose(tile, functions_, walls, u0);
        if (driven && weigh) weigh_sources(tile, drive, n, u0);
      }
    }
  }

  // Walls that read nodes of several tiles.
  void wide_walls(int part, std::int64_t n) {
    const auto index = static_cast<std::size_t>(part);
    for (std::size_t batch = wide_shares_[index]; batch < wide_shares_[index + 1]; ++batch) {
      wide_lost_[static_cast<std::size_t>(n & 1)][batch] =
          room_.wide.lose_batch(batch, functions_, static_cast<int>((step_ + n) & 1), field(step_ + n + 1));
    }
  }

  void weigh_share(int part, const Drive& drive, std::int64_t n) {
    const Share share = share_of(room_.layout.tiles.size(), part, threads_);
    for (std::size_t tile = share.first; tile < share.last; ++tile) weigh_sources(tile, drive, n, field(step_ + n + 1));
  }

  // Rows one after another with the same runs of air in all planes of the tile go to the kernel together.
  void leap_rows(const Tile& tile, const T* u1, T* u0) const {
    const auto same = [&](int y, int z, std::span<const Run> runs) {
      return std::ranges::equal(room_.runs_of(y, z), runs);
    };
    for (int y = tile.y_begin; y < tile.y_end;) {
      const std::span<const Run> runs = room_.runs_of(y, tile.z_begin);
      const auto alike = [&](int row) {
        for (int z = tile.z_begin; z < tile.z_end; ++z)
          if (!same(row, z, runs)) return false;
        return true;
      };
      int rows = 0;
      while (y + rows < tile.y_end && alike(y + rows)) ++rows;
      if (rows > 0) {
        leap(y, tile.z_begin, runs, rows, tile.z_end - tile.z_begin, u1, u0);
        y += rows;
        continue;
      }
      for (int z = tile.z_begin; z < tile.z_end; ++z) leap(y, z, room_.runs_of(y, z), 1, 1, u1, u0);
      ++y;
    }
  }
  void leap(int y, int z, std::span<const Run> runs, int rows, int planes, const T* u1, T* u0) const {
    const std::ptrdiff_t row = room_.layout.offset(0, y, z);
    for (const Run& run : runs)
      functions_.leap(room_.stencil.view(), u1 + row, u0 + row, run.begin, run.end, rows, planes);
  }

  static double force(const Drive& drive, const Driven& node, std::int64_t n) {
    return drive.f[node.source * static_cast<std::size_t>(drive.steps) + static_cast<std::size_t>(n)];
  }
  void hold_sources(std::size_t tile, const T* u0) {
    for (std::size_t i = room_.driven_begin[tile]; i < room_.driven_begin[tile + 1]; ++i)
      held_[i] = u0[room_.driven[i].offset];
  }
  void drive_sources(std::size_t tile, const Drive& drive, std::int64_t n, T* u0) const {
    for (std::size_t i = room_.driven_begin[tile]; i < room_.driven_begin[tile + 1]; ++i) {
      const Driven& node = room_.driven[i];
      u0[node.offset] += static_cast<T>(node.gain * force(drive, node, n));
    }
  }
  void weigh_sources(std::size_t tile, const Drive& drive, std::int64_t n, const T* u0) {
    for (std::size_t i = room_.driven_begin[tile]; i < room_.driven_begin[tile + 1]; ++i) {
      const Driven& node = room_.driven[i];
      const double moved = static_cast<double>(u0[node.offset]) - static_cast<double>(held_[i]);
      injected_now_[static_cast<std::size_t>(n & 1)][i] = node.weight * force(drive, node, n) * moved / 2.0;
    }
  }

  // u^{n+1} at the receivers that fall to this thread.
  void listen(int part, std::int64_t n, Samples& samples) const {
    const T* const u = field(step_ + n + 1);
    for (auto r = static_cast<std::size_t>(part); r < room_.listeners.size(); r += static_cast<std::size_t>(threads_)) {
      const Listener& listener = room_.listeners[r];
      double p = 0.0;
      for (std::size_t i = 0; i < listener.offsets.size(); ++i)
        p += listener.weights[i] * static_cast<double>(u[listener.offsets[i]]);
      samples.p[r * static_cast<std::size_t>(samples.steps) + static_cast<std::size_t>(n)] = p;
    }
  }

  void take_sums(std::int64_t n, bool driven) {
    const auto parity = static_cast<std::size_t>(n & 1);
    double lost = 0.0;
    for (const double part : lost_[parity]) lost += part;
    for (const double part : wide_lost_[parity]) lost += part;
    dissipated_ += lost;
    if (!driven) return;
    double injected = 0.0;
    for (const double part : injected_now_[parity]) injected += part;
    injected_ += injected;
  }

  // The tile's part of 1/2 |d|^2_M + 1/2 <u+, (2 - S) u>_M, d = u+ - u, and of the branches' energy.
  double tile_energy(std::size_t index, double* out) const {
    const Layout& layout = room_.layout;
    const Tile& tile = layout.tiles[index];
    const T* const after = now();
    const T* const u = before();
    const auto each_tile_row = [&](const auto& function) {
      for (int z = tile.z_begin; z < tile.z_end; ++z)
        for (int y = tile.y_begin; y < tile.y_end; ++y) function(layout.offset(0, y, z));
    };
    each_tile_row([&](std::ptrdiff_t row) {
      functions_.apply(room_.stencil.view(), u + row, out + layout.within(tile, row), 0, layout.size[0]);
    });
    room_.walls.add(layout, index, u, out);
    const auto term = [](T u_after, T u_now, double sum) {  // wall voxels hold zeros and add nothing
      const double d = static_cast<double>(u_after) - static_cast<double>(u_now);
      return d * d + static_cast<double>(u_after) * (2.0 * static_cast<double>(u_now) - sum);
    };
    constexpr int lanes = 8;
    double sums[lanes] = {};
    each_tile_row([&](std::ptrdiff_t row) {
      const double* const S_u = out + layout.within(tile, row);
      int x = 0;
      for (; x + lanes <= layout.size[0]; x += lanes)
        for (int lane = 0; lane < lanes; ++lane)
          sums[lane] += term(after[row + x + lane], u[row + x + lane], S_u[x + lane]);
      for (; x < layout.size[0]; ++x) sums[0] += term(after[row + x], u[row + x], S_u[x]);
    });
    double sum = 0.0;
    for (const double part : sums) sum += part;
    for (std::size_t i = room_.heavy_begin[index]; i < room_.heavy_begin[index + 1]; ++i) {
      const std::ptrdiff_t at = room_.heavy[i].offset;
      sum += room_.heavy[i].excess * term(after[at], u[at], out[layout.within(tile, at)]);
    }
    return 0.5 * sum + room_.boundary.stored(index) + room_.wide.stored(index);
  }

  void triad(std::int64_t steps) {
    const std::ptrdiff_t nodes = plan_.grid.nodes(), first = room_.layout.first;
    each_thread([&] {
      for (std::int64_t n = 0; n < steps; ++n) {
        each_part([&](int part) {
          functions_.triad(field(n), field(n + 1), first + nodes * part / threads_,
                           first + nodes * (part + 1) / threads_);
        });
#pragma omp barrier
      }
    });
  }

  // Every thread writes zeros where it will compute, halo planes included at the ends.
  void silence() {
    const Layout& layout = room_.layout;
    const auto start_of = [&](std::size_t tile) {
      if (tile == layout.tiles.size()) return layout.length;
      return tile == 0 ? 0 : layout.offset(0, layout.tiles[tile].y_begin, layout.tiles[tile].z_begin);
    };
    each_thread([&] {
      each_part([&](int part) {
        const Share share = share_of(layout.tiles.size(), part, threads_);
        for (const auto& field : fields_) {
          T* const values = static_cast<T*>(field.get());
          std::fill(values + start_of(share.first), values + start_of(share.last), T{});
        }
      });
    });
    room_.boundary.silence();
    room_.wide.silence();
    step_ = 0;
    injected_ = dissipated_ = 0.0;
  }

  template <class Function>
  void each_row(const Function& function) const {
    const auto [nx, ny, nz] = room_.layout.size;
    std::size_t row = 0;
    for (int z = 0; z < nz; ++z)
      for (int y = 0; y < ny; ++y, ++row) {
        function(row * static_cast<std::size_t>(nx) * sizeof(T), room_.layout.offset(0, y, z),
                 static_cast<std::size_t>(nx) * sizeof(T));
      }
  }
  void save_field(const T* field, std::vector<std::byte>& bytes) const {
    bytes.resize(static_cast<std::size_t>(plan_.grid.nodes()) * sizeof(T));
    each_row([&](std::size_t at, std::ptrdiff_t offset, std::size_t size) {
      std::memcpy(bytes.data() + at, field + offset, size);
    });
  }
  void restore_field(const std::vector<std::byte>& bytes, T* field) {
    if (bytes.size() != static_cast<std::size_t>(plan_.grid.nodes()) * sizeof(T))
      throw Error(Status::file, "the state does not fit the plan's grid");
    each_row([&](std::size_t at, std::ptrdiff_t offset, std::size_t size) {
      std::memcpy(field + offset, bytes.data() + at, size);
    });
  }

  const Plan& plan_;
  const Kernel& kernel_;
  int threads_;
  Room<T> room_;
  RowFunctions<T> functions_;
  std::array<std::unique_ptr<void, Free>, 2> fields_;
  std::vector<std::size_t> wide_shares_;                    // of the batches beyond tiles, one a thread
  std::array<std::vector<double>, 2> lost_, injected_now_;  // of the last two steps, by tile and by driven node
  std::array<std::vector<double>, 2> wide_lost_;            // by batch
  std::vector<T> held_;                                     // u- of driven nodes
  std::int64_t step_ = 0;
  double injected_ = 0.0, dissipated_ = 0.0;
};

// As many threads as OpenMP gives, but each with weights enough a step that waiting for the others does not show: in small
// rooms a barrier takes longer than the arithmetic.
int worthwhile_threads(const Plan& plan) {
  constexpr double weights_a_thread = 4e5;  // some 20 us of a core with vectors
  const double weights = static_cast<double>(plan.grid.nodes()) * plan.stencil.point_count();
  return std::clamp(static_cast<int>(std::min(weights / weights_a_thread, 1e6)), 1, omp_get_max_threads());
}

// Chooses precision and kernel when a plan comes.
class CpuBackend final : public Backend {
 public:
  explicit CpuBackend(BackendOptions options) : options_(std::move(options)) {
    if (options_.threads < 0) throw Error(Status::resource, "a number of threads cannot be negative");
  }
  void load(const Plan& plan, const Slab& slab) override {
    if (slab.below || slab.above || slab.z_begin != 0 || slab.z_end != plan.grid.size[2]) {
      throw Error(Status::resource, "the CPU computes the whole grid, not a slab of it");
    }
    loaded_.reset();  // before more memory is taken
    const Kernel& kernel = choose_kernel(options_.kernel, plan.stencil);
    const int threads = options_.threads > 0 ? options_.threads : worthwhile_threads(plan);
    try {
      if (plan.precision == Precision::f32) {
        loaded_ = std::make_unique<Rows<float>>(plan, kernel, threads);
      } else {
        loaded_ = std::make_unique<Rows<double>>(plan, kernel, threads);
      }
    } catch (const std::bad_alloc&) {
      throw Error(Status::resource, "there is not enough memory for this room",
                  "a coarser grid, f32, or a machine with more memory");
    }
  }
  void advance(const Drive& drive, Samples& samples) override { loaded().advance(drive, samples); }
  void save(State& state) const override { loaded().save(state); }
  void restore(const State& state) override { loaded().restore(state); }
  Timing profile(int repeats) override { return loaded().profile(repeats); }
  Energy energy() const override { return loaded().energy(); }
  Extreme extreme() const override { return loaded().extreme(); }
  std::int64_t step() const override { return loaded().step(); }
  std::string describe() const override { return loaded_ ? loaded_->describe() : "cpu, nothing loaded"; }

 private:
  Backend& loaded() const {
    if (!loaded_) throw Error(Status::resource, "no plan is loaded");
    return *loaded_;
  }
  BackendOptions options_;
  std::unique_ptr<Backend> loaded_;
};

}  // namespace
}  // namespace cpu

std::unique_ptr<Backend> make_cpu_backend(const BackendOptions& options) {
  return std::make_unique<cpu::CpuBackend>(options);
}

std::int64_t cpu_state_bytes(const Plan& plan) {
  const std::size_t value = plan.precision == Precision::f32 ? sizeof(float) : sizeof(double);
  const cpu::Layout layout(plan.grid.size, plan.stencil.radius, value);
  const Boundary& b = plan.boundary;
  const std::size_t branches = b.branch_begin.back();
  const std::size_t bytes = 2 * static_cast<std::size_t>(layout.length) * value +
                            plan.near_wall.segments.size() * sizeof(cpu::WallOp) +
                            b.nodes.size() * (sizeof(std::int32_t) + 5 * value) + b.sites.size() * value +
                            branches * (2 * value + sizeof(std::uint64_t)) +
                            static_cast<std::size_t>(layout.size[1]) * static_cast<std::size_t>(layout.size[2]) *
                                (sizeof(std::uint64_t) + sizeof(cpu::Run)) +
                            layout.tiles.size() * (sizeof(cpu::Tile) + 7 * sizeof(double));
  return static_cast<std::int64_t>(bytes);
}

}  // namespace fdtd
