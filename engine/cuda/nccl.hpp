// NCCL, found when the program runs: it builds and starts without. One communicator of all ranks, for planes between
// neighbours, GPU to GPU.
#pragma once

#include <cstddef>

#include "engine/cuda/kernel.hpp"
#include "engine/ranks.hpp"

struct ncclComm;

namespace fdtd::cuda {

// Blocks of an exchange, a multiprocessor each, which a step's kernel leaves to them: NCCL_MAX_P2P_NCHANNELS of the environment,
// 1 to 32, or 8. One moves about 4 GB/s each way beside a marching kernel.
int exchange_blocks();

class Nccl {
 public:
  // Collective, on the current device. Throws Error (status resource) where the library is not there or refuses, with its
  // reason.
  explicit Nccl(Ranks& ranks);
  ~Nccl();
  Nccl(const Nccl&) = delete;
  Nccl& operator=(const Nccl&) = delete;

  struct Planes {
    const void* out = nullptr;
    void* in = nullptr;
    std::size_t bytes = 0;  // 0: no neighbour there
  };
  // To and from the ranks below and above, as one operation on the stream. Asynchronous.
  void exchange(const Planes& below, const Planes& above, Stream stream) const;
  // Throws Error where the communicator has met one since.
  void check() const;

 private:
  int rank_;
  ncclComm* comm_ = nullptr;
};

}  // namespace fdtd::cuda
