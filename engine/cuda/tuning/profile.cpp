#include "engine/cuda/tuning/profile.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "base/error.hpp"
#include "engine/cuda/field/field_noise.hpp"
#include "engine/cuda/gpu/check.cuh"
#include "engine/cuda/gpu/timing.hpp"

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

}  // namespace

Job job_of(const GridStencil& stencil, Precision precision, std::array<int, 3> grid) {
  Job job;
  job.precision = precision;
  job.stencil = precision == Precision::f32 ? rounded_to_float(stencil) : stencil;
  job.layout = Layout(grid, job.stencil.radius, precision == Precision::f32 ? sizeof(float) : sizeof(double));
  return job;
}

Job job_of(const Stencil& stencil, Precision precision, std::array<int, 3> grid) {
  return job_of(on_grid(stencil, {stencil.courant, stencil.courant, stencil.courant}), precision, grid);
}

std::string driver_text(const Device& device) {
  return fmt::format("CUDA {}.{}", device.driver_version / 1000, device.driver_version % 1000 / 10);
}

GpuBench::GpuBench(int device) : device_(device_of(device)) { use_device(device); }

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
  reserved_ = 0;
}

void GpuBench::begin(const Stencil& stencil, Precision precision, std::array<int, 3> grid, Values values) {
  begin(stencil.name, on_grid(stencil, {stencil.courant, stencil.courant, stencil.courant}), precision, grid, values);
}

void GpuBench::begin(const std::string& name, const GridStencil& stencil, Precision precision, std::array<int, 3> grid,
                     Values values) {
  job_ = job_of(stencil, precision, grid);
  stencil_ = name;
  triad_ = nullptr;
  reserve(job_.layout.bytes());
  for (std::size_t i = 0; i < 2; ++i) {
    if (values == Values::zero)
      clear_device_memory(fields_[i], static_cast<std::size_t>(job_.layout.bytes()));
    else
      fill_random(fields_[i], job_.layout, i + 1);
  }
}

const Once& GpuBench::triad() {
  if (!triad_) {
    triad_ = [roof = prepare_roof(Roof::triad, job_.layout, fields_)](int which) { roof.pass(which, nullptr); };
  }
  return triad_;
}

GpuBench::Pair GpuBench::beside_triad(const Once& once, const GpuProfileSettings& settings) {
  const Once& roof = triad();
  const int batch = batch_of(once, settings.batch_seconds), roof_batch = batch_of(roof, settings.batch_seconds);
  std::vector<double> first, second;
  const double scale = 1e9 / static_cast<double>(job_.layout.nodes());
  for (int i = 0; i < settings.repeats; ++i) {
    second.push_back(scale * seconds_once(roof, roof_batch));
    first.push_back(scale * seconds_once(once, batch));
  }
  return {spread_of(first), spread_of(second)};
}

GpuProfile GpuBench::profile(const GpuProfileSettings& settings, TuneCache& cache) {
  GpuProfile found;
  Choice choice;
  if (settings.all_tiles) {
    choice.kernel = &kernel_for(job_, device_, settings.tune.kernel);
    found.tiles = modelled_tiles(*choice.kernel, job_, device_, fields_);
    time_tiles(*choice.kernel, job_, device_, fields_, found.tiles);
    choice.tile = std::min_element(found.tiles.begin(), found.tiles.end(), [](const auto& a, const auto& b) {
                    return a.ctpn_ns < b.ctpn_ns;
                  })->prediction.tile;
    choice.origin = Origin::search;
  } else {
    choice = choose_tuned(job_, device_, fields_, settings.tune, cache);
  }
  const Kernel& kernel = *choice.kernel;
  const Prepared prepared = kernel.prepare(job_, device_, choice.tile, fields_);
  const int planes = job_.layout.size[2];
  const auto [ctpn, triad] = beside_triad([&](int which) { prepared.step(which, 0, planes, nullptr); }, settings);
  found.stencil = stencil_;
  found.points = job_.stencil.point_count();
  found.precision = job_.precision;
  found.grid = job_.layout.size;
  found.kernel = kernel.name;
  found.tile = choice.tile;
  found.tile_from = to_string(choice.origin);
  found.resources = prepared.resources;
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

GpuProfile GpuBench::profile_or_error(const GpuProfileSettings& settings, TuneCache& cache) {
  try {
    return profile(settings, cache);
  } catch (const Error& error) {
    if (error.status != Status::resource) throw;
    GpuProfile failed;
    failed.stencil = stencil_;
    failed.points = job_.stencil.point_count();
    failed.precision = job_.precision;
    failed.grid = job_.layout.size;
    failed.kernel = settings.tune.kernel;
    failed.error = error.what();
    return failed;
  }
}

RoofTimes GpuBench::roofs(const GpuProfileSettings& settings) {
  RoofTimes times;
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

void GpuBench::only_steps(const std::string& kernel, const Tile& tile, int steps) {
  const Prepared prepared = kernel_for(job_, device_, kernel).prepare(job_, device_, tile, fields_);
  for (int i = 0; i < steps; ++i) prepared.step(i & 1, 0, job_.layout.size[2], nullptr);
  wait_for_device();
}

}  // namespace fdtd::cuda
