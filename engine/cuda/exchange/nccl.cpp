#include "engine/cuda/exchange/nccl.hpp"

#include <dlfcn.h>
#include <fmt/format.h>

#include <array>
#include <cstdlib>
#include <exception>
#include <span>
#include <string>

#include "base/error.hpp"
#include "engine/cuda/gpu/stream_flag.hpp"

namespace fdtd::cuda {
namespace {

// As nccl.h of NCCL 2 declares them; the ABI has not changed since 2.7, the first with send and receive.
struct UniqueId {
  std::array<char, 128> internal;
};
constexpr int success = 0, in_progress = 7;
constexpr int type_char = 0;  // ncclInt8

struct Library {
  const char* (*GetErrorString)(int);
  int (*GetUniqueId)(UniqueId*);
  int (*CommInitRank)(ncclComm**, int, UniqueId, int);
  int (*CommDestroy)(ncclComm*);
  int (*CommAbort)(ncclComm*);
  int (*CommGetAsyncError)(ncclComm*, int*);
  int (*GroupStart)();
  int (*GroupEnd)();
  int (*Send)(const void*, std::size_t, int, int, ncclComm*, Stream);
  int (*Recv)(void*, std::size_t, int, int, ncclComm*, Stream);
};

template <class Function>
void find(void* handle, const char* name, Function& function) {
  function = reinterpret_cast<Function>(dlsym(handle, name));
  if (function == nullptr)
    throw Error(Status::resource, fmt::format("libnccl.so.2 has no {}", name), "NCCL 2.7 or newer");
}

Library open_library() {
  void* const handle = dlopen("libnccl.so.2", RTLD_NOW | RTLD_LOCAL);
  if (handle == nullptr)
    throw Error(Status::resource, fmt::format("several GPUs need NCCL: {}", dlerror()),
                "install libnccl2, or put its folder into LD_LIBRARY_PATH");
  Library found{};
  find(handle, "ncclGetErrorString", found.GetErrorString);
  find(handle, "ncclGetUniqueId", found.GetUniqueId);
  find(handle, "ncclCommInitRank", found.CommInitRank);
  find(handle, "ncclCommDestroy", found.CommDestroy);
  find(handle, "ncclCommAbort", found.CommAbort);
  find(handle, "ncclCommGetAsyncError", found.CommGetAsyncError);
  find(handle, "ncclGroupStart", found.GroupStart);
  find(handle, "ncclGroupEnd", found.GroupEnd);
  find(handle, "ncclSend", found.Send);
  find(handle, "ncclRecv", found.Recv);
  return found;
}

const Library& library() {
  static const Library found = open_library();
  return found;
}

void require(int result, const char* what) {
  if (result == success || result == in_progress) return;
  throw Error(Status::resource, fmt::format("NCCL: {} in {}", library().GetErrorString(result), what),
              "NCCL_DEBUG=WARN in the environment prints more");
}

}  // namespace

int exchange_blocks(int planes) {
  const char* const requested = std::getenv("NCCL_MAX_P2P_NCHANNELS");
  const int number = requested != nullptr ? std::atoi(requested) : 0;
  return number >= 1 && number <= 32 ? number : planes > 2 ? 16 : 8;
}

Nccl::Nccl(Ranks& ranks, int blocks) : rank_(ranks.rank()), blocks_(blocks) {
  // As few blocks as neighbours' planes need, each for itself: in clusters, NCCL's own choice on sm_90, they would wait
  // until neighbouring multiprocessors are free at once. setenv leaves alone what the user has set.
  setenv("NCCL_CGA_CLUSTER_SIZE", "0", 0);
  setenv("NCCL_MAX_P2P_NCHANNELS", std::to_string(blocks).c_str(), 0);
  UniqueId id{};
  if (ranks.first()) require(library().GetUniqueId(&id), "ncclGetUniqueId");
  ranks.broadcast(std::as_writable_bytes(std::span(id.internal)));
  require(library().CommInitRank(&comm_, ranks.size(), id, rank_), "ncclCommInitRank");
}

// On the way out of a failure an exchange may be under way that nobody will ever end: that would be waited for.
Nccl::~Nccl() {
  if (comm_ == nullptr) return;
  (void)(std::uncaught_exceptions() > 0 ? library().CommAbort(comm_) : library().CommDestroy(comm_));
}

// As one operation: neither side waits for the other.
void Nccl::queue(int, const Sides& sides, std::uint32_t* arrived, std::uint32_t ticket, Stream stream) {
  const Library& nccl = library();
  require(nccl.GroupStart(), "ncclGroupStart");
  for (const auto& [planes, other] : {std::pair{sides[0], rank_ - 1}, std::pair{sides[1], rank_ + 1}}) {
    if (planes.bytes == 0) continue;
    require(nccl.Send(planes.out, planes.bytes, type_char, other, comm_, stream), "ncclSend");
    require(nccl.Recv(planes.in, planes.bytes, type_char, other, comm_, stream), "ncclRecv");
  }
  require(nccl.GroupEnd(), "ncclGroupEnd");
  launch_set_flag(arrived, ticket, stream);
}

void Nccl::check() const {
  int result = success;
  require(library().CommGetAsyncError(comm_, &result), "ncclCommGetAsyncError");
  require(result, "an exchange of planes");
}

}  // namespace fdtd::cuda
