// The fields of the JSON documents that commands print, for the reference; each stands where its document is written.
#pragma once

#include <vector>

#include "engine/files/json_fields.hpp"

namespace fdtd::cli {

using DocumentFields = std::vector<JsonField>;

DocumentFields surface_document();
DocumentFields estimate_document();
DocumentFields modes_document();
DocumentFields place_document();
DocumentFields notches_document();
DocumentFields completed_document();  // of a run that is complete already
DocumentFields sweep_document();
DocumentFields fit_document();
DocumentFields metrics_document();
DocumentFields result_metrics_document();
DocumentFields match_document();
DocumentFields library_document();
DocumentFields stencils_document();
DocumentFields doctor_document();
DocumentFields profile_document();  // of kernels on the CPU
DocumentFields room_profile_document();
DocumentFields multigrid_document();
DocumentFields mask_document();
DocumentFields bench_document();
DocumentFields gpu_profile_document();
DocumentFields gpu_bench_document();

}  // namespace fdtd::cli
