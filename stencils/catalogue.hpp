// The catalogue of all stencils, by name: family-member[/variant]. Weights are stored nowhere else in the repository.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "stencils/stencil.hpp"

namespace fdtd {

// All entries, family by family, member by member, the plain (textbook) variant of a member first.
const std::vector<Stencil>& catalogue();

// The entry of that name; a name without a variant is the textbook member ("leggy-4" is "leggy-4/taylor").
// nullptr when there is none; `nearest_stencil_name` then gives a suggestion.
const Stencil* find_stencil(std::string_view name);
std::string nearest_stencil_name(std::string_view name);

}  // namespace fdtd
