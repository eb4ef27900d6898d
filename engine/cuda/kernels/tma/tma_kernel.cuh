// How a kernel of march.cuh is prepared: which tiles are worth a try, how columns are cut, how a step is launched.
#pragma once

#include <algorithm>
#include <atomic>
#include <cmath>
#include <limits>
#include <memory>
#include <stdexcept>
#include <type_traits>
#include <utility>
#include <vector>

#include "engine/cuda/gpu/device.hpp"
#include "engine/cuda/kernels/tma/march.cuh"
#include "engine/cuda/kernels/tma/tiles.hpp"
#include "engine/cuda/kernels/tma/work_partition.hpp"
#include "engine/plan/image_walls.hpp"

namespace fdtd::cuda {

// Fills in how the columns are cut: so that a piece that needs no neighbour comes first, and their planes have time to
// come.
inline void cut_along_z(MarchColumns& c, int chunk, int R) {
  const bool low = c.borders.arrived != nullptr && c.borders.low > c.z_begin;
  const bool high = c.borders.arrived != nullptr && c.borders.high < c.z_end;
  c.own_begin = low ? c.borders.low - R : c.z_begin - R;
  c.own_end = (high ? c.borders.high : c.z_end) + R;
  const int planes = c.z_end - c.z_begin, least = 1 + (low ? 1 : 0) + (high ? 1 : 0);
  c.chunk = std::min(chunk, divide_up(planes, least));
  c.chunks = divide_up(planes, c.chunk);
  c.first_piece = low && c.chunks > 1 ? 1 : 0;
  c.items = c.columns * c.chunks;
}

// A compiled kernel: what it is for and its tile, of which fewer rows, z, depth, blocks and pace are free.
struct TmaVariant {
  Precision precision;
  int radius;
  std::uint64_t shells;  // cube_tma: those that it adds
  Tile tile;
  std::size_t plane_bytes;  // of shared memory
  std::size_t ends_bytes;   // with ends to update (row_ends.hpp)
  TileUse use;
  int (*blocks_a_multiprocessor)(std::size_t shared_bytes);
  Prepared (*prepare)(const Job&, const Device&, const Tile&, std::array<void*, 2> fields);
};

// Of a block: planes begin at multiples of 128 bytes.
inline std::size_t shared_bytes(std::size_t plane_bytes, int depth) {
  return static_cast<std::size_t>(depth) * plane_bytes + 128;
}

inline bool suits(const TmaVariant& variant, const Job& job) {
  if (job.solids) return has(variant.use, TileUse::solids);
  if (job.ends) return has(variant.use, TileUse::ends) && holds_row_ends(*job.ends, job.layout.size[0], variant.tile.x);
  return has(variant.use, TileUse::either | (job.mirror.sides ? TileUse::mirrored : TileUse::plain));
}

// The source of the march's copies: the grid's nodes in x and y, in z the halo's planes too (plane z of the grid is z +
// radius).
inline tma::TensorArray march_array(const Layout& layout, void* field) {
  const auto value = static_cast<std::int64_t>(layout.value_bytes);
  return {static_cast<std::byte*>(field) + (layout.first - layout.radius * layout.plane) * value,
          {layout.size[0], layout.size[1], layout.size[2] + 2 * layout.radius},
          layout.row,
          layout.plane,
          layout.value_bytes};
}

// As the driver counts them; 1 where there is none to ask.
template <class G, class T, class Arithmetic, class Ends, class Solids>
int march_blocks_a_multiprocessor(std::size_t shared) {
  int blocks = 0;
  const auto kernel = tma_march<G, T, Arithmetic, Ends, Solids>;
  if (allow_shared_bytes(reinterpret_cast<const void*>(kernel), shared) != cudaSuccess ||
      cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, kernel, G::threads + (Ends::any ? G::beside : 0),
                                                    shared) != cudaSuccess)
    (void)cudaGetLastError();
  return std::max(1, blocks);
}

// Of all launches; those side by side have different ones.
class LaunchTickets {
 public:
  explicit LaunchTickets(unsigned meetings)
      : bytes_((sizeof(Tickets) + meetings * sizeof(unsigned) + 127) / 128 * 128),
        memory_(take_device_memory(launches * bytes_)),
        launched_(std::make_shared<std::atomic<unsigned>>(0)) {
    clear_device_memory(memory_.get(), launches * bytes_);
  }
  Tickets* next() const {
    return reinterpret_cast<Tickets*>(static_cast<std::byte*>(memory_.get()) +
                                      launched_->fetch_add(1) % launches * bytes_);
  }

 private:
  static constexpr unsigned launches = 16;
  std::size_t bytes_;
  std::shared_ptr<void> memory_;
  std::shared_ptr<std::atomic<unsigned>> launched_;
};

// The work of a launch, its meetings not counted.
template <class G>
MarchColumns march_columns(const Layout& layout, const ImageWalls& mirror, const Tile& tile, int z_begin, int z_end,
                           const Borders& borders) {
  MarchColumns c{};
  c.nx = layout.size[0], c.ny = layout.size[1], c.z_begin = z_begin, c.z_end = z_end;
  c.row = layout.row, c.plane = layout.plane;
  c.tile_y = tile.y, c.depth = tile.depth, c.stride = stride_of(tile.max_lead), c.ahead = ahead_of(tile.max_lead);
  c.across = divide_up(c.nx, G::tile_x);
  c.columns = c.across * divide_up(c.ny, c.tile_y);
  c.borders = borders;
  c.mirror = mirror.sides;
  c.mirror_low = mirror.below ? 0 : std::numeric_limits<int>::min();
  c.mirror_high = mirror.above ? layout.size[2] : std::numeric_limits<int>::max();
  cut_along_z(c, tile.z, G::R);
  return c;
}

template <class G, class T, class Arithmetic, class Ends, class Solids>
Prepared prepare_march_with(const Ends& ends, const Job& job, const Device& device, const Tile& tile,
                            std::array<void*, 2> fields) {
  const auto kernel = tma_march<G, T, Arithmetic, Ends, Solids>;
  static_assert(!Ends::any || G::threads % 128 == 0);  // registers are shared out by four warps
  constexpr int threads = G::threads + (Ends::any ? G::beside : 0);
  Prepared prepared;
  const std::size_t shared = shared_bytes(Solids::any ? G::plane_space_beside_solids : G::plane_space, tile.depth) +
                             (Ends::any ? RowEndStage<G, T>::space : 0);
  prepared.resources = resources_of(kernel, threads, shared);
  prepared.resources.nodes = G::tile_x * G::tile_y;
  const Layout layout = job.layout;
  std::array<CUtensorMap, 2> with_halo, own;
  for (std::size_t i = 0; i < 2; ++i) {
    const tma::TensorArray array = march_array(layout, fields[i]);
    with_halo[i] = tma::tensor_map(array, {G::pitch, tile.y + 2 * G::R, 1});
    own[i] = tma::tensor_map(array, {G::tile_x, tile.y, 1});
  }
  Solids solids{};
  std::shared_ptr<void> of_solids;  // what `solids` points to
  if constexpr (Solids::any) {
    const SolidTiles tiles = solid_tiles(*job.solids, {G::tile_x, tile.y}, {G::solid_row, tile.y});
    solids = tiles.view;
    of_solids = tiles.memory;
  }
  // Blocks wait for each other: no more than can run at once.
  const int resident = std::max(1, prepared.resources.blocks_per_multiprocessor) * device.multiprocessors;
  const int blocks = tile.blocks > 0 ? std::min(tile.blocks, resident) : resident;
  const auto columns_of = [layout, tile, mirror = job.mirror](int z_begin, int z_end, const Borders& borders) {
    return march_columns<G>(layout, mirror, tile, z_begin, z_end, borders);
  };
  const auto meetings = [blocks](const MarchColumns& c) {
    return meetings_of(divide_up(c.items, std::min(blocks, c.items)) * std::int64_t{c.chunk + 2 * G::R}, c.stride);
  };
  const unsigned max_meetings = Solids::any ? meetings(columns_of(0, layout.size[2], {})) : 0;
  const LaunchTickets tickets(max_meetings);
  const Arithmetic arithmetic(job.stencil);
  const auto step = [=, keep = of_solids](int which, int z_begin, int z_end, const Borders& borders, Stream stream) {
    MarchColumns c = columns_of(z_begin, z_end, borders);
    c.meetings = std::min(meetings(c), max_meetings);
    const auto from = static_cast<std::size_t>(which), to = static_cast<std::size_t>(1 - which);
    launch_dependent(kernel, static_cast<unsigned>(std::min(blocks, c.items)), threads, shared, stream, with_halo[from],
                     own[to], static_cast<T*>(fields[to]) + layout.first, c, arithmetic, ends, solids, which,
                     tickets.next());
  };
  prepared.step = [step](int which, int z_begin, int z_end, Stream stream) { step(which, z_begin, z_end, {}, stream); };
  prepared.step_to_borders = [step, planes = layout.size[2]](int which, const Borders& borders, Stream stream) {
    step(which, 0, planes, borders, stream);
  };
  return prepared;
}

template <class G, class T, class Arithmetic, TileUse use>
Prepared prepare_march(const Job& job, const Device& device, const Tile& tile, std::array<void*, 2> fields) {
  if constexpr (has(use, TileUse::solids)) {
    if (job.solids)
      return prepare_march_with<G, T, Arithmetic, NoRowEnds<false>, MarchSolids>({}, job, device, tile, fields);
  }
  if constexpr (has(use, TileUse::ends)) {
    if (job.ends)
      return prepare_march_with<G, T, Arithmetic, MarchRowEnds<T>, NoSolids>(
          static_cast<const MarchRowEnds<T>&>(*job.ends), job, device, tile, fields);
  }
  if constexpr (has(use, TileUse::mirrored | TileUse::either)) {
    if (!job.ends && (has(use, TileUse::either) || job.mirror.sides))
      return prepare_march_with<G, T, Arithmetic, NoRowEnds<true>, NoSolids>({}, job, device, tile, fields);
  }
  if constexpr (has(use, TileUse::plain)) {
    if (!job.ends && !job.mirror.sides)
      return prepare_march_with<G, T, Arithmetic, NoRowEnds<false>, NoSolids>({}, job, device, tile, fields);
  }
  throw std::out_of_range("no tile for this job");
}

template <class G, class T, class Arithmetic, TileUse use>
constexpr TmaVariant tma_variant(std::uint64_t shells) {
  static_assert(use != TileUse::never);
  using Solids = std::conditional_t<use == TileUse::solids, MarchSolids, NoSolids>;
  using Ends =
      std::conditional_t<use == TileUse::ends, MarchRowEnds<T>, NoRowEnds<!has(use, TileUse::plain) && !Solids::any>>;
  return {sizeof(T) == sizeof(float) ? Precision::f32 : Precision::f64,
          G::R,
          shells,
          Tile{G::tile_x, G::tile_y, 0, G::threads},
          Solids::any ? G::plane_space_beside_solids : G::plane_space,
          RowEndStage<G, T>::space,
          use,
          march_blocks_a_multiprocessor<G, T, Arithmetic, Ends, Solids>,
          prepare_march<G, T, Arithmetic, use>};
}

// Planes at once in shared memory: as many as fit, or few, worth a try where compute is what takes long. Empty: no room
// for it.
constexpr int min_depth = 3, max_depth = 6, ample_depth = 5;
inline std::vector<int> depths_beside(std::size_t beside, const TmaVariant& variant, const Device& device) {
  const std::size_t taken = 128 + beside;
  const std::size_t fitting =
      device.shared_per_block > taken ? (device.shared_per_block - taken) / variant.plane_bytes : std::size_t{0};
  const int deepest = static_cast<int>(std::min<std::size_t>(fitting, max_depth));
  if (deepest < min_depth) return {};
  return deepest < ample_depth ? std::vector{deepest} : std::vector{deepest, min_depth};
}
inline std::vector<int> worthy_depths(const TmaVariant& variant, const Job& job, const Device& device) {
  return depths_beside(job.ends ? variant.ends_bytes : 0, variant, device);
}
inline bool has_room(const TmaVariant& variant, const Job& job, const Device& device) {
  return !worthy_depths(variant, job, device).empty();
}

// The least of them that holds such a tile. Throws std::out_of_range where none does.
inline const TmaVariant& variant_of(const std::vector<TmaVariant>& variants, const Tile& tile) {
  const TmaVariant* least = nullptr;
  for (const TmaVariant& variant : variants) {
    const Tile& own = variant.tile;
    if (own.x == tile.x && own.threads == tile.threads && own.y >= tile.y && (!least || own.y < least->tile.y))
      least = &variant;
  }
  if (!least) throw std::out_of_range("no such tile");
  return *least;
}

inline std::vector<Tile> tma_tiles(const std::vector<TmaVariant>& variants, const Job& job, const Device& device) {
  std::vector<std::pair<std::size_t, Tile>> ranked;
  for (const TmaVariant& variant : variants) {
    const std::vector<int> depths = worthy_depths(variant, job, device);
    if (depths.empty()) continue;
    const auto [nx, ny, nz] = job.layout.size;
    const int across = divide_up(nx, variant.tile.x);
    const int resident =
        device.multiprocessors * variant.blocks_a_multiprocessor(shared_bytes(variant.plane_bytes, depths.front()));
    std::size_t rank = 0;
    Tile tile = variant.tile;
    for (const int rows : worthy_rows(across, ny, variant.tile.y, resident)) {
      tile.y = rows;
      if (&variant_of(variants, tile) != &variant) continue;
      const std::int64_t columns = std::int64_t{across} * divide_up(ny, rows);
      for (const WorkPartition& partition : worthy_partitions(columns, nz, job.pieces, variant.radius, resident)) {
        tile.z = partition.chunk, tile.blocks = partition.blocks;
        for (const int depth : depths)
          for (const int max_lead : job.solids ? max_leads_beside_solids : max_leads) {
            tile.depth = depth, tile.max_lead = max_lead;
            ranked.emplace_back(rank++, tile);
          }
      }
    }
  }
  std::stable_sort(ranked.begin(), ranked.end(), [](const auto& a, const auto& b) { return a.first < b.first; });
  std::vector<Tile> tiles;
  for (const auto& one : ranked) tiles.push_back(one.second);
  return tiles;
}
inline double tma_bytes_a_point(const Job& job, const Tile& tile) {
  const double R = job.stencil.radius, sector = 32.0 / static_cast<double>(job.layout.value_bytes);
  const double aside = std::ceil(R / sector) * sector;  // L2 gives 32 bytes at a time
  return static_cast<double>(job.layout.value_bytes) * ((1 + 2 * aside / tile.x) * (1 + 2 * R / tile.y) + 2);
}

// The tiles that fit a job: a tile that does not fit never hides a larger one that does.
inline std::vector<TmaVariant> suiting(std::vector<TmaVariant> variants, const Job& job) {
  std::erase_if(variants, [&](const TmaVariant& one) { return !suits(one, job); });
  return variants;
}

// The row of the table of a kernel of this frame, given the variants of a job's stencil and precision.
template <std::vector<TmaVariant> (*variants_for)(const Job&)>
constexpr Kernel tma_kernel(const char* name, const char* idea) {
  return {name,
          idea,
          [](const Job& job, const Device& device) {
            if (!device.tensor_copies) return false;
            const auto variants = suiting(variants_for(job), job);
            return std::any_of(variants.begin(), variants.end(),
                               [&](const auto& one) { return has_room(one, job, device); });
          },
          [](const Job& job, const Device& device) { return tma_tiles(suiting(variants_for(job), job), job, device); },
          [](const Job& job, const Tile& tile) {
            const TmaVariant variant = variant_of(suiting(variants_for(job), job), tile);
            return shared_bytes(variant.plane_bytes, tile.depth) + (job.ends ? variant.ends_bytes : 0);
          },
          tma_bytes_a_point,
          [](const Job& job, const Device& device, const Tile& tile, std::array<void*, 2> fields) {
            return variant_of(suiting(variants_for(job), job), tile).prepare(job, device, tile, fields);
          },
          [](const GridStencil& stencil) { return marches_mirror(stencil.radius); },
          [](const Job& job, const Device& device) {
            const auto variants = variants_for(job);
            return std::any_of(variants.begin(), variants.end(), [&](const auto& one) {
              return has(one.use, TileUse::solids) && has_room(one, job, device);
            });
          },
          [](const Job& job, const Device& device) {
            std::vector<int> widths;
            for (const TmaVariant& variant : variants_for(job))
              if (has(variant.use, TileUse::ends) && !depths_beside(variant.ends_bytes, variant, device).empty())
                widths.push_back(variant.tile.x);
            return widths;
          }};
}

}  // namespace fdtd::cuda
