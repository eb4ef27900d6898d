// A stencil in the form that the vector code reads: weights, offsets and shared sums on a layout.
#pragma once

#include <vector>

#include "engine/cpu/field/layout.hpp"
#include "engine/vector/vector_code.hpp"
#include "stencils/stencil.hpp"

namespace fdtd::cpu {

// A stencil on a layout; `view` points into it, so it cannot be copied.
template <class T>
class RowStencilStore {
 public:
  RowStencilStore(const GridStencil& stencil, const Layout& layout);
  RowStencilStore(const RowStencilStore&) = delete;
  RowStencilStore& operator=(const RowStencilStore&) = delete;
  const RowStencil<T>& view() const { return view_; }

 private:
  void intern_rows(const GridStencil& stencil, const Layout& layout);
  std::vector<T> leg_, shells_;
  std::vector<RowClass> classes_;
  std::vector<std::ptrdiff_t> rows_;
  std::vector<Shift<T>> shifts_;
  RowStencil<T> view_{};
};

}  // namespace fdtd::cpu
