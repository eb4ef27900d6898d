// A slab's neighbours on other GPUs: their planes travel on a stream of their own while the inside of the next step is
// computed.
//
// Of a step u0 <- S u1 - u0, planes less than R from a border need the neighbour's planes of u1: the edges. So:
//   main   |  step n: the inside, then the edges           | walls |  step n + 1 ...
//   halo   |  planes of u^n to and from the neighbours  |          |  planes of u^{n+1} ...
// (P. Micikevicius, 2009, has the edges first and the inside under the exchange: the same overlap, with walls to be
// split.) The marching kernels take inside and edges in one launch (Borders): their blocks come to the edges last, and
// wait there for a count that the halo's stream keeps, so that no multiprocessor is idle between the two. They fill all
// that they are made for, so as many are left as the exchange needs (exchange.hpp). Other kernels have two launches,
// with the wait between, and so has the march where near-wall nodes at the edges read the neighbour's planes: they are
// corrected between the two.
//
// Ghosts (slab.hpp) are computed as the slab's own planes are; with the halo come the neighbour's values, the same.
#pragma once

#include <array>
#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "engine/cuda/exchange/exchange.hpp"
#include "engine/cuda/gpu/device_array.hpp"
#include "engine/cuda/kernels/kernel.hpp"
#include "engine/plan/slab.hpp"
#include "engine/studies/step_study.hpp"

struct CUevent_st;

namespace fdtd::cuda {

using study::Span;

class Halo {
 public:
  // fields: both arrays from their beginning, allocations of their own.
  Halo(const Slab& slab, const Layout& layout, const std::array<void*, 2>& fields, Ranks& ranks);
  ~Halo();
  Halo(const Halo&) = delete;
  Halo& operator=(const Halo&) = delete;

  // Planes of a slab that read none of a neighbour's: [first, second).
  static std::pair<int, int> inside_of(const Slab& slab, const Layout& layout);

  // Returns when all ranks have come here, however long they take.
  void synchronise() const { ranks_.wait_for_all(); }
  // The planes of u1 to and from the neighbours, after all that `main` has queued. u1: the array's first value.
  void exchange(void* u1, Stream main, std::int64_t step = -1);
  // The work that a step queues on `main`.
  struct Step {
    std::function<void()> correct_inside, correct_borders;  // before planes that read none of a neighbour's, and others
    std::function<void(int begin, int end, Stream)> planes;
    // All planes, those at the borders last; empty: the kernel cannot, or there is something to correct at the borders.
    std::function<void(const Borders&, Stream)> to_borders;
    std::function<void()> walls;  // on all planes, last
  };
  void step(std::int64_t step, const Step& work, Stream main);
  // Returns when all that `main` has queued is done. Throws Error when a neighbour does not answer in time.
  void wait(Stream main) const;

  const Exchange& way() const { return *exchange_; }

  // From here on steps are timed, `capacity` of them at most; the spans so far, after wait().
  void time(std::int64_t capacity);
  std::vector<Span> spans() const;

 private:
  struct Timed;
  void mark(const char* name, std::int64_t step, Stream stream, const std::function<void()>& work);
  void after(Stream first, Stream then, CUevent_st* event) const;
  Sides sides_of(void* field) const;
  Slab slab_;
  Layout layout_;
  Ranks& ranks_;
  std::array<void*, 2> fields_;
  // Exchanges that are done. Older than exchange_: a kernel may watch it until one that has failed is given up.
  DeviceArray<std::uint32_t> arrived_{1};
  std::unique_ptr<Exchange> exchange_;
  Stream stream_ = nullptr;
  int low_ = 0, high_ = 0;    // the inside: planes [low, high)
  std::uint32_t ticket_ = 0;  // exchanges that are queued
  CUevent_st *stepped_ = nullptr, *received_ = nullptr;
  std::unique_ptr<Timed> timed_;
};

}  // namespace fdtd::cuda
