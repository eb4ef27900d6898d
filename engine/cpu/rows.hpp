// The CPU's kernels: a table of name, what it supports, and the functions for a stencil. Adding a kernel is one file and
// one row.
#pragma once

#include <string>
#include <vector>

#include "engine/cpu/kernel.hpp"
#include "engine/cpu/layout.hpp"
#include "stencils/stencil.hpp"

namespace fdtd::cpu {

// A stencil written out for a layout; `view` points into it, so it stays where it was made.
template <class T>
class RowStencilStore {
 public:
  RowStencilStore(const GridStencil& stencil, const Layout& layout);
  RowStencilStore(const RowStencilStore&) = delete;
  RowStencilStore& operator=(const RowStencilStore&) = delete;
  const RowStencil<T>& view() const { return view_; }

 private:
  void share_rows(const GridStencil& stencil, const Layout& layout);
  std::vector<T> leg_;
  std::vector<RowClass> classes_;
  std::vector<std::ptrdiff_t> rows_;
  std::vector<Shift<T>> shifts_;
  RowStencil<T> view_{};
};

struct Kernel {
  const char* name;             // "rows"
  const char* instruction_set;  // "AVX-512", "AVX2", "baseline"
  bool fused;                   // a b + c rounded once: all such kernels give the same bytes
  bool (*runs_here)();          // does this processor have the instructions?
  bool (*supports)(const GridStencil&);
  RowFunctions<float> (*f32)(const RowStencil<float>&);
  RowFunctions<double> (*f64)(const RowStencil<double>&);
};

// Best first.
const std::vector<Kernel>& kernels();

// By "" (the best), "rows", or "rows/AVX2". Throws Error (status resource) for one that is unknown or cannot run here.
const Kernel& choose_kernel(const std::string& name, const GridStencil& stencil);

}  // namespace fdtd::cpu
