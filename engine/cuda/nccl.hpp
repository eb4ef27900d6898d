// NCCL, found when the program runs: it builds and starts without. One communicator of all ranks, for planes between
// neighbours, GPU to GPU.
#pragma once

#include <cstddef>

#include "engine/cuda/kernel.hpp"
#include "engine/ranks.hpp"

struct ncclComm;

namespace fdtd::cuda {

// Blocks of an exchange of so many planes each way, a multiprocessor each, which a step's kernel leaves to them:
// NCCL_MAX_P2P_NCHANNELS of the environment, 1 to 32, or else 8 for one or two planes, 16 for more. Beside a marching kernel one
// moves 3 to 5 GB/s each way (H200).
int exchange_blocks(int planes);

class Nccl {
 public:
  // Collective, on the current device. Throws Error (status resource) where the library is not there or refuses, with its
  // reason.
  Nccl(Ranks& ranks, int blocks);
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
