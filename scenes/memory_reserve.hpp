// A reserve of memory for a library that cannot handle a failed allocation: assimp's OBJ importer frees memory twice
// when an allocation throws. When memory runs out while a reserve exists, operator new releases the reserve and tries
// again; the caller then discards the library's result.
#pragma once

#include <cstddef>
#include <new>

namespace fdtd {

class MemoryReserve {
 public:
  explicit MemoryReserve(std::size_t bytes);  // throws std::bad_alloc; one at a time, for the whole program
  ~MemoryReserve();
  MemoryReserve(const MemoryReserve&) = delete;
  MemoryReserve& operator=(const MemoryReserve&) = delete;
  bool touched() const;  // memory ran out, and the reserve was released

 private:
  std::new_handler before_;
};

}  // namespace fdtd
