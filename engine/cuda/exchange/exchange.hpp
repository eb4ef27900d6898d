// The exchange of planes between GPUs, behind one interface:
//   peer  among GPUs of one machine that reach each other's memory: copy engines write the planes into the
//         neighbour's halo, and the stream itself signals and waits; it needs no multiprocessor
//   nccl  anywhere: its kernels send and receive, on multiprocessors that a step must leave free
// make_exchange.hpp chooses. On four H200, 1024^3 nodes, planes take 36 to 170 us by peer and 282 to 550 us by nccl, and a
// step is 1 to 6 % faster.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>

#include "engine/cuda/kernels/kernel.hpp"
#include "engine/system/ranks.hpp"

namespace fdtd::cuda {

// Planes that a neighbour reads, and where his come.
struct Side {
  const void* out = nullptr;
  void* in = nullptr;
  std::size_t bytes = 0;  // 0: no neighbour there
};
using Sides = std::array<Side, 2>;  // to and from the rank below, and above

class Exchange {
 public:
  Exchange() = default;
  Exchange(const Exchange&) = delete;
  Exchange& operator=(const Exchange&) = delete;
  virtual ~Exchange() = default;
  // Queues a field's planes (0 or 1, its Sides) to and from the neighbours, and *arrived = ticket after them; tickets
  // count up from 1.
  virtual void queue(int field, const Sides& sides, std::uint32_t* arrived, std::uint32_t ticket, Stream stream) = 0;
  // Throws Error (status resource) where an exchange has failed since.
  virtual void check() const = 0;
  virtual int multiprocessors() const = 0;  // that a step's kernel leaves to it
  virtual std::string name() const = 0;
};

// The exchanged memory: a field is `fields[i]` bytes from `base[i]` on, an allocation of its own.
struct Fields {
  std::array<void*, 2> base{};
  std::array<Sides, 2> sides;
  int radius = 0;
  bool ghosts = false;  // planes that a step computes are among those that come (slab.hpp)
};

}  // namespace fdtd::cuda
