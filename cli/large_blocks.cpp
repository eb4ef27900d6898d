// The program's operator new: blocks of 64 MiB and more begin on a large page and ask for such pages. Planning
// a mesh of 4 x 10^8 nodes brings in 8 GB of pages, where one of 4 KiB takes 2 to 4 us and all threads wait for each
// other in the kernel: docs/performance/cpu.md, section 6. The sanitizers keep their own operator.
#if defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer) || __has_feature(memory_sanitizer)
#define FDTD_OPERATOR_NEW_OF_SANITIZER
#endif
#endif
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define FDTD_OPERATOR_NEW_OF_SANITIZER
#endif

#ifndef FDTD_OPERATOR_NEW_OF_SANITIZER
#include <sys/mman.h>

#include <cstdint>
#include <cstdlib>
#include <new>

namespace {

constexpr std::size_t large_page = std::size_t{2} << 20U;
constexpr std::size_t large_block = 32 * large_page;

void* block_of(std::size_t size) {
  if (size < large_block) return std::malloc(size == 0 ? 1 : size);
  if (size > SIZE_MAX - large_page) return nullptr;
  const std::size_t whole = (size + large_page - 1) / large_page * large_page;
  void* const block = std::aligned_alloc(large_page, whole);
  if (block != nullptr) madvise(block, whole, MADV_HUGEPAGE);  // failure does no harm
  return block;
}

}  // namespace

void* operator new(std::size_t size) {
  for (;;) {
    if (void* const block = block_of(size)) return block;
    const std::new_handler handler = std::get_new_handler();
    if (handler == nullptr) throw std::bad_alloc();
    handler();
  }
}

void operator delete(void* block) noexcept { std::free(block); }
void operator delete(void* block, std::size_t) noexcept { std::free(block); }
#endif
