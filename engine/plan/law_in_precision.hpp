// A wall law as it runs with coefficients in T, float or double (boundary.cpp): that of the rounded coefficients.
#pragma once

#include "engine/plan/boundary.hpp"

namespace fdtd {

template <class T>
WallLaw law_in(WallLaw law);

// admittance_of that law: a node's update must agree with that of its branches.
template <class T>
double admittance_in(const WallLaw& law);

}  // namespace fdtd
