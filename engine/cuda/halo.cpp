#include "engine/cuda/halo.hpp"

#include <algorithm>
#include <chrono>
#include <thread>

#include "engine/cuda/check.cuh"
#include "engine/error.hpp"

namespace fdtd::cuda {
namespace {

constexpr double patience = 20.0;  // s, at the end of a block that takes about one

}  // namespace

struct Halo::Timed {
  struct Pair {
    std::string name;
    std::int64_t step;
    cudaEvent_t begin, end;
  };
  explicit Timed(std::int64_t most) : capacity(most) {}
  ~Timed() {
    for (const Pair& pair : pairs) {
      (void)cudaEventDestroy(pair.begin);
      (void)cudaEventDestroy(pair.end);
    }
  }
  Timed(const Timed&) = delete;
  Timed& operator=(const Timed&) = delete;
  std::int64_t capacity;
  std::vector<Pair> pairs;
};

Halo::Halo(const Slab& slab, const Layout& layout, Ranks& ranks) : slab_(slab), layout_(layout), nccl_(ranks) {
  if (slab.ghosts_below > 0 || slab.ghosts_above > 0)
    throw Error(Status::resource, "a wall that reads several nodes lies on both sides of a border between two GPUs",
                "take another number of GPUs, or turn the room");
  int least = 0, greatest = 0;
  FDTD_CUDA(cudaDeviceGetStreamPriorityRange(&least, &greatest));
  FDTD_CUDA(cudaStreamCreateWithPriority(&stream_, cudaStreamDefault, greatest));
  for (CUevent_st*& event : events_) FDTD_CUDA(cudaEventCreateWithFlags(&event, cudaEventDisableTiming));
}

Halo::~Halo() {
  timed_.reset();
  for (CUevent_st* const event : events_) (void)cudaEventDestroy(event);
  (void)cudaStreamDestroy(stream_);
}

void Halo::mark(const char* name, std::int64_t step, Stream stream, const std::function<void()>& work) {
  const bool timed = timed_ && step >= 0 && static_cast<std::int64_t>(timed_->pairs.size()) < 4 * timed_->capacity;
  if (!timed) return work();
  Timed::Pair pair{name, step, nullptr, nullptr};
  FDTD_CUDA(cudaEventCreate(&pair.begin));
  FDTD_CUDA(cudaEventCreate(&pair.end));
  FDTD_CUDA(cudaEventRecord(pair.begin, stream));
  work();
  FDTD_CUDA(cudaEventRecord(pair.end, stream));
  timed_->pairs.push_back(pair);
}

void Halo::exchange(void* u1, Stream main, std::int64_t step) {
  auto* const bytes = static_cast<std::byte*>(u1);
  const auto at = [&](int z) {
    return bytes + static_cast<std::size_t>(layout_.offset(0, 0, z)) * layout_.value_bytes;
  };
  const int R = layout_.radius, nz = layout_.size[2];
  const auto values = (R - 1) * layout_.plane + (layout_.size[1] - 1) * layout_.row + layout_.size[0];
  const std::size_t size = static_cast<std::size_t>(values) * layout_.value_bytes;
  Nccl::Planes below, above;
  if (slab_.below) below = {at(0), at(-R), size};
  if (slab_.above) above = {at(nz - R), at(nz), size};
  FDTD_CUDA(cudaEventRecord(events_[0], main));
  FDTD_CUDA(cudaStreamWaitEvent(stream_, events_[0]));
  mark("halo", step, stream_, [&] { nccl_.exchange(below, above, stream_); });
  FDTD_CUDA(cudaEventRecord(events_[1], stream_));
}

void Halo::step(std::int64_t step, const std::function<void(int, int)>& planes, const std::function<void()>& walls,
                Stream main) {
  const int R = layout_.radius, nz = layout_.size[2];
  const int low = slab_.below ? std::min(R, nz) : 0, high = slab_.above ? std::max(low, nz - R) : nz;
  mark("inside", step, main, [&] {
    if (low < high) planes(low, high);
  });
  FDTD_CUDA(cudaStreamWaitEvent(main, events_[1]));
  mark("edges", step, main, [&] {
    if (low > 0) planes(0, low);
    if (high < nz) planes(high, nz);
  });
  mark("walls", step, main, walls);
}

void Halo::wait(Stream main) const {
  const auto start = std::chrono::steady_clock::now();
  for (;;) {
    const cudaError_t state = cudaStreamQuery(main), halo = cudaStreamQuery(stream_);
    if (state == cudaSuccess && halo == cudaSuccess) return;
    if (state != cudaErrorNotReady) FDTD_CUDA(state);
    if (halo != cudaErrorNotReady) FDTD_CUDA(halo);
    nccl_.check();
    if (std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count() > patience)
      throw Error(Status::resource, "a GPU has waited 20 s for a neighbour's planes",
                  "a rank or its GPU hangs: see its machine; the last checkpoint is valid");
    std::this_thread::sleep_for(std::chrono::microseconds(20));
  }
}

void Halo::time(std::int64_t capacity) { timed_ = std::make_unique<Timed>(capacity); }

std::vector<Span> Halo::spans() const {
  std::vector<Span> spans;
  if (!timed_) return spans;
  for (const Timed::Pair& pair : timed_->pairs) {
    float begin = 0.0F, end = 0.0F;
    FDTD_CUDA(cudaEventElapsedTime(&begin, timed_->pairs.front().begin, pair.begin));
    FDTD_CUDA(cudaEventElapsedTime(&end, timed_->pairs.front().begin, pair.end));
    spans.push_back({pair.name, pair.step, 1e3 * static_cast<double>(begin), 1e3 * static_cast<double>(end)});
  }
  return spans;
}

}  // namespace fdtd::cuda
