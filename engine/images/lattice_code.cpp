#include "engine/images/lattice_code.hpp"

#include "base/error.hpp"

namespace fdtd {

namespace avx512 {
extern const LatticeCode lattice;
}
namespace avx2 {
extern const LatticeCode lattice;
}
namespace baseline {
extern const LatticeCode lattice;
}

const LatticeCode* const* lattice_codes() {
  static const LatticeCode* const all[] = {
#ifdef FDTD_HAS_avx512
      &avx512::lattice,
#endif
#ifdef FDTD_HAS_avx2
      &avx2::lattice,
#endif
#ifdef FDTD_HAS_baseline
      &baseline::lattice,
#endif
      nullptr};
  return all;
}

const LatticeCode& lattice_code() {
  for (const LatticeCode* const* code = lattice_codes(); *code != nullptr; ++code)
    if ((*code)->runs_here()) return **code;
  throw Error(Status::resource, "no code for image sources of a box on this processor",
              "-DFDTD_INSTRUCTION_SETS=all builds for every processor");
}

}  // namespace fdtd
