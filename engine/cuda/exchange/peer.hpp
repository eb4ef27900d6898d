// Halos by copy engines: every rank maps its neighbours' fields (CUDA's interprocess memory) and writes its planes
// where they are read.
//
// On the halo's stream: planes to below and above | a flag to each of them | wait for theirs | the count. A flag is a
// ticket in the neighbour's memory, written and waited for by the stream itself (stream memory operations), without a
// kernel.
//
// No rank needs permission to write a neighbour's halo. After step n the planes of u^{n+1} replace those of u^{n-1};
// the neighbour last read these in its step n - 1, after which it sent the u^n that step n has waited for. Whatever
// else reads halos (energies) runs between blocks, and all ranks wait for each other before any continues. Planes that
// a step computes itself (ghosts) must not be written in this way: rooms with ghosts use NCCL.
#pragma once

#include "engine/cuda/exchange/exchange.hpp"

namespace fdtd::cuda {

struct PeerOrReason {
  std::unique_ptr<Exchange> exchange;
  std::string why_not;  // the same at all ranks
};

// Collective. Tried out before it is given: every rank reads in its neighbours' memory what they wrote there. The halos
// are zero then.
PeerOrReason make_peer_exchange(Ranks& ranks, const Fields& fields);

}  // namespace fdtd::cuda
