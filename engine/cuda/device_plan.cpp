#include "engine/cuda/device_plan.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <optional>
#include <stdexcept>

#include "base/error.hpp"
#include "engine/backend/state_planes.hpp"
#include "engine/cuda/field/field_noise.hpp"
#include "engine/cuda/field/solid_bits.hpp"
#include "engine/cuda/field/transfer.hpp"
#include "engine/cuda/gpu/device_copies.hpp"
#include "engine/cuda/walls/row_ends.hpp"
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

bool keeps_solids(const Job& job, const Device& device, const BackendOptions& options) {
  const Kernel& kernel = choose_kernel(job, device, options);
  return kernel.keeps_solids != nullptr && kernel.keeps_solids(job, device);
}

std::vector<int> end_widths_of(const Job& job, const Device& device, const BackendOptions& options) {
  const Kernel& kernel = choose_kernel(job, device, options);
  return job.mirror.sides && kernel.end_widths != nullptr ? kernel.end_widths(job, device) : std::vector<int>{};
}

// Two fields, the walls, and a little for the runtime's own.
void require(const Plan& plan, const Layout& layout, double walls) {
  constexpr double reserve = 64e6;
  const double fields = 2.0 * static_cast<double>(layout.bytes()), needed = fields + walls + reserve;
  const auto available = static_cast<double>(free_device_memory());
  if (needed <= available) return;
  const double shrink = 0.98 * std::cbrt(std::max(available - reserve, 0.0) / (fields + walls));
  const auto fitting = [&](std::size_t d) { return static_cast<int>(plan.grid.size[d] * shrink); };
  throw Error(
      Status::resource,
      fmt::format("not enough memory on the GPU: the grid of {} x {} x {} nodes needs {} ({} for the field, {} for "
                  "walls), {} are free",
                  plan.grid.size[0], plan.grid.size[1], plan.grid.size[2], human_bytes(needed), human_bytes(fields),
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
struct DevicePlan<T>::Tables {
  NearTables<T> near;
  RowBrickTables<T> long_rows;
  BoundaryTables<T> sites;
  CoupledArrays<T> coupled;
  std::vector<BoxFace<T>> faces;
  std::optional<MarchRowEnds<T>> ends;
  OwnLayers layers;
  LossSums loss_sums;
  std::vector<std::uint8_t> solids;  // of a room whose march knows them
  ImageWalls mirror;                 // walls whose images energies read, as the step does
  EnergyTables<T> energy;

  Tables(const Plan& plan, const Slab& slab, const Job& job, std::span<const int> end_widths, bool keeps_solids,
         bool takes_long_rows)
      : layers(slab, plan.grid.size), mirror(has_columns(plan.stencil) ? job.mirror : ImageWalls{}) {
    const Layout& layout = job.layout;
    require(plan, layout, 0.0);
    const bool corrected = !job.mirror.sides;
    if (keeps_solids && !plan.air.all_air()) solids = pack_solids(plan.air);
    const auto [inside_begin, inside_end] = Halo::inside_of(slab, layout);
    near = pack_near<T>(corrected ? plan.near_wall : NearWall{}, solids.empty() ? plan.air : AirMask(plan.grid.size),
                        plan.stencil, layout, {slab.below, slab.above, inside_begin, inside_end});
    if (takes_long_rows) long_rows = take_long_rows(near, layout, {inside_begin, inside_end});
    sites = pack_boundary<T>(plan.boundary, layout);
    faces = take_faces(sites);
    coupled = pack_coupled(plan.boundary, plan.grid.size, sites, layout);
    ends = take_row_ends(faces, layout, end_widths);
    loss_sums = loss_sums_of(plan.boundary, sites, layers);
    energy = pack_energy<T>(mirror.sides ? NearWall{} : plan.near_wall, layout, layers);
    require(plan, layout, bytes());
  }
  double bytes() const {
    return bytes_of(near.base) + bytes_of(near.offset) + bytes_of(near.begin) + bytes_of(near.groups) +
           bytes_of(near.entry_offset) + bytes_of(near.entry_weight) + bytes_of(near.solid_base) +
           bytes_of(near.solid_bits) + bytes_of(near.mass_nodes) + bytes_of(long_rows.bricks) +
           bytes_of(long_rows.head) + bytes_of(long_rows.place) + bytes_of(long_rows.weights) + bytes_of(sites.groups) +
           bytes_of(sites.row_value) + bytes_of(sites.group_of_block) + bytes_of(sites.node_offset) * 2.0 +
           bytes_of(loss_sums.place) + bytes_of(loss_sums.parts) + bytes_of(coupled.kinds) + bytes_of(coupled.kind) +
           bytes_of(coupled.origin) + bytes_of(coupled.place_begin) + bytes_of(coupled.place) +
           bytes_of(coupled.inverse) + bytes_of(solids) + bytes_of(energy.segments) + bytes_of(energy.entry_offset) +
           bytes_of(energy.entry_weight) + static_cast<double>(sites.node_offset.size() * 4 * sizeof(T)) +
           static_cast<double>(sites.states) * 2.0 * sizeof(T);
  }
};

template <class T>
DevicePlan<T>::DevicePlan(const Plan& plan, const Slab& slab, const Device& device, const BackendOptions& options)
    : DevicePlan(plan, slab, device, options, job_of(plan, slab, device, options)) {}

template <class T>
DevicePlan<T>::DevicePlan(const Plan& plan, const Slab& slab, const Device& device, const BackendOptions& options,
                          const Job& job)
    : DevicePlan(plan, slab, device, options, job,
                 Tables(plan, slab, job, end_widths_of(job, device, options), keeps_solids(job, device, options),
                        device.tensor_copies && has_long_rows(plan.stencil))) {}

template <class T>
DevicePlan<T>::DevicePlan(const Plan& plan, const Slab& slab, const Device& device, const BackendOptions& options,
                          const Job& job, Tables&& tables)
    : plan_(plan),
      device_(device),
      options_(options),
      job_(job),
      boundary_tables_(std::move(tables.sites)),
      fields_{take_device_memory(bytes_to_take(job.layout, slab)), take_device_memory(bytes_to_take(job.layout, slab))},
      near_(tables.near),
      long_rows_(tables.long_rows, job.layout, fields()),
      boundary_memory_(boundary_tables_),
      coupled_(tables.coupled),
      faces_(view_of(tables.faces, boundary_memory_.view())),
      loss_sums_(tables.loss_sums),
      receivers_(plan.receivers, job.layout, tables.layers, block_steps),
      drive_(pack_drive(plan, job.layout, tables.layers)),
      meter_(plan.stencil, job.layout, tables.layers, tables.mirror, tables.energy, tables.near.mass_nodes,
             tables.loss_sums, walls()),
      graph_drive_(plan.sources.size() * graph_steps),
      graphs_pay_(job.layout.nodes() <= graph_nodes) {
  reset();
  Device mine = device;
  if (!slab.alone()) {
    halo_ = std::make_unique<Halo>(slab, job_.layout, fields(), *options.ranks);
    mine.multiprocessors = std::max(mine.multiprocessors / 2, mine.multiprocessors - halo_->way().multiprocessors());
    if (!corrects_borders()) job_.pieces = 1 + (slab.below ? 1 : 0) + (slab.above ? 1 : 0);
    graphs_pay_ = false;
  }
  if (!tables.solids.empty()) job_.solids = std::make_shared<const SolidBits>(plan.grid.size, tables.solids);
  if (tables.ends) job_.ends = std::make_shared<const MarchRowEnds<T>>(placed(*tables.ends, boundary_memory_.view()));
  const RoomShare share = share_of(device, options.rooms_at_once, job_.layout.nodes());
  if (slab.alone() && options.kernel.empty() && faces_.blocks == 0 && long_rows_.empty() && many_steps_pay(job_, share))
    many_steps_ = prepare_many_steps(job_, device, share, walls(), fields());
  const std::unique_lock<std::mutex> alone = alone_on_gpu();
  chosen_ = choose(job_, mine, options, fields(), many_steps_ == nullptr);
  if (job_.mirror.sides && !mirrors(*chosen_.kernel, job_))
    throw std::logic_error("the walls' tables are another kernel's");
  reset();
  if (halo_) halo_->synchronise();  // no rank's planes arrive before all ranks are reset
  prepared_ = chosen_.kernel->prepare(job_, mine, chosen_.tile, fields());
}

template <class T>
std::unique_lock<std::mutex> DevicePlan<T>::alone_on_gpu() const {
  static std::mutex guard;
  return queue() == Queue::own && !many_steps_ ? std::unique_lock(guard) : std::unique_lock<std::mutex>();
}

template <class T>
void DevicePlan<T>::wait() const {
  if (halo_) halo_->wait(stream_.get());
}

template <class T>
void DevicePlan<T>::step_alone(std::int64_t step) {
  const int parity = static_cast<int>(step & 1);
  const T* const u1 = field(step);
  T* const u0 = field(step + 1);
  const auto correct = [&](NearPart part) {
    long_rows_.launch(part, parity, stream_.get());
    launch_corrections(near_.view(), part, u1, u0, stream_.get());
  };
  const auto planes = [&](int begin, int end, Stream stream) { prepared_.step(parity, begin, end, stream); };
  const auto step_walls = [&] {
    launch_clear_solids(near_.view(), u0, stream_.get());
    launch_walls(walls(), faces_, parity, u1, u0, stream_.get());
    if (reads_) launch_keep_reads(reads_->view(), boundary_memory_.view().q[parity], stream_.get());
  };
  if (halo_) {
    Halo::Step work{[&] { correct(NearPart::inside); }, [&] { correct(NearPart::borders); }, planes, {}, step_walls};
    if (prepared_.step_to_borders && !corrects_borders())
      work.to_borders = [&](const Borders& borders, Stream stream) {
        prepared_.step_to_borders(parity, borders, stream);
      };
    halo_->step(step, work, stream_.get());
    halo_->exchange(u0, stream_.get(), step + 1);
  } else {
    correct(NearPart::all);
    planes(0, job_.layout.size[2], stream_.get());
    step_walls();
  }
  undriven_.warm = true;
}

template <class T>
bool DevicePlan<T>::has_graph(CapturedSteps& steps, std::int64_t step, std::int64_t end,
                              const std::function<void()>& work) {
  if (!graphs_pay_ || !steps.warm || step % 2 != 0 || end - step < graph_steps) return false;
  if (!steps.captured) steps.captured = graphs_pay_ = steps.graph.capture(stream_.get(), work);
  return steps.captured;
}

template <class T>
void DevicePlan<T>::step_undriven(std::int64_t step, std::int64_t count) {
  if (many_steps_ && count > 0) return many_steps_(step, count, stream_.get());
  const auto work = [&] {
    for (std::int64_t n = 0; n < graph_steps; ++n) step_alone(n);
  };
  const std::int64_t end = step + count;
  while (step < end) {
    if (has_graph(undriven_, step, end, work)) {
      undriven_.graph.launch(stream_.get());
      step += graph_steps;
    } else {
      step_alone(step++);
    }
  }
}

template <class T>
void DevicePlan<T>::drive_alone(std::int64_t step, const double* f, std::int64_t stride) {
  const DriveView<T> view = drive_.view(receivers_.injected());
  launch_drive(view, f, stride, field(step + 1), stream_.get());
  if (many_steps_)
    many_steps_(step, 1, stream_.get());
  else
    step_alone(step);
  launch_accumulate_injected_energy(view, f, stride, field(step + 1), stream_.get());
  driven_.warm = true;
}

template <class T>
void DevicePlan<T>::drive(std::int64_t step, const double* f, std::int64_t stride, std::int64_t count) {
  const auto work = [&] {
    for (std::int64_t n = 0; n < graph_steps; ++n) drive_alone(n, graph_drive_.data() + n, graph_steps);
  };
  const std::int64_t end = step + count;
  while (step < end) {
    if (!many_steps_ && has_graph(driven_, step, end, work)) {
      constexpr std::size_t value = sizeof(double), of_graph = graph_steps * value;
      copy_rows_on_device(graph_drive_.data(), of_graph, f, static_cast<std::size_t>(stride) * value, of_graph,
                          plan_.sources.size(), stream_.get());
      driven_.graph.launch(stream_.get());
      step += graph_steps, f += graph_steps;
    } else {
      drive_alone(step++, f++, stride);
    }
  }
}

template <class T>
void DevicePlan<T>::sample_receivers(std::int64_t step) {
  launch_sample_receivers(walls(), static_cast<int>(step & 1), field(step), stream_.get());
}

template <class T>
void DevicePlan<T>::keep_wall_reads() {
  if (undriven_.captured || driven_.captured) throw std::logic_error("captured steps keep nothing of what walls read");
  reads_ = std::make_unique<ReadsMemory<T>>(wall_reads());
  undriven_.warm = driven_.warm = false;
  if (!many_steps_) return;
  many_steps_ = nullptr;
  const std::unique_lock<std::mutex> alone = alone_on_gpu();
  chosen_ = choose(job_, device_, options_, fields());
  reset();
  prepared_ = chosen_.kernel->prepare(job_, device_, chosen_.tile, fields());
}

template <class T>
void DevicePlan<T>::start_wall_reads(std::int64_t step, std::int64_t done) {
  if (!reads_) return;
  reads_->start(reads_target_, 2 + done);
  if (reads_target_.rows == nullptr || done > 0) return;
  for (const std::int64_t row : {0, 1})
    copy_on_device(reads_target_.rows + row * static_cast<std::int64_t>(wall_reads()),
                   boundary_memory_.view().q[(step + row) & 1], wall_reads() * sizeof(T), stream_.get());
}

template <class T>
void DevicePlan<T>::reset() {
  for (const DeviceMemory& field : fields_)
    clear_device_memory(field.get(), static_cast<std::size_t>(job_.layout.bytes()));
  boundary_memory_.reset();
  receivers_.set_sums({});
}

template <class T>
void DevicePlan<T>::make_noise() {
  reset();
  for (std::size_t i = 0; i < fields_.size(); ++i) fill_random(fields_[i].get(), job_.layout, i + 1);
}

template <class T>
void DevicePlan<T>::restore(const State& state) {
  reset();
  if (state.silent()) {
    if (halo_) halo_->synchronise();  // no rank's planes arrive before all ranks are reset
    return;
  }
  for (const StatePart part : field_parts) {
    T* const to = field(part == StatePart::u_now ? state.step : state.step + 1);
    each_block_of_planes(state, part, job_.layout.size[2], in_plane(), sizeof(T),
                         [&](int begin, int count, const std::vector<std::byte>& bytes) {
                           restore_planes(to, job_.layout, begin, count, bytes.data());
                         });
  }
  if (halo_) {
    halo_->synchronise();  // each has read a file for as long as it took
    halo_->exchange(field(state.step), stream_.get());
    halo_->exchange(field(state.step + 1), stream_.get());
    halo_->wait(stream_.get());
  }
  const std::uint64_t branches = plan_.boundary.branch_begin.back();
  std::vector<T> grouped(boundary_tables_.states);
  for (const StatePart part : branch_parts) {
    state.require(part, branches);
    boundary_tables_.scatter(plan_.boundary, values_from<T>(state.values(part, 0, branches)).data(), grouped.data());
    value_at(boundary_memory_.state(), branch_value(part)).set(grouped);
  }
  const int parity = static_cast<int>(state.step & 1);
  launch_gather_taps(walls(), parity, field(state.step + 1), stream_.get());
  launch_gather_taps(walls(), 1 - parity, field(state.step), stream_.get());
  receivers_.set_sums({state.injected, state.dissipated});
}

template <class T>
State DevicePlan<T>::state(std::int64_t step) const {
  ReceiverBuffers::Sums sums = receivers_.sums();
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
std::uint64_t DevicePlan<T>::in_plane() const {
  return static_cast<std::uint64_t>(job_.layout.size[0]) * static_cast<std::uint64_t>(job_.layout.size[1]);
}

// Of the branches, in the plan's order.
template <class T>
std::vector<std::byte> DevicePlan<T>::walls_values(StatePart part) const {
  const DeviceArray<T>& grouped = value_at(boundary_memory_.state(), branch_value(part));
  std::vector<T> canonical(plan_.boundary.branch_begin.back());
  boundary_tables_.gather(plan_.boundary, grouped.get().data(), canonical.data());
  std::vector<std::byte> bytes(canonical.size() * sizeof(T));
  if (!bytes.empty()) std::memcpy(bytes.data(), canonical.data(), bytes.size());
  return bytes;
}

template class DevicePlan<float>;
template class DevicePlan<double>;

}  // namespace fdtd::cuda
