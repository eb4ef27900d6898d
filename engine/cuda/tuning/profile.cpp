#include "engine/cuda/tuning/profile.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "base/error.hpp"
#include "engine/cuda/field/field_noise.hpp"
#include "engine/cuda/gpu/check.cuh"
#include "engine/cuda/gpu/timing.hpp"
#include "engine/cuda/tuning/roofs.hpp"

namespace fdtd::cuda {
namespace {

using Once = std::function<void(int which)>;

// So many that they fill a batch; one at least.
int batch_of(const Once& once, double batch_seconds) {
  once(0);  // a kernel's first launch loads it
  const double seconds = 0.5 * seconds_of(nullptr, [&] { once(1), once(0); });
  return std::clamp(static_cast<int>(std::lround(batch_seconds / seconds)), 1, 10000);
}

double seconds_once(const Once& once, int batch) {
  return seconds_of(nullptr,
                    [&] {
                      for (int i = 0; i < batch; ++i) once(i & 1);
                    }) /
         batch;
}

// Kernel launches that one step makes: counted in a graph that is captured and thrown away.
int launches_of(const Prepared& prepared, int planes) {
  cudaStream_t stream = nullptr;
  FDTD_CUDA(cudaStreamCreate(&stream));
  cudaGraph_t graph = nullptr;
  std::size_t nodes = 0;
  try {
    FDTD_CUDA(cudaStreamBeginCapture(stream, cudaStreamCaptureModeThreadLocal));
    prepared.step(0, 0, planes, stream);
    FDTD_CUDA(cudaStreamEndCapture(stream, &graph));
    FDTD_CUDA(cudaGraphGetNodes(graph, nullptr, &nodes));
  } catch (...) {
    if (graph != nullptr) (void)cudaGraphDestroy(graph);
    (void)cudaStreamDestroy(stream);
    throw;
  }
  FDTD_CUDA(cudaGraphDestroy(graph));
  FDTD_CUDA(cudaStreamDestroy(stream));
  return static_cast<int>(nodes);
}

study::LaunchResources resources_of(const Resources& used) {
  return {used.threads, used.registers, used.local_bytes, used.shared_bytes, used.blocks_per_multiprocessor};
}

study::TimedLaunch timed_launch(const TimedTile& timed) {
  const TilePrediction& p = timed.prediction;
  study::TimedLaunch one;
  one.tile = launch_of(p.tile);
  one.resources = resources_of(p.resources);
  one.transactions = p.transactions;
  one.conflicts = p.conflicts;
  one.active_blocks = p.active_blocks;
  one.occupancy = p.occupancy;
  one.thread_efficiency = p.thread_efficiency;
  one.wave_efficiency = p.wave_efficiency;
  one.footprint = p.footprint;
  one.cost = p.cost;
  one.predicted = p.predicted;
  one.ctpn_ns = timed.ctpn_ns;
  return one;
}

void two_steps(const Prepared& prepared, const Layout& layout) {
  for (const int which : {0, 1}) prepared.step(which, 0, layout.size[2], nullptr);
  wait_for_device();
}

}  // namespace

Job job_of(const GridStencil& stencil, Precision precision, std::array<int, 3> grid) {
  Job job;
  job.precision = precision;
  job.stencil = precision == Precision::f32 ? rounded_to_float(stencil) : stencil;
  job.layout = Layout(grid, job.stencil.radius, precision == Precision::f32 ? sizeof(float) : sizeof(double));
  return job;
}

GpuBench::GpuBench(int device, TuneCache cache) : device_(device_of(device)), cache_(std::move(cache)) {
  use_device(device);
}

std::string GpuBench::driver() const {
  return fmt::format("CUDA {}.{}", device_.driver_version / 1000, device_.driver_version % 1000 / 10);
}

std::vector<std::string> GpuBench::kernels() const {
  std::vector<std::string> names;
  for (const Kernel& kernel : cuda::kernels()) names.emplace_back(kernel.name);
  return names;
}

std::int64_t GpuBench::array_bytes(const GridStencil& stencil, Precision precision, std::array<int, 3> grid) const {
  return job_of(stencil, precision, grid).layout.bytes();
}

void GpuBench::reserve(std::int64_t bytes_an_array) {
  if (bytes_an_array <= reserved_) return;
  release();
  for (std::size_t i = 0; i < 2; ++i) {
    memory_[i] = take_device_memory(static_cast<std::size_t>(bytes_an_array));
    fields_[i] = memory_[i].get();
  }
  reserved_ = bytes_an_array;
}

void GpuBench::release() {
  triad_ = nullptr;
  for (DeviceMemory& memory : memory_) memory.reset();
  for (DeviceMemory& memory : truth_) memory.reset();
  reserved_ = 0;
}

void GpuBench::fill(const std::array<void*, 2>& fields, Values values) const {
  for (std::size_t i = 0; i < 2; ++i) {
    if (values == Values::zero)
      clear_device_memory(fields[i], static_cast<std::size_t>(job_.layout.bytes()));
    else
      fill_random(fields[i], job_.layout, i + 1);
  }
}

void GpuBench::begin(const std::string& name, const GridStencil& stencil, Precision precision, std::array<int, 3> grid,
                     Values values) {
  job_ = job_of(stencil, precision, grid);
  stencil_ = name;
  triad_ = nullptr;
  for (DeviceMemory& memory : truth_) memory.reset();
  reserve(job_.layout.bytes());
  fill(fields_, values);
}

bool GpuBench::takes(const std::string& kernel) const {
  const Kernel* const found = find_kernel(kernel);
  return found != nullptr && found->supports(job_, device_);
}

std::vector<study::Launch> GpuBench::tiles(const std::string& kernel) const {
  std::vector<study::Launch> all;
  for (const Tile& tile : kernel_for(job_, device_, kernel).tiles(job_, device_)) all.push_back(launch_of(tile));
  return all;
}

const Once& GpuBench::triad() {
  if (!triad_) {
    triad_ = [roof = prepare_roof(Roof::triad, job_.layout, fields_)](int which) { roof.pass(which, nullptr); };
  }
  return triad_;
}

GpuBench::Pair GpuBench::beside_triad(const Once& once, const study::KernelSettings& settings) {
  const Once& roof = triad();
  const int batch = batch_of(once, settings.batch_seconds), roof_batch = batch_of(roof, settings.batch_seconds);
  std::vector<double> first, second;
  const double scale = 1e9 / static_cast<double>(job_.layout.nodes());
  for (int i = 0; i < settings.repeats; ++i) {
    second.push_back(scale * seconds_once(roof, roof_batch));
    first.push_back(scale * seconds_once(once, batch));
  }
  return {study::spread_of(first), study::spread_of(second)};
}

Choice GpuBench::choice_of(const study::KernelSettings& settings, std::vector<study::TimedLaunch>& tiles) {
  Choice choice;
  if (settings.tile) {
    choice.kernel = &kernel_for(job_, device_, settings.kernel);
    choice.tile = tile_of(*settings.tile);
    choice.origin = Origin::author;
    return choice;
  }
  if (!settings.all_tiles) {
    TuneSettings tune;
    tune.kernel = settings.kernel;
    tune.retune = settings.retune;
    tune.tuned = settings.tuned;
    return choose_tuned(job_, device_, fields_, tune, cache_);
  }
  choice.kernel = &kernel_for(job_, device_, settings.kernel);
  std::vector<TimedTile> timed = modelled_tiles(*choice.kernel, job_, device_, fields_);
  time_tiles(*choice.kernel, job_, device_, fields_, timed);
  for (const TimedTile& one : timed) tiles.push_back(timed_launch(one));
  choice.tile = std::min_element(timed.begin(), timed.end(), [](const auto& a, const auto& b) {
                  return a.ctpn_ns < b.ctpn_ns;
                })->prediction.tile;
  choice.origin = Origin::search;
  return choice;
}

study::GpuProfile GpuBench::profile(const study::KernelSettings& settings) {
  study::GpuProfile found;
  const Choice choice = choice_of(settings, found.tiles);
  const Kernel& kernel = *choice.kernel;
  const Prepared prepared = kernel.prepare(job_, device_, choice.tile, fields_);
  const int planes = job_.layout.size[2];
  const auto [ctpn, triad] = beside_triad([&](int which) { prepared.step(which, 0, planes, nullptr); }, settings);
  found.stencil = stencil_;
  found.points = job_.stencil.point_count();
  found.precision = job_.precision;
  found.grid = job_.layout.size;
  found.kernel = kernel.name;
  found.tile = launch_of(choice.tile);
  found.tile_from = to_string(choice.origin);
  found.resources = resources_of(prepared.resources);
  found.occupancy = static_cast<double>(prepared.resources.blocks_per_multiprocessor * prepared.resources.threads) /
                    device_.threads_per_multiprocessor;
  found.launches = launches_of(prepared, planes);
  found.ctpn = ctpn;
  found.triad = triad;
  found.declared_bytes = 3.0 * static_cast<double>(job_.layout.value_bytes);
  found.l2_bytes = kernel.bytes_a_point(job_, choice.tile);
  found.footprint_bytes =
      footprint_bytes_a_point(job_, device_, choice.tile, prepared.resources.blocks_per_multiprocessor);
  return found;
}

study::GpuProfile GpuBench::profile_or_error(const study::KernelSettings& settings) {
  try {
    return profile(settings);
  } catch (const Error& error) {
    if (error.status != Status::resource) throw;
    study::GpuProfile failed;
    failed.stencil = stencil_;
    failed.points = job_.stencil.point_count();
    failed.precision = job_.precision;
    failed.grid = job_.layout.size;
    failed.kernel = settings.kernel;
    failed.error = error.what();
    return failed;
  }
}

study::RoofTimes GpuBench::roofs(const study::KernelSettings& settings) {
  study::RoofTimes times;
  const auto measure = [&](Roof which) {
    const PreparedRoof roof = prepare_roof(which, job_.layout, fields_);
    return beside_triad([&](int field) { roof.pass(field, nullptr); }, settings);
  };
  const Pair copy = measure(Roof::copy);
  times.triad = copy.triad;
  times.copy = copy.first;
  times.copy_halo = measure(Roof::copy_halo).first;
  return times;
}

void GpuBench::make_truth() {
  std::array<void*, 2> fields{};
  for (std::size_t i = 0; i < 2; ++i) {
    truth_[i] = take_device_memory(static_cast<std::size_t>(job_.layout.bytes()));
    fields[i] = truth_[i].get();
  }
  fill(fields, Values::random);
  const Kernel& plainest = kernel_for(job_, device_, "kernel_a");
  two_steps(plainest.prepare(job_, device_, plainest.tiles(job_, device_).front(), fields), job_.layout);
}

study::Parity GpuBench::parity(const std::string& kernel, const study::Launch& tile) {
  if (!truth_[0]) make_truth();
  fill(fields_, Values::random);
  two_steps(kernel_for(job_, device_, kernel).prepare(job_, device_, tile_of(tile), fields_), job_.layout);
  study::Parity parity;
  for (std::size_t i = 0; i < 2; ++i) {
    const double difference = relative_difference(fields_[i], truth_[i].get(), job_.layout);
    parity.difference =
        std::isfinite(difference) ? std::max(parity.difference, difference) : std::numeric_limits<double>::infinity();
    parity.strays += stray_values(fields_[i], job_.layout);
  }
  fill(fields_, Values::random);
  return parity;
}

void GpuBench::only_steps(const std::string& kernel, const study::Launch& tile, int steps) {
  const Prepared prepared = kernel_for(job_, device_, kernel).prepare(job_, device_, tile_of(tile), fields_);
  for (int i = 0; i < steps; ++i) prepared.step(i & 1, 0, job_.layout.size[2], nullptr);
  wait_for_device();
}

}  // namespace fdtd::cuda
