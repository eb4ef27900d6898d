// A slab's neighbours on other GPUs: their planes travel on a stream of their own while the inside of the next step is computed.
//
// Of a step u0 <- S u1 - u0, planes less than R from a border need the neighbour's planes of u1: the edges. So:
//   main   |  inside of step n, R planes short of the borders            | walls |  inside of step n + 1 ...
//   halo   |  planes of u^n to and from the neighbours  |  edges  |              |  planes of u^{n+1} ...
// (P. Micikevicius, 2009, has the edges first and the inside under the exchange: the same overlap, with walls to be split.) The
// marching kernels fill every multiprocessor for a whole step: they are made for a few less (spare_multiprocessors). There
// NCCL's blocks run, and after them the edges, for which so few are fast enough while the inside is thick. A thin one does not
// hide them: then they follow it, on all multiprocessors.
//
// Ghosts (slab.hpp) are computed as the slab's own planes are; with the halo come the neighbour's values, the same.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "engine/cuda/nccl.hpp"
#include "engine/slab.hpp"

struct CUevent_st;

namespace fdtd::cuda {

// What was done when, in microseconds of the GPU's clock since the first. "halo" packs nothing: planes lie side by side.
struct Span {
  std::string name;  // "halo", "inside", "edges", "walls"
  std::int64_t step = 0;
  double begin = 0.0, end = 0.0;
};

class Halo {
 public:
  Halo(const Slab& slab, const Layout& layout, Ranks& ranks);
  ~Halo();
  Halo(const Halo&) = delete;
  Halo& operator=(const Halo&) = delete;

  // The planes of u1 to and from the neighbours, after all that `main` has queued. u1: the array's first value.
  void exchange(void* u1, Stream main, std::int64_t step = -1);
  // Queues planes [begin, end) of a step on a stream.
  using Planes = std::function<void(int begin, int end, Stream)>;
  // One step: `inside` is of all multiprocessors but the spare, `edges` of the spare; `walls` queues on `main` what is to be
  // done to all planes.
  void step(std::int64_t step, const Planes& inside, const Planes& edges, const std::function<void()>& walls,
            Stream main);
  // Returns when all that `main` has queued is done. Throws Error when a neighbour does not answer in time.
  void wait(Stream main) const;

  // From here on steps are timed, `capacity` of them at most; the spans told so far, after wait().
  void time(std::int64_t capacity);
  std::vector<Span> spans() const;

 private:
  struct Timed;
  void mark(const char* name, std::int64_t step, Stream stream, const std::function<void()>& work);
  void after(Stream first, Stream then, CUevent_st* event) const;
  Slab slab_;
  Layout layout_;
  Nccl nccl_;
  Stream stream_ = nullptr;
  int low_ = 0, high_ = 0;  // the inside: planes [low, high)
  bool beside_ = false;     // do the edges run beside it?
  CUevent_st *stepped_ = nullptr, *begun_ = nullptr, *arrived_ = nullptr;
  std::unique_ptr<Timed> timed_;
};

}  // namespace fdtd::cuda
