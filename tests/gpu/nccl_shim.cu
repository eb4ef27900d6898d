// Stands before NCCL (a libnccl.so.2 in a folder of its own; FDTD_REAL_NCCL names the real one) and lets rank
// FDTD_LOST_RANK lose its GPU at its FDTD_LOST_AT-th exchange: a kernel that traps ends the GPU's context, and from
// there on every call fails, as it does when a GPU falls off its bus.
#include <dlfcn.h>

#include <cstdlib>

namespace {

struct UniqueId {
  char internal[128];
};

void* real(const char* name) {
  static void* const library = dlopen(std::getenv("FDTD_REAL_NCCL"), RTLD_NOW | RTLD_LOCAL);
  return library != nullptr ? dlsym(library, name) : nullptr;
}

__global__ void fall_off() { __trap(); }

long number(const char* name, long otherwise) {
  const char* const text = std::getenv(name);
  return text != nullptr ? std::atol(text) : otherwise;
}

}  // namespace

#define FDTD_FORWARD(result, name, parameters, arguments)                             \
  extern "C" __attribute__((visibility("default"))) result name parameters {          \
    static const auto function = reinterpret_cast<result(*) parameters>(real(#name)); \
    return function arguments;                                                        \
  }

FDTD_FORWARD(const char*, ncclGetErrorString, (int error), (error))
FDTD_FORWARD(int, ncclGetUniqueId, (UniqueId * id), (id))
FDTD_FORWARD(int, ncclCommInitRank, (void** comm, int count, UniqueId id, int rank), (comm, count, id, rank))
FDTD_FORWARD(int, ncclCommDestroy, (void* comm), (comm))
FDTD_FORWARD(int, ncclCommAbort, (void* comm), (comm))
FDTD_FORWARD(int, ncclCommGetAsyncError, (void* comm, int* error), (comm, error))
FDTD_FORWARD(int, ncclGroupEnd, (), ())
FDTD_FORWARD(int, ncclSend, (const void* from, size_t count, int type, int to, void* comm, cudaStream_t stream),
             (from, count, type, to, comm, stream))
FDTD_FORWARD(int, ncclRecv, (void* to, size_t count, int type, int from, void* comm, cudaStream_t stream),
             (to, count, type, from, comm, stream))

extern "C" __attribute__((visibility("default"))) int ncclGroupStart() {
  static const auto function = reinterpret_cast<int (*)()>(real("ncclGroupStart"));
  static long exchanges = 0;
  if (number("OMPI_COMM_WORLD_RANK", 0) == number("FDTD_LOST_RANK", -1) && ++exchanges == number("FDTD_LOST_AT", -1))
    fall_off<<<1, 1>>>();
  return function();
}
