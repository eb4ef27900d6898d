// Combines the backends of all ranks into one: each rank computes the slab of its number, and all get the samples and
// energies of the whole room. The code that drives a backend (run.hpp) is thus the same for one rank and for many, and
// all decide alike.
#pragma once

#include <memory>

#include "engine/backend/backend.hpp"
#include "engine/plan/plan_part.hpp"
#include "engine/system/ranks.hpp"

namespace fdtd {

// `own` is created with BackendOptions::ranks. All ranks make every call. save: the whole state at rank 0, at the
// others all but its arrays; restore: a whole state at every rank, of which each reads its own part. `part`: the part
// of this rank in the loaded plan, whose walls and air are then ignored; it must outlive the backend. nullptr: the plan
// is whole. One rank with a whole plan is `own` itself.
std::unique_ptr<Backend> make_rank_backend(std::unique_ptr<Backend> own, Ranks& ranks, const PlanPart* part = nullptr);

}  // namespace fdtd
