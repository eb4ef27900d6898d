#include "engine/cuda/gpu/timing.hpp"

#include "engine/cuda/gpu/check.cuh"

namespace fdtd::cuda {
namespace {

class Event {
 public:
  Event() { FDTD_CUDA(cudaEventCreate(&event_)); }
  ~Event() { (void)cudaEventDestroy(event_); }
  Event(const Event&) = delete;
  Event& operator=(const Event&) = delete;
  cudaEvent_t get() const { return event_; }

 private:
  cudaEvent_t event_ = nullptr;
};

}  // namespace

double seconds_of(Stream stream, const std::function<void()>& work) {
  const Event begin, end;
  FDTD_CUDA(cudaEventRecord(begin.get(), stream));
  work();
  FDTD_CUDA(cudaEventRecord(end.get(), stream));
  FDTD_CUDA(cudaEventSynchronize(end.get()));
  float milliseconds = 0.0F;
  FDTD_CUDA(cudaEventElapsedTime(&milliseconds, begin.get(), end.get()));
  return static_cast<double>(milliseconds) * 1e-3;
}

}  // namespace fdtd::cuda
