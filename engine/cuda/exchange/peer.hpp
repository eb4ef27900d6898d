// Halos by copy engines: every rank maps its neighbours' fields (CUDA's interprocess memory) and writes its planes where they
// are read.
//
// On the halo's stream: planes to below and above | a flag to each of them | wait for theirs | the count. A flag is a ticket in
// the neighbour's memory, written and waited for by the stream itself (stream memory operations), without a kernel.
//
// Nobody has to be told that his halo may be written. The planes of u^{n+1} go, after step n, where those of u^{n-1} were; the
// neighbour's last look at these was his step n - 1, after which he sent the u^n that step n has waited for. What else reads
// halos (energies) is done between blocks, and told to all ranks before any goes on. Planes that a step computes as well
// (ghosts) may not be written so: rooms with ghosts take NCCL.
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
