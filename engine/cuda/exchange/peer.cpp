#include "engine/cuda/exchange/peer.hpp"

#include <cuda.h>
#include <fmt/format.h>

#include <cstring>
#include <exception>
#include <span>
#include <utility>
#include <vector>

#include "base/error.hpp"
#include "engine/cuda/gpu/check.cuh"
#include "engine/cuda/gpu/device.hpp"

namespace fdtd::cuda {
namespace {

constexpr std::size_t flag_bytes = std::size_t{2} << 20U;  // interprocess memory comes in whole blocks of 2 MiB
constexpr std::size_t flag_apart = 128;                    // a cache line each
constexpr std::size_t below = 0, above = 1;

struct StreamOps {
  decltype(&cuStreamWriteValue32) write = nullptr;
  decltype(&cuStreamWaitValue32) wait = nullptr;
};

// Found at run time, as in tma.cu; without them, or where the driver is too old, both are null.
StreamOps find_stream_ops() {
  StreamOps ops;
  const auto find = [](const char* name) {
    void* function = nullptr;
    cudaDriverEntryPointQueryResult found{};
    const cudaError_t error = cudaGetDriverEntryPointByVersion(name, &function, 12000, cudaEnableDefault, &found);
    return error == cudaSuccess && found == cudaDriverEntryPointSuccess ? function : nullptr;
  };
  ops.write = reinterpret_cast<decltype(ops.write)>(find("cuStreamWriteValue32"));
  ops.wait = reinterpret_cast<decltype(ops.wait)>(find("cuStreamWaitValue32"));
  return ops;
}

const StreamOps& stream_ops() {
  static const StreamOps found = find_stream_ops();
  return found;
}

CUdeviceptr address(const void* memory) { return reinterpret_cast<CUdeviceptr>(memory); }

void require(CUresult result, const char* what) {
  if (result != CUDA_SUCCESS)
    throw Error(Status::resource, fmt::format("CUDA: error {} in {}", static_cast<int>(result), what),
                "FDTD_HALO=nccl does without it");
}

// The memory of a rank as the others see it: fields 0 and 1, and flags.
struct Offer {
  std::array<cudaIpcMemHandle_t, 3> memory;
  std::array<std::array<std::uint64_t, 2>, 2> in;  // [field][side]: bytes from the field's base to where planes come
};

// A neighbour's memory, as this process reaches it; nothing where there is no neighbour.
struct Mapped {
  std::array<void*, 3> memory{};
  std::array<std::byte*, 2> in{};  // of a field: where this rank's planes go
  std::uint32_t* flag = nullptr;   // that it waits for
};

class Peer final : public Exchange {
 public:
  Peer(Ranks& ranks, const Fields& fields) : ranks_(ranks), fields_(fields), flags_(take_device_memory(flag_bytes)) {
    clear_device_memory(flags_.get(), flag_bytes);
    FDTD_CUDA(cudaStreamCreateWithFlags(&own_stream_, cudaStreamNonBlocking));
  }

  // No neighbour may write any more, and none may still have this rank's memory when it is given back. On the way out
  // of a failure nobody may ever tell: what waits is let go, and nobody is waited for.
  ~Peer() override {
    const bool failed = std::uncaught_exceptions() > 0;
    if (failed) let_go();
    for (const Mapped& other : others_)
      for (void* const memory : other.memory)
        if (memory != nullptr && !failed) (void)cudaIpcCloseMemHandle(memory);
    if (!failed && agreed_) ranks_.wait_for_all();
    (void)cudaStreamDestroy(own_stream_);
  }

  Offer offer() const {
    Offer mine{};
    for (std::size_t i = 0; i < 3; ++i)
      FDTD_CUDA(cudaIpcGetMemHandle(&mine.memory[i], i < 2 ? fields_.base[i] : flags_.get()));
    for (std::size_t field = 0; field < 2; ++field)
      for (const std::size_t side : {below, above})
        if (has(side))
          mine.in[field][side] = static_cast<std::uint64_t>(static_cast<std::byte*>(fields_.sides[field][side].in) -
                                                            static_cast<std::byte*>(fields_.base[field]));
    return mine;
  }

  void map(const std::vector<Offer>& all) {
    for (const std::size_t side : {below, above}) {
      if (!has(side)) continue;
      const Offer& theirs = all[static_cast<std::size_t>(neighbour(side))];
      Mapped& other = others_[side];
      for (std::size_t i = 0; i < 3; ++i)
        FDTD_CUDA(cudaIpcOpenMemHandle(&other.memory[i], theirs.memory[i], cudaIpcMemLazyEnablePeerAccess));
      const std::size_t back = 1 - side;  // the side of his on which I am
      for (std::size_t field = 0; field < 2; ++field)
        other.in[field] = static_cast<std::byte*>(other.memory[field]) + theirs.in[field][back];
      other.flag = flag_at(other.memory[2], back);
    }
  }

  // Every rank writes into its own halos whose they are; its neighbours read that where they would write, and tell by
  // the flags. Throws Error where something else is there.
  void mark_halos() const {
    each_halo([](std::uint64_t mark) { return mark; });
  }
  void look_at_neighbours() const {
    for (const std::size_t side : {below, above}) {
      if (!has(side)) continue;
      for (std::size_t field = 0; field < 2; ++field) {
        std::uint64_t mark = 0;
        FDTD_CUDA(cudaMemcpy(&mark, others_[side].in[field], sizeof(mark), cudaMemcpyDefault));
        if (mark != mark_of(neighbour(side), field, 1 - side))
          throw Error(Status::resource, fmt::format("rank {}'s memory is not what it says", neighbour(side)));
      }
      require(stream_ops().write(own_stream_, address(others_[side].flag), flag_of_trial, 0), "cuStreamWriteValue32");
    }
    FDTD_CUDA(cudaStreamSynchronize(own_stream_));
  }
  void see_flags_and_clear() const {
    for (const std::size_t side : {below, above}) {
      std::uint32_t seen = 0;
      copy_to_host(&seen, flag_at(flags_.get(), side), sizeof(seen));
      if (has(side) && seen != flag_of_trial)
        throw Error(Status::resource, fmt::format("rank {}'s flag has not come", neighbour(side)));
    }
    clear_device_memory(flags_.get(), flag_bytes);
    each_halo([](std::uint64_t) { return std::uint64_t{0}; });
  }

  void agree() { agreed_ = true; }

  void queue(int field, const Sides& sides, std::uint32_t* arrived, std::uint32_t ticket, Stream stream) override {
    const auto f = static_cast<std::size_t>(field);
    last_ = ticket;
    for (const std::size_t side : {below, above}) {
      if (!has(side)) continue;
      FDTD_CUDA(cudaMemcpyAsync(others_[side].in[f], sides[side].out, sides[side].bytes, cudaMemcpyDefault, stream));
      require(stream_ops().write(stream, address(others_[side].flag), ticket, CU_STREAM_WRITE_VALUE_DEFAULT),
              "cuStreamWriteValue32");
    }
    for (const std::size_t side : {below, above})
      if (has(side))
        require(stream_ops().wait(stream, address(flag_at(flags_.get(), side)), ticket, CU_STREAM_WAIT_VALUE_GEQ),
                "cuStreamWaitValue32");
    require(stream_ops().write(stream, address(arrived), ticket, CU_STREAM_WRITE_VALUE_DEFAULT),
            "cuStreamWriteValue32");
  }
  void check() const override {}  // what fails here fails in the stream
  int multiprocessors() const override { return 0; }
  std::string name() const override { return "peer"; }

 private:
  static constexpr std::uint32_t flag_of_trial = 0x5A5A5A5AU;

  bool has(std::size_t side) const { return fields_.sides[0][side].bytes > 0; }
  int neighbour(std::size_t side) const { return ranks_.rank() + (side == below ? -1 : 1); }
  static std::uint32_t* flag_at(void* flags, std::size_t side) {
    return reinterpret_cast<std::uint32_t*>(static_cast<std::byte*>(flags) + side * flag_apart);
  }
  static std::uint64_t mark_of(int rank, std::size_t field, std::size_t side) {
    return 0x6B1D000000000000U + static_cast<std::uint64_t>(rank) * 4 + field * 2 + side;
  }
  template <class Value>
  void each_halo(const Value& value) const {
    for (std::size_t field = 0; field < 2; ++field)
      for (const std::size_t side : {below, above}) {
        if (!has(side)) continue;
        const std::uint64_t bits = value(mark_of(ranks_.rank(), field, side));
        copy_to_device(fields_.sides[field][side].in, &bits, sizeof(bits));
      }
  }
  void let_go() const {
    for (const std::size_t side : {below, above})
      (void)stream_ops().write(own_stream_, address(flag_at(flags_.get(), side)), last_, 0);
  }

  Ranks& ranks_;
  Fields fields_;
  DeviceMemory flags_;
  std::array<Mapped, 2> others_;
  cudaStream_t own_stream_ = nullptr;  // waits for nobody's
  std::uint32_t last_ = 0;
  bool agreed_ = false;  // all ranks have one
};

// Every rank's reason why something cannot be, or "": the lowest rank's that has one, at all.
std::string reason_of_all(Ranks& ranks, const std::string& mine) {
  const auto all = ranks.gather(std::as_bytes(std::span(mine)));
  for (std::size_t rank = 0; rank < all.size(); ++rank) {
    const std::string text(reinterpret_cast<const char*>(all[rank].data()), all[rank].size());
    if (!text.empty()) return fmt::format("rank {}: {}", rank, text);
  }
  return "";
}

// One stage at every rank; then all know whether all have come through. The state of a failed call is
// cleared.
template <class Stage>
std::string at_all(Ranks& ranks, const Stage& stage) {
  std::string reason;
  try {
    stage();
  } catch (const Error& error) {
    reason = error.what();
    (void)cudaGetLastError();
  }
  return reason_of_all(ranks, reason);
}

std::string why_never(const Ranks& ranks, const Fields& fields) {
  if (ranks.local_size() != ranks.size()) return "not all ranks are on one machine";
  if (fields.ghosts) return "walls lie on both sides of a border between ranks";
  if (stream_ops().write == nullptr || stream_ops().wait == nullptr)
    return "this driver's streams cannot wait for memory";
  return "";
}

}  // namespace

PeerOrReason make_peer_exchange(Ranks& ranks, const Fields& fields) {
  PeerOrReason made;
  made.why_not = reason_of_all(ranks, why_never(ranks, fields));
  if (!made.why_not.empty()) return made;
  std::unique_ptr<Peer> peer;
  Offer mine{};
  std::vector<Offer> all;
  const auto offers = [&] {
    for (const auto& bytes : ranks.gather(std::as_bytes(std::span(&mine, 1))))
      std::memcpy(&all.emplace_back(), bytes.data(), sizeof(Offer));
  };
  const auto stage = [&](const auto& work) {
    if (made.why_not.empty()) made.why_not = at_all(ranks, work);
  };
  stage([&] {
    peer = std::make_unique<Peer>(ranks, fields);
    mine = peer->offer();
  });
  if (made.why_not.empty()) offers();
  stage([&] { peer->map(all); });
  stage([&] { peer->mark_halos(); });
  stage([&] { peer->look_at_neighbours(); });
  stage([&] { peer->see_flags_and_clear(); });
  if (!made.why_not.empty()) return made;
  peer->agree();
  made.exchange = std::move(peer);
  return made;
}

}  // namespace fdtd::cuda
