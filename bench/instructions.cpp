// Instructions of the inner kernels, which a noisy machine cannot blur: run under callgrind by instructions.sh.
//
//   bench_instructions compiler                     prints the compiler that made this
//   bench_instructions STENCIL f32|f64 KERNEL       steps 64 x 32 x 16 nodes once; prints how many they are
//   bench_instructions STENCIL f32|f64 KERNEL,uncut the same, by the second way of working rows
//
// What is counted happens in count_this() alone: callgrind collects there (--toggle-collect).
#include <fmt/format.h>

#include <cstring>
#include <string>

#include "engine/cpu/kernels.hpp"
#include "engine/cpu/row_stencil.hpp"
#include "engine/error.hpp"
#include "stencils/catalogue.hpp"

namespace {

using namespace fdtd;

constexpr std::array<int, 3> size = {64, 32, 16};

}  // namespace

// Not local: callgrind finds it by its name.
template <class T>
__attribute__((noinline)) void count_this(cpu::Leap<T> leap, const cpu::RowStencil<T>& stencil, const T* u1, T* u0) {
  for (int z = 0; z < size[2]; z += 8)
    leap(stencil, u1 + z * stencil.plane, u0 + z * stencil.plane, 0, size[0], size[1], 8);
}

namespace {

template <class T>
int step_once(const Stencil& stencil, const std::string& name) {
  const GridStencil grid = on_grid(stencil, {stencil.courant, stencil.courant, stencil.courant});
  const cpu::Layout layout(size, grid.radius, sizeof(T));
  const cpu::RowStencilStore<T> store(grid, layout);
  const std::string kernel = name.substr(0, name.find(','));
  const bool uncut = name != kernel;
  const auto functions = cpu::functions_of(cpu::choose_kernel(kernel), store.view());
  const auto leap = uncut ? functions.leap_uncut : functions.leap;
  if (leap == nullptr || (uncut && name != kernel + ",uncut"))
    throw Error(Status::resource, name + " is no way to step");
  const auto bytes = static_cast<std::size_t>(layout.length) * sizeof(T);
  const auto u1 = cpu::take_memory(bytes), u0 = cpu::take_memory(bytes);
  std::memset(u1.get(), 0, bytes);
  std::memset(u0.get(), 0, bytes);
  count_this(leap, store.view(), static_cast<const T*>(u1.get()) + layout.first,
             static_cast<T*>(u0.get()) + layout.first);
  fmt::print("{}\n", size[0] * size[1] * size[2]);
  return 0;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc == 2 && std::string(argv[1]) == "compiler") {
    fmt::print("{}\n", __VERSION__);
    return 0;
  }
  const Stencil* stencil = argc == 4 ? find_stencil(argv[1]) : nullptr;
  if (stencil == nullptr) {
    fmt::print(stderr, "usage: bench_instructions STENCIL f32|f64 KERNEL[,uncut]\n");
    return 1;
  }
  try {
    return std::string(argv[2]) == "f32" ? step_once<float>(*stencil, argv[3]) : step_once<double>(*stencil, argv[3]);
  } catch (const Error& error) {
    fmt::print(stderr, "{}\n", error.what());
    return 1;
  }
}
