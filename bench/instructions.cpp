// Counts instructions of the inner kernels, which do not depend on the machine's load: instructions.sh runs it under
// callgrind.
//
//   bench_instructions compiler                           prints the compiler that built the program
//   bench_instructions STENCIL f32|f64 KERNEL             steps 64 x 32 x 16 nodes once; prints their number
//   bench_instructions STENCIL f32|f64 KERNEL,whole_rows  the same by RowFunctions::leap_whole_rows
//   bench_instructions STENCIL f32|f64 KERNEL,walls       the walls' part of a step in a lossy box of that size; prints
//                                                         the number of boundary nodes
//   bench_instructions STENCIL f32|f64 KERNEL,energies    the sums of an energy balance; prints the number of nodes
//
// callgrind counts in count_this...() only (--toggle-collect).
#include <fmt/format.h>

#include <cstring>
#include <string>
#include <vector>

#include "base/error.hpp"
#include "engine/cpu/cpu_plan.hpp"
#include "engine/planning/make_plan.hpp"
#include "engine/vector/kernels.hpp"
#include "scenes/toml/parse.hpp"
#include "stencils/catalogue.hpp"

namespace {

using namespace fdtd;

constexpr std::array<int, 3> size = {64, 32, 16};

// Walls of one branch, of two and of three.
constexpr const char* lossy_box = R"(
schema = 1
[simulation]
duration = 0.01
grid_spacing = 0.05
[room]
box = [3.2, 1.6, 0.8]
[room.walls]
default = "even"
z_min = "carpet"
y_max = "tiles"
[materials.even]
admittance = 0.08
[materials.carpet]
absorption = { bands = [125, 250, 500, 1000, 2000, 4000], alpha = [0.08, 0.24, 0.57, 0.69, 0.71, 0.73] }
[materials.tiles]
absorption = { bands = [125, 250, 500, 1000, 2000, 4000], alpha = [0.40, 0.45, 0.50, 0.55, 0.60, 0.60] }
[[source]]
name = "source"
position = [1.6, 0.8, 0.4]
[[receiver]]
name = "receiver"
position = [1.0, 0.8, 0.4]
)";

}  // namespace

// Not local: callgrind finds these functions by name.
template <class T>
__attribute__((noinline)) void count_this(cpu::Leap<T> leap, const cpu::RowStencil<T>& stencil, const T* u1, T* u0) {
  for (int z = 0; z < size[2]; z += 8)
    leap(stencil, u1 + z * stencil.plane, u0 + z * stencil.plane, 0, size[0], size[1], 8);
}

template <class T>
__attribute__((noinline)) void count_this_at_walls(cpu::CpuPlan<T>& room, const cpu::RowFunctions<T>& functions,
                                                   const T* u1, T* u0, double* dissipated) {
  const cpu::Layout& layout = room.layout;
  for (int layer = 0; layer < layout.layers; ++layer) {
    const std::size_t begin = layout.first_tile(layer), end = layout.first_tile(layer + 1);
    room.walls.correct(layout, begin, end, functions, u1, u0);
    room.boundary.update(begin, end, functions, 0, u0, dissipated + begin);
    for (std::size_t tile = begin; tile < end; ++tile) room.image_halo.make(layout.tiles[tile], u0);
  }
}

template <class T>
__attribute__((noinline)) void count_this_balance(const cpu::CpuPlan<T>& room, const cpu::RowFunctions<T>& functions,
                                                  const T* after, const T* u, double* out, double* sums) {
  const cpu::Layout& layout = room.layout;
  for (const cpu::Tile& tile : layout.tiles) {
    const std::ptrdiff_t first = layout.first_of(tile);
    functions.apply(room.stencil.view(), u + first, out, layout.row * cpu::max_tile_edge, size[0],
                    tile.y_end - tile.y_begin, tile.z_end - tile.z_begin);
    for (int z = tile.z_begin; z < tile.z_end; ++z) {
      for (int y = tile.y_begin; y < tile.y_end; ++y) {
        const std::ptrdiff_t row = layout.offset(0, y, z);
        functions.energy(after + row, u + row, out + layout.within(tile, row), size[0], sums);
      }
    }
  }
}

namespace {

// A field of zeros.
template <class T>
struct Field {
  explicit Field(const cpu::Layout& layout) {
    const auto bytes = static_cast<std::size_t>(layout.length) * sizeof(T);
    memory = cpu::allocate_memory(bytes);
    std::memset(memory.get(), 0, bytes);
    values = static_cast<T*>(memory.get());
  }
  decltype(cpu::allocate_memory(0)) memory;
  T* values = nullptr;
};

// Steps once, with whole rows or not; returns the number of nodes.
template <class T>
int step_once(const Stencil& stencil, const cpu::Kernel& kernel, bool whole_rows) {
  const GridStencil grid = on_grid(stencil, {stencil.courant, stencil.courant, stencil.courant});
  const cpu::Layout layout(size, grid.radius, sizeof(T));
  const cpu::RowStencilStore<T> store(grid, layout);
  const auto functions = cpu::functions_of(kernel, store.view());
  const auto leap = whole_rows ? functions.leap_whole_rows : functions.leap;
  if (leap == nullptr) throw Error(Status::resource, "this kernel has no whole rows");
  const Field<T> u1(layout), u0(layout);
  count_this(leap, store.view(), static_cast<const T*>(u1.values) + layout.first, u0.values + layout.first);
  return size[0] * size[1] * size[2];
}

// Runs a part of a step in a lossy box; returns the number of nodes to which the count refers.
template <class T>
int work_box(const Stencil& stencil, const cpu::Kernel& kernel, bool energies) {
  const ParsedScene parsed = parse_scene(lossy_box, "box.toml",
                                         {{"simulation.stencil=" + stencil.name,
                                           std::string("simulation.precision=") + (sizeof(T) == 4 ? "f32" : "f64")}});
  if (!parsed.problems.empty()) throw Error(Status::scene, parsed.problems[0].message);
  const Plan plan = make_plan(parsed.scene, stencil).plan;
  cpu::CpuPlan<T> room(plan, whole(plan));
  if (room.layout.size != size) throw Error(Status::scene, "the box has another size");
  const auto functions = cpu::functions_of(kernel, room.stencil.view());
  const Field<T> u1(room.layout), u0(room.layout);
  for (std::size_t tile = 0; tile < room.layout.tiles.size(); ++tile) room.boundary.reset(tile);
  if (energies) {
    std::vector<double> out(static_cast<std::size_t>(room.layout.tile_length()));
    double sums[cpu::energy_lanes] = {};
    count_this_balance<T>(room, functions, u1.values, u0.values, out.data(), sums);
    return size[0] * size[1] * size[2];
  }
  std::vector<double> dissipated(room.layout.tiles.size());
  count_this_at_walls<T>(room, functions, u1.values, u0.values, dissipated.data());
  return static_cast<int>(plan.boundary.nodes.size());
}

template <class T>
int count(const Stencil& stencil, const std::string& what) {
  const std::size_t comma = what.find(',');
  const cpu::Kernel& kernel = cpu::choose_kernel(what.substr(0, comma));
  const std::string part = comma == std::string::npos ? "" : what.substr(comma + 1);
  if (part.empty() || part == "whole_rows") return step_once<T>(stencil, kernel, part == "whole_rows");
  if (part == "walls" || part == "energies") return work_box<T>(stencil, kernel, part == "energies");
  throw Error(Status::resource, part + ": no such part; known: whole_rows, walls, energies");
}

}  // namespace

int main(int argc, char** argv) {
  if (argc == 2 && std::string(argv[1]) == "compiler") {
    fmt::print("{}\n", __VERSION__);
    return 0;
  }
  const Stencil* stencil = argc == 4 ? find_stencil(argv[1]) : nullptr;
  if (stencil == nullptr) {
    fmt::print(stderr, "usage: bench_instructions STENCIL f32|f64 KERNEL[,whole_rows|,walls|,energies]\n");
    return 1;
  }
  try {
    fmt::print("{}\n",
               std::string(argv[2]) == "f32" ? count<float>(*stencil, argv[3]) : count<double>(*stencil, argv[3]));
  } catch (const Error& error) {
    fmt::print(stderr, "{}\n", error.what());
    return 1;
  }
  return 0;
}
