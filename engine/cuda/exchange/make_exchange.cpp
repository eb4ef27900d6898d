#include "engine/cuda/exchange/make_exchange.hpp"

#include <fmt/format.h>

#include <cstdlib>

#include "base/error.hpp"
#include "engine/cuda/exchange/nccl.hpp"
#include "engine/cuda/exchange/peer.hpp"

namespace fdtd::cuda {
namespace {

std::unique_ptr<Exchange> make_nccl(Ranks& ranks, const Fields& fields) {
  return std::make_unique<Nccl>(ranks, exchange_blocks(fields.radius));
}

}  // namespace

std::unique_ptr<Exchange> make_exchange(Ranks& ranks, const Fields& fields) {
  const char* const requested = std::getenv("FDTD_HALO");
  const std::string name = of_first(ranks, std::string(requested != nullptr ? requested : ""));
  if (name == "nccl") return make_nccl(ranks, fields);
  if (!name.empty() && name != "peer")
    throw Error(Status::scene, fmt::format("FDTD_HALO: \"{}\" is no way of halos", name),
                "nccl or peer, or leave it out");
  PeerOrReason made = make_peer_exchange(ranks, fields);
  if (made.why_not.empty()) return std::move(made.exchange);
  if (name.empty()) return make_nccl(ranks, fields);
  throw Error(Status::resource, fmt::format("FDTD_HALO=peer: {}", made.why_not), "FDTD_HALO=nccl goes anywhere");
}

}  // namespace fdtd::cuda
