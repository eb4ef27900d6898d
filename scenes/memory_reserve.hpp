// Memory set aside for a library that is not made to run out of it: assimp's OBJ importer frees twice when an
// allocation throws. When memory ends while a reserve lives, the reserve is handed out and the allocation tried
// again; what the library made is then to be thrown away.
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
  bool touched() const;  // memory has ended meanwhile

 private:
  std::new_handler before_;
};

}  // namespace fdtd
