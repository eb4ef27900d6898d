// What this machine offers: memory that can still be taken, processors, their vector units.
#pragma once

#include <cstdint>
#include <string>

namespace fdtd {

// Bytes that a process may still take: the least of MemAvailable, the control group's limit and the address-space limit.
std::int64_t available_memory();
// "12.3 GB": for messages; decimal units.
std::string human_bytes(double bytes);
int hardware_threads();
int memory_nodes();  // of memory that some processors reach faster than others; 1 where there is no telling
std::int64_t second_level_cache();  // bytes of one processor's, 1 MiB where there is no telling
bool prefetches_long_rows();  // better than what is asked for by hand; a guess by the maker: measured on two processors alone
std::string processor_name();
std::string vector_units();  // "AVX-512, AVX2, FMA"

}  // namespace fdtd
