// The resources of this machine: available memory, processors and their vector units.
#pragma once

#include <cstdint>
#include <string>

namespace fdtd {

// Bytes that this process may still allocate: the minimum of MemAvailable, the limits of its control groups and the
// address-space limit.
std::int64_t available_memory();
// "12.3 GB": for messages; decimal units.
std::string human_bytes(double bytes);
int memory_nodes();                 // NUMA nodes; 1 where unknown
std::int64_t second_level_cache();  // bytes, of one processor; 1 MiB where unknown
bool prefetches_long_rows();        // whether the hardware prefetches long rows better than
                                    // explicit instructions; guessed by vendor, measured on two processors
std::string processor_name();
std::string vector_units();  // "AVX-512, AVX2, FMA"

}  // namespace fdtd
