// The JSON documents that commands print; the files that write them describe their fields.
#include "cli/documents.hpp"

#include "cli/reference/tables.hpp"
#include "engine/reports/materials_report.hpp"
#include "engine/reports/plan_report.hpp"
#include "engine/reports/run_report.hpp"

namespace fdtd::cli {

std::vector<JsonDocument> json_documents() {
  return {
      {"fdtd plan SCENE --json", "The same document is printed by `fdtd run SCENE --dry-run --json`.",
       plan_document_fields().all()},
      {"fdtd surface SCENE --json", "The room as the program reads it, to draw it.", surface_document()},
      {"fdtd estimate SCENE --json", "Diffuse sound by octave: [The diffusion equation](../explanation/diffusion.md).",
       estimate_document()},
      {"fdtd modes SCENE --json", "The modes of a room: [Small rooms](../how-to/small-rooms.md).", modes_document()},
      {"fdtd place SCENE --source NAME --json",
       "Where a source, or a receiver, has the flattest response: [Small rooms](../how-to/small-rooms.md).",
       place_document()},
      {"fdtd notches SCENE --json",
       "Notches by the first reflections of walls: [Small rooms](../how-to/small-rooms.md).", notches_document()},
      {"fdtd run SCENE --json", "", run_fields().all()},
      {"fdtd run SCENE --resume --json",
       "Printed instead where the run is complete already, so that there is nothing to resume.", completed_document()},
      {"fdtd sweep SCENE --set KEY=[...]",
       "One document a line, in the order in which the runs end. A run that succeeds has the fields of "
       "`fdtd run --json` as well; its line is kept in the run's folder as run.json.",
       sweep_document()},
      {"fdtd fit SCENE MEASURED -o FITTED.toml --json",
       "Absorption fitted to measured figures: [Fit a measured room](../how-to/calibrate.md).", fit_document()},
      {"fdtd metrics IR.wav --json",
       "Figures of merit by ISO 3382-1. A figure that the dynamic range of the response cannot carry is null.",
       metrics_document()},
      {"fdtd metrics result.h5 --json",
       "All responses of a result, with speech of a level where `--speech` states one.", result_metrics_document()},
      {"fdtd match RESULT MEASURED --json", "How a run differs from what was measured in the room.", match_document()},
      {"fdtd materials --json", "A list of the library's materials, each with these fields.", library_document()},
      {"fdtd materials NAME --json", "A list of the named materials as they are fitted, each with these fields.",
       material_fields().all()},
      {"fdtd stencils --json", "A list of stencils, each with these fields.", stencils_document()},
      {"fdtd profile --json", "The speed of bare kernels on the CPU.", profile_document()},
      {"fdtd profile SCENE --json", "The speed of a whole room.", room_profile_document()},
      {"fdtd profile --multigrid V --json", "Multigrid on the Poisson problem in a box.", multigrid_document()},
      {"fdtd profile --multigrid V --mask ball --json", "Conjugate gradients with multigrid on a mask.",
       mask_document()},
      {"fdtd profile --device cuda --json", "The speed of bare kernels on a GPU.", gpu_profile_document()},
      {"fdtd bench --json", "The speed of the stencil families on the CPU, and what an accuracy costs.",
       bench_document()},
      {"fdtd bench --device cuda --json",
       "The speed of the stencil families on a GPU. Each element of `results` has the fields of "
       "`fdtd profile --device cuda --json` as well.",
       gpu_bench_document()},
      {"fdtd doctor --json", "", doctor_document()},
  };
}

}  // namespace fdtd::cli
