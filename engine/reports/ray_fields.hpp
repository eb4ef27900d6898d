// The rays of a run's part above the waves' band, in its JSON document.
#pragma once

#include "engine/above/above_record.hpp"
#include "engine/files/json_fields.hpp"

namespace fdtd {

const JsonFields<AboveRecord>& ray_fields();

}  // namespace fdtd
