// The compiled variants of a family of kernels, in groups: a translation unit each (variants.cu.in), for the compiler
// takes minutes for a family, and several cores share them. A family's header has its groups as FAMILY_GROUPS(X) and
// their variants as FAMILY_GROUP_0 and so on; its source declares the groups with FDTD_DECLARE_GROUP and walks over them
// with FDTD_CALL_GROUP.
#pragma once

#include <span>

#define FDTD_DECLARE_GROUP(family, Variant, group) std::span<const Variant> family##_group_##group();
#define FDTD_CALL_GROUP(family, Variant, group) family##_group_##group(),
