#include "engine/cuda/exchange/halo.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <thread>
#include <tuple>

#include "base/error.hpp"
#include "engine/cuda/exchange/make_exchange.hpp"
#include "engine/cuda/gpu/check.cuh"

namespace fdtd::cuda {
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

Halo::Halo(const Slab& slab, const Layout& layout, const std::array<void*, 2>& fields, Ranks& ranks)
    : slab_(slab), layout_(layout), ranks_(ranks), fields_(fields) {
  std::tie(low_, high_) = inside_of(slab, layout);
  int least = 0, greatest = 0;
  FDTD_CUDA(cudaDeviceGetStreamPriorityRange(&least, &greatest));
  FDTD_CUDA(cudaStreamCreateWithPriority(&stream_, cudaStreamDefault, greatest));
  for (CUevent_st** event : {&stepped_, &received_}) FDTD_CUDA(cudaEventCreateWithFlags(event, cudaEventDisableTiming));
  exchange_ = make_exchange(
      ranks,
      {fields, {sides_of(fields[0]), sides_of(fields[1])}, layout.radius, slab.ghosts_below + slab.ghosts_above > 0});
}

std::pair<int, int> Halo::inside_of(const Slab& slab, const Layout& layout) {
  const int nz = layout.size[2], low = slab.below ? std::min(slab.ghosts_below + layout.radius, nz) : 0;
  return {low, slab.above ? std::max(low, nz - slab.ghosts_above - layout.radius) : nz};
}

Halo::~Halo() {
  timed_.reset();
  for (CUevent_st* const event : {stepped_, received_}) (void)cudaEventDestroy(event);
  (void)cudaStreamDestroy(stream_);
}

// Work that `then` gets from here on waits for all work of `first`.
void Halo::after(Stream first, Stream then, CUevent_st* event) const {
  FDTD_CUDA(cudaEventRecord(event, first));
  FDTD_CUDA(cudaStreamWaitEvent(then, event));
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

Sides Halo::sides_of(void* field) const {
  auto* const bytes = static_cast<std::byte*>(field);
  const auto at = [&](int z) {
    return bytes + static_cast<std::size_t>(layout_.offset(0, 0, z)) * layout_.value_bytes;
  };
  const int R = layout_.radius, nz = layout_.size[2];
  const auto planes = [&](int out, int in, int count) {
    const auto values = (count - 1) * layout_.plane + (layout_.size[1] - 1) * layout_.row + layout_.size[0];
    return Side{at(out), at(in), static_cast<std::size_t>(values) * layout_.value_bytes};
  };
  Sides sides;
  if (slab_.below) sides[0] = planes(slab_.ghosts_below, -R, R + slab_.ghosts_below);
  if (slab_.above) {
    const int count = R + slab_.ghosts_above, own_end = nz - slab_.ghosts_above;
    sides[1] = planes(own_end - count, own_end, count);
  }
  return sides;
}

void Halo::exchange(void* u1, Stream main, std::int64_t step) {
  const int field = u1 == fields_[0] ? 0 : 1;
  after(main, stream_, stepped_);
  mark("halo", step, stream_, [&] { exchange_->queue(field, sides_of(u1), arrived_.data(), ++ticket_, stream_); });
}

void Halo::step(std::int64_t step, const Step& work, Stream main) {
  const int nz = layout_.size[2];
  if (work.to_borders) {
    mark("step", step, main, [&] {
      work.correct_inside();
      work.to_borders({low_, high_, arrived_.data(), ticket_}, main);
    });
  } else {
    mark("inside", step, main, [&] {
      work.correct_inside();
      if (low_ < high_) work.planes(low_, high_, main);
    });
    after(stream_, main, received_);
    mark("edges", step, main, [&] {
      work.correct_borders();
      if (low_ > 0) work.planes(0, low_, main);
      if (high_ < nz) work.planes(high_, nz, main);
    });
  }
  mark("walls", step, main, work.walls);
}

void Halo::wait(Stream main) const {
  const auto start = std::chrono::steady_clock::now();
  const double patience = rank_patience();  // at the end of a block that takes about a second
  for (;;) {
    const cudaError_t state = cudaStreamQuery(main), halo = cudaStreamQuery(stream_);
    if (state == cudaSuccess && halo == cudaSuccess) return;
    if (state != cudaErrorNotReady) FDTD_CUDA(state);
    if (halo != cudaErrorNotReady) FDTD_CUDA(halo);
    exchange_->check();
    if (std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count() > patience)
      throw Error(Status::resource, fmt::format("a GPU has waited {:.0f} s for a neighbour's planes", patience),
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
