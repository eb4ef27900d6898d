#include "engine/devices/batches.hpp"

#include <fmt/format.h>

#include "base/error.hpp"
#include "engine/devices/devices.hpp"
#include "engine/devices/gpu_code.hpp"

namespace fdtd {

void expect_batches() {
  if (const GpuCode* const code = find_gpu_code()) code->expect_batches();
}

void require_batches(const Target& target) {
  const char* const remedy =
      "leave the batch out: rooms are computed one after the other, or several at a time by processes";
  if (!target.on_gpu())
    throw Error(Status::resource, "a batch needs a GPU, and the device is cpu",
                fmt::format("--device cuda; or {}", remedy));
  if (target.ranks > 1)
    throw Error(Status::resource, "a batch is computed by one GPU, and the device is cuda:all",
                fmt::format("--device cuda:N; or {}", remedy));
  const Gpu gpu = gpus().at(static_cast<std::size_t>(target.gpu));
  if (!gpu.takes_batches)
    throw Error(Status::resource,
                fmt::format("cuda:{} ({}) takes no batches: they need compute capability 9.0 and memory pools",
                            target.gpu, gpu.name),
                remedy);
}

}  // namespace fdtd
