// NCCL, found when the program runs: it builds and starts without. One communicator of all ranks, for planes between
// neighbours, GPU to GPU.
#pragma once

#include "engine/cuda/exchange/exchange.hpp"

struct ncclComm;

namespace fdtd::cuda {

// Blocks of an exchange of so many planes each way, a multiprocessor each, which a step's kernel leaves to them:
// NCCL_MAX_P2P_NCHANNELS of the environment, 1 to 32, or else 8 for one or two planes, 16 for more. Beside a marching
// kernel one moves 3 to 5 GB/s each way (H200).
int exchange_blocks(int planes);

class Nccl final : public Exchange {
 public:
  // Collective, on the current device. Throws Error (status resource) where the library is not there or refuses, with
  // its reason.
  Nccl(Ranks& ranks, int blocks);
  ~Nccl() override;
  void queue(int field, const Sides& sides, std::uint32_t* arrived, std::uint32_t ticket, Stream stream) override;
  void check() const override;
  int multiprocessors() const override { return blocks_; }
  std::string name() const override { return "nccl"; }

 private:
  int rank_, blocks_;
  ncclComm* comm_ = nullptr;
};

}  // namespace fdtd::cuda
