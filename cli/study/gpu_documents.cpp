#include "cli/study/gpu_documents.hpp"

#include <fmt/format.h>

#include "cli/documents.hpp"
#include "cli/study/provenance.hpp"
#include "engine/system/version.hpp"
#include "stencils/dispersion.hpp"

namespace fdtd::cli {
namespace {

const JsonFields<MeasuredGpu>& provenance_fields() {
  static const auto fields =
      JsonFields<MeasuredGpu>()
          .value("commit", "", "Version of the source code.", [](const MeasuredGpu&) { return std::string(commit()); })
          .value("date", "", "Date of the measurement.", [](const MeasuredGpu&) { return date_today(); })
          .value("machine", "", "Name of the GPU.", &MeasuredGpu::machine)
          .value("driver", "", "CUDA version of the driver.", &MeasuredGpu::driver)
          .value("command", "", "The command line.", [](const MeasuredGpu&) { return command_line(); })
          .value("device", "", "`cuda:N`.", [](const MeasuredGpu& gpu) { return fmt::format("cuda:{}", gpu.device); });
  return fields;
}

constexpr const char* about_results = "One element for each stencil and kernel.";

struct ProfiledKernels {
  MeasuredGpu gpu;
  const std::vector<study::GpuProfile>* profiles = nullptr;
};

const JsonFields<ProfiledKernels>& kernels_fields() {
  static const auto fields =
      JsonFields<ProfiledKernels>()
          .include(provenance_fields(), &ProfiledKernels::gpu)
          .list("results", about_results, study::profile_fields(),
                [](const ProfiledKernels& of) -> const std::vector<study::GpuProfile>& { return *of.profiles; });
  return fields;
}

const JsonFields<study::LiteratureProfile>& redundancy_fields() {
  using Paper = study::LiteratureProfile;
  static const auto fields =
      JsonFields<Paper>()
          .value("formula", "", "By the paper's formula.", &Paper::formula)
          .value("declared", "", "As the kernel declares it, with the planes that a march reads besides its own.",
                 &Paper::declared)
          .value("counted", "", "As Nsight Compute counts it.", [](const Paper& paper) { return *paper.counted(); })
          .only_if("literature and --counters", [](const Paper& paper) { return paper.counted().has_value(); });
  return fields;
}

const JsonFields<study::LiteratureProfile>& paper_fields() {
  using Paper = study::LiteratureProfile;
  static const auto fields =
      JsonFields<Paper>()
          .value("paper", "", "Authors and year of the paper.", &Paper::paper)
          .value("order", "", "Order of accuracy in space: twice the radius.", &Paper::order)
          .object("redundancy", "How often the kernel reads the field a point.", redundancy_fields(), std::identity())
          .only_if("", [](const Paper& paper) { return paper.profile.error.empty(); });
  return fields;
}

const JsonFields<StudiedKernel>& studied_fields() {
  static const auto fields =
      JsonFields<StudiedKernel>()
          .value("family", "", "`leggy`, `compact`, `box` or `literature`.", &StudiedKernel::family)
          .value("role", "",
                 "`best`: the fastest kernel; `kernel_a`, `kernel_b`: those of DAFx-15; `literature`: one of an "
                 "earlier paper.",
                 &StudiedKernel::role)
          .include(paper_fields(), [](const StudiedKernel& of) -> const study::LiteratureProfile& { return *of.paper; })
          .only_if("literature", [](const StudiedKernel& of) { return of.paper != nullptr; })
          .include(study::profile_fields(),
                   [](const StudiedKernel& of) -> const study::GpuProfile& { return *of.profile; })
          .elsewhere();
  return fields;
}

struct Variant {
  std::string family;
  const Stencil* stencil = nullptr;
  double ctpn_ns = 0.0;
};

std::vector<Variant> variants_of(const GpuStudy& study) {
  std::vector<Variant> list;
  for (const FamilyProfile& family : *study.families)
    for (const Member& member : family.members)
      for (const Stencil* stencil : member.variants) list.push_back({family.name, stencil, member.profile.ctpn_ns});
  return list;
}

const JsonFields<Variant>& variant_fields() {
  static const auto fields =
      JsonFields<Variant>()
          .value("family", "", "`leggy`, `compact` or `box`.", &Variant::family)
          .value("stencil", "", "Name of the stencil.", [](const Variant& of) { return of.stencil->name; })
          .value("points", "", "Number of its points.", [](const Variant& of) { return of.stencil->point_count(); })
          .value("ctpn_ns", "ns", "Its measured compute time per node.", &Variant::ctpn_ns)
          .value("fraction_within_1_percent", "",
                 "Fraction of the wavenumbers up to |k| h = π within 1 % of the sound speed, in the worst direction.",
                 [](const Variant& of) { return usable_fractions(*of.stencil, 0.01)[0]; })
          .value("fraction_within_2_percent", "", "The same within 2 %.",
                 [](const Variant& of) { return usable_fractions(*of.stencil, 0.02)[0]; });
  return fields;
}

const JsonFields<GpuStudy>& study_fields() {
  static const auto fields =
      JsonFields<GpuStudy>()
          .include(provenance_fields(), &GpuStudy::gpu)
          .value("seconds", "s", "Time of the whole study.", &GpuStudy::seconds)
          .list("results", about_results, studied_fields(), &GpuStudy::kernels)
          .list("accuracy", "Speed and accuracy of each variant, on the first grid.", variant_fields(), variants_of)
          .include(cost_fields(), [](const GpuStudy& study) -> const CostTable& { return *study.costs; });
  return fields;
}

}  // namespace

nlohmann::ordered_json gpu_profile_json(const MeasuredGpu& gpu, const std::vector<study::GpuProfile>& profiles) {
  return kernels_fields().write({gpu, &profiles});
}

nlohmann::ordered_json gpu_bench_json(const GpuStudy& study) { return study_fields().write(study); }

DocumentFields gpu_profile_document() { return kernels_fields().all(); }
DocumentFields gpu_bench_document() { return study_fields().all(); }

}  // namespace fdtd::cli
