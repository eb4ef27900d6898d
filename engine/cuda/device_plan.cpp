#include "engine/cuda/device_plan.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <optional>
#include <stdexcept>

#include "engine/backend/state_planes.hpp"
#include "engine/cuda/field/field_noise.hpp"
#include "engine/cuda/field/transfer.hpp"
#include "engine/cuda/walls/row_ends.hpp"
#include "engine/error.hpp"
#include "engine/system/machine.hpp"

namespace fdtd::cuda {
namespace {

constexpr std::int64_t block_steps = 1024;        // of samples that the GPU holds; longer blocks are worked in pieces
constexpr std::int64_t graph_steps = 32;          // even: a graph begins with an even step
constexpr std::int64_t graph_nodes = 16'000'000;  // larger rooms' steps are longer than their launches

bool mirrors(const Kernel& kernel, const Job& job) { return kernel.mirrors != nullptr && kernel.mirrors(job.stencil); }

Job job_of(const Plan& plan, const Slab& slab, const Device& device, const BackendOptions& options) {
  Job job;
  job.precision = plan.precision;
  job.stencil = plan.stencil;
  job.layout =
      Layout(plan.grid.size, plan.stencil.radius, plan.precision == Precision::f32 ? sizeof(float) : sizeof(double));
  const Kernel& kernel = choose_kernel(job, device, options);
  if (mirrors(kernel, job)) job.mirror = image_walls_of(plan, slab);
  return job;
}

std::vector<int> end_widths_of(const Job& job, const Device& device, const BackendOptions& options) {
  const Kernel& kernel = choose_kernel(job, device, options);
  return job.mirror.sides && kernel.end_widths != nullptr ? kernel.end_widths(job, device) : std::vector<int>{};
}

// Two fields, the walls, and a little for the runtime's own.
void require(const Plan& plan, const Layout& layout, double walls) {
  constexpr double reserve = 64e6;
  const double fields = 2.0 * static_cast<double>(layout.bytes()), asked = fields + walls + reserve;
  const auto available = static_cast<double>(free_device_memory());
  if (asked <= available) return;
  const double shrink = 0.98 * std::cbrt(std::max(available - reserve, 0.0) / (fields + walls));
  const auto fitting = [&](std::size_t d) { return static_cast<int>(plan.grid.size[d] * shrink); };
  throw Error(
      Status::resource,
      fmt::format("not enough memory on the GPU: the grid of {} x {} x {} nodes needs {} ({} for the field, {} for "
                  "walls), {} are free",
                  plan.grid.size[0], plan.grid.size[1], plan.grid.size[2], human_bytes(asked), human_bytes(fields),
                  human_bytes(walls), human_bytes(available)),
      fmt::format("a grid of {} x {} x {} nodes fits (a max_frequency lower by a factor of {:.2f}), or take f32 "
                  "instead of f64, another GPU or --device cpu",
                  fitting(0), fitting(1), fitting(2), shrink));
}

// A neighbour's process maps a field by whole blocks of 2 MiB (peer.hpp).
std::size_t bytes_to_take(const Layout& layout, const Slab& slab) {
  constexpr std::size_t block = std::size_t{2} << 20U;
  const auto bytes = static_cast<std::size_t>(layout.bytes());
  return slab.alone() ? bytes : (bytes + block - 1) / block * block;
}

template <class Value>
double bytes_of(const std::vector<Value>& values) {
  return static_cast<double>(values.size() * sizeof(Value));
}

template <class T>
std::vector<T> values_from(const std::vector<std::byte>& bytes) {
  std::vector<T> values(bytes.size() / sizeof(T));
  if (!values.empty()) std::memcpy(values.data(), bytes.data(), bytes.size());
  return values;
}

}  // namespace

template <class T>
struct Room<T>::Tables {
  NearTables<T> near;
  SiteTables<T> sites;
  std::vector<BoxFace<T>> faces;
  std::optional<MarchEnds<T>> ends;
  OwnLayers layers;
  Tally tally;
  ImageWalls mirror;  // walls whose images energies read, as the step does
  EnergyTables<T> energy;

  Tables(const Plan& plan, const Slab& slab, const Job& job, std::span<const int> end_widths)
      : layers(slab, plan.grid.size), mirror(has_columns(plan.stencil) ? job.mirror : ImageWalls{}) {
    const Layout& layout = job.layout;
    require(plan, layout, 0.0);
    const bool corrected = !job.mirror.sides;
    Columns columns = columns_of(plan.boundary, plan.air, corrected ? plan.stencil.radius : 0, layout);
    near = pack_near<T>(corrected ? plan.near_wall : NearWall{}, plan.air, plan.stencil, layout, columns.claims,
                        {slab.below, slab.above});
    sites = pack_sites(plan.boundary, layout, columns, near);
    if (!corrected) faces = take_faces(sites);
    ends = take_ends(faces, layout, end_widths);
    tally = tally_of(plan.boundary, sites, layers);
    energy = pack_energy<T>(mirror.sides ? NearWall{} : plan.near_wall, layout, layers);
    require(plan, layout, bytes());
  }
  double bytes() const {
    return bytes_of(near.entry_begin) + bytes_of(near.entry_offset) + bytes_of(near.entry_weight) +
           bytes_of(near.entry_step) + bytes_of(near.template_across) + bytes_of(near.unit_base) +
           bytes_of(near.unit_template) + bytes_of(near.lane_offset) + bytes_of(near.lane_pattern) +
           bytes_of(near.heavy) + bytes_of(sites.groups) + bytes_of(sites.row_value) + bytes_of(sites.group_of_block) +
           bytes_of(sites.node_offset) * 2.0 + bytes_of(sites.row_pattern) + bytes_of(tally.place) +
           bytes_of(tally.parts) + bytes_of(energy.segments) + bytes_of(energy.entry_offset) +
           bytes_of(energy.entry_weight) + static_cast<double>(sites.node_offset.size() * 4 * sizeof(T)) +
           static_cast<double>(sites.states + sites.lines) * 2.0 * sizeof(T);
  }
};

template <class T>
Room<T>::Room(const Plan& plan, const Slab& slab, const Device& device, const BackendOptions& options)
    : Room(plan, slab, device, options, job_of(plan, slab, device, options)) {}

template <class T>
Room<T>::Room(const Plan& plan, const Slab& slab, const Device& device, const BackendOptions& options, const Job& job)
    : Room(plan, slab, device, options, job, Tables(plan, slab, job, end_widths_of(job, device, options))) {}

template <class T>
Room<T>::Room(const Plan& plan, const Slab& slab, const Device& device, const BackendOptions& options, const Job& job,
              Tables&& tables)
    : plan_(plan),
      job_(job),
      sites_(std::move(tables.sites)),
      fields_{take_device_memory(bytes_to_take(job.layout, slab)), take_device_memory(bytes_to_take(job.layout, slab))},
      near_(tables.near),
      site_memory_(sites_),
      faces_(view_of(tables.faces, site_memory_.view())),
      tally_(tables.tally),
      ears_(plan.receivers, job.layout, tables.layers, block_steps),
      drive_(pack_drive(plan, job.layout, tables.layers)),
      meter_(plan.stencil, job.layout, tables.layers, tables.mirror, tables.energy, tables.near.heavy, tables.tally,
             walls()),
      graphs_pay_(job.layout.nodes() <= graph_nodes) {
  silence();
  Device mine = device;
  if (!slab.alone()) {
    halo_ = std::make_unique<Halo>(slab, job_.layout, fields(), *options.ranks);
    mine.multiprocessors = std::max(mine.multiprocessors / 2, mine.multiprocessors - halo_->way().multiprocessors());
    job_.pieces = 1 + (slab.below ? 1 : 0) + (slab.above ? 1 : 0);
    graphs_pay_ = false;
  }
  if (tables.ends) job_.ends = std::make_shared<const MarchEnds<T>>(placed(*tables.ends, site_memory_.view()));
  chosen_ = choose(job_, mine, options, fields());
  if (job_.mirror.sides && !mirrors(*chosen_.kernel, job_))
    throw std::logic_error("the walls' tables are another kernel's");
  silence();
  if (halo_) halo_->meet();  // nobody's planes come before all have fallen silent
  prepared_ = chosen_.kernel->prepare(job_, mine, chosen_.tile, fields());
}

template <class T>
void Room<T>::wait() const {
  if (halo_) halo_->wait(queue_.stream());
}

template <class T>
void Room<T>::step_alone(std::int64_t step) {
  const int parity = static_cast<int>(step & 1);
  const auto planes = [&](int begin, int end, Stream stream) { prepared_.step(parity, begin, end, stream); };
  const auto mend = [&] { launch_walls(walls(), faces_, parity, field(step), field(step + 1), queue_.stream()); };
  if (halo_) {
    Halo::ToBorders all;
    if (prepared_.step_to_borders)
      all = [&](const Borders& borders, Stream stream) { prepared_.step_to_borders(parity, borders, stream); };
    halo_->step(step, all, planes, mend, queue_.stream());
    halo_->exchange(field(step + 1), queue_.stream(), step + 1);
  } else {
    planes(0, job_.layout.size[2], queue_.stream());
    mend();
  }
  warm_ = true;
}

template <class T>
void Room<T>::rest(std::int64_t step, std::int64_t count) {
  const std::int64_t end = step + count;
  while (step < end) {
    if (graphs_pay_ && warm_ && step % 2 == 0 && end - step >= graph_steps) {
      if (!captured_) {
        captured_ = graph_.capture(queue_.stream(), [&] {
          for (std::int64_t n = 0; n < graph_steps; ++n) step_alone(n);
        });
        graphs_pay_ = captured_;
        continue;
      }
      graph_.launch(queue_.stream());
      step += graph_steps;
    } else {
      step_alone(step++);
    }
  }
}

template <class T>
void Room<T>::drive(std::int64_t step, const double* f, std::int64_t stride) {
  const DriveView<T> view = drive_.view(ears_.injected());
  launch_drive(view, f, stride, field(step + 1), queue_.stream());
  step_alone(step);
  launch_weigh(view, f, stride, field(step + 1), queue_.stream());
}

template <class T>
void Room<T>::listen(std::int64_t step) {
  launch_listen(walls(), static_cast<int>(step & 1), field(step), queue_.stream());
}

template <class T>
void Room<T>::silence() {
  for (const DeviceMemory& field : fields_)
    clear_device_memory(field.get(), static_cast<std::size_t>(job_.layout.bytes()));
  site_memory_.silence();
  ears_.set_sums({});
}

template <class T>
void Room<T>::make_noise() {
  silence();
  for (std::size_t i = 0; i < fields_.size(); ++i) fill_random(fields_[i].get(), job_.layout, i + 1);
}

template <class T>
void Room<T>::restore(const State& state) {
  silence();
  if (state.silent()) {
    if (halo_) halo_->meet();  // nobody's planes come before all have fallen silent
    return;
  }
  for (const StatePart part : {StatePart::u_now, StatePart::u_before}) {
    T* const to = field(part == StatePart::u_now ? state.step : state.step + 1);
    each_block_of_planes(state, part, job_.layout.size[2], in_plane(), sizeof(T),
                         [&](int begin, int count, const std::vector<std::byte>& bytes) {
                           restore_planes(to, job_.layout, begin, count, bytes.data());
                         });
  }
  if (halo_) {
    halo_->meet();  // each has read a file for as long as it took
    halo_->exchange(field(state.step), queue_.stream());
    halo_->exchange(field(state.step + 1), queue_.stream());
    halo_->wait(queue_.stream());
  }
  const std::uint64_t branches = plan_.boundary.branch_begin.back();
  std::vector<T> grouped(sites_.states);
  for (const StatePart part : {StatePart::velocity, StatePart::displacement}) {
    state.require(part, branches);
    sites_.scatter(plan_.boundary, values_from<T>(state.values(part, 0, branches)).data(), grouped.data());
    (part == StatePart::velocity ? site_memory_.V() : site_memory_.G()).set(grouped);
  }
  const int parity = static_cast<int>(state.step & 1);
  launch_read(walls(), parity, field(state.step + 1), queue_.stream());
  launch_read(walls(), 1 - parity, field(state.step), queue_.stream());
  ears_.set_sums({state.injected, state.dissipated});
}

template <class T>
State Room<T>::state(std::int64_t step) const {
  Ears::Sums sums = ears_.sums();
  State state;
  state.precision = plan_.precision;
  state.step = step;
  state.injected = std::move(sums.injected);
  state.dissipated = std::move(sums.dissipated);
  state.read = [this, step](StatePart part, std::uint64_t first, std::uint64_t count) {
    if (part == StatePart::u_now || part == StatePart::u_before) {
      const T* const from = field(part == StatePart::u_now ? step : step + 1);
      return nodes_by_planes(first, count, in_plane(), sizeof(T), [&](int begin, int planes, std::byte* to) {
        save_planes(from, job_.layout, begin, planes, to);
      });
    }
    State walls;
    walls.precision = plan_.precision;
    walls.array(part) = walls_values(part);
    return walls.values(part, first, count);
  };
  return state;
}

template <class T>
std::uint64_t Room<T>::in_plane() const {
  return static_cast<std::uint64_t>(job_.layout.size[0]) * static_cast<std::uint64_t>(job_.layout.size[1]);
}

// V or G in the plan's order.
template <class T>
std::vector<std::byte> Room<T>::walls_values(StatePart part) const {
  const DeviceArray<T>& grouped = part == StatePart::velocity ? site_memory_.V() : site_memory_.G();
  std::vector<T> canonical(plan_.boundary.branch_begin.back());
  sites_.gather(plan_.boundary, grouped.get().data(), canonical.data());
  std::vector<std::byte> bytes(canonical.size() * sizeof(T));
  if (!bytes.empty()) std::memcpy(bytes.data(), canonical.data(), bytes.size());
  return bytes;
}

template class Room<float>;
template class Room<double>;

}  // namespace fdtd::cuda
