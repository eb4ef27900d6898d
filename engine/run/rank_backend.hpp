// The ranks' backends as one: every rank has the slab of its number, and all see the whole room's samples and energies. So
// what drives a backend (run.hpp) is the same for one rank and for many, and every rank decides the same.
#pragma once

#include <memory>

#include "engine/backend/backend.hpp"
#include "engine/plan/share.hpp"
#include "engine/system/ranks.hpp"

namespace fdtd {

// `own` was made with BackendOptions::ranks. Every call is every rank's. save: the whole state at rank 0, at the others all
// but its arrays; restore: a whole state at every rank, of which each reads what is its own. `share`: this rank's of the plan
// that is loaded, of which then walls and air are not looked at; it must outlive the backend. nullptr: the plan is whole.
std::unique_ptr<Backend> make_rank_backend(std::unique_ptr<Backend> own, Ranks& ranks,
                                           const PlanShare* share = nullptr);

}  // namespace fdtd
