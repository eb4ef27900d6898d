#include "engine/vector/aligned_memory.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "base/error.hpp"

#ifdef __linux__
#include <sys/mman.h>
#endif

namespace fdtd::cpu {
namespace {

constexpr std::size_t huge_page = std::size_t{2} << 20U, line = 64;

std::size_t alignment_of(std::size_t bytes) { return bytes >= huge_page ? huge_page : line; }

}  // namespace

// Never zero, for which the library may return null.
std::size_t allocated_bytes(std::size_t bytes) {
  const std::size_t alignment = alignment_of(bytes);
  return std::max<std::size_t>((bytes + alignment - 1) / alignment, 1) * alignment;
}

std::unique_ptr<void, Free> allocate_memory(std::size_t bytes) {
  const std::size_t alignment = alignment_of(bytes), whole = allocated_bytes(bytes);
  std::unique_ptr<void, Free> memory(std::aligned_alloc(alignment, whole));
  if (!memory) {
    throw Error(Status::resource,
                fmt::format("{:.3g} GB of memory could not be had", static_cast<double>(whole) * 1e-9),
                "a coarser grid, f32 instead of f64, or a machine with more memory");
  }
#ifdef __linux__
  if (alignment == huge_page)
    madvise(memory.get(), whole, MADV_HUGEPAGE);  // a few percent faster; failure does no harm
#endif
  return memory;
}

}  // namespace fdtd::cpu
