#include "engine/adjoint/planned_gradient.hpp"

#include <algorithm>

#include "engine/backend/backend.hpp"
#include "engine/system/machine.hpp"

namespace fdtd {
namespace {

HistoryFormat finest(Precision precision) {
  return precision == Precision::f32 ? HistoryFormat::f32 : HistoryFormat::f64;
}

}  // namespace

std::optional<HistoryFormat> format_of_backend(const Backend& backend, Precision precision) {
  return backend.correlation_memory() ? std::optional(finest(precision)) : std::nullopt;
}

std::int64_t gradient_allowance(const Backend& backend) {
  const std::optional<std::int64_t> of_backend = backend.correlation_memory();
  return of_backend ? std::min(*of_backend, available_memory()) : available_memory() / 2;
}

PlannedGradient planned_gradient(const Plan& plan, std::int64_t allowed, bool on_gpu) {
  PlannedGradient planned;
  planned.wall_nodes = static_cast<std::int64_t>(plan.boundary.nodes.size());
  planned.memory = adjoint_memory(plan, allowed, on_gpu ? std::optional(finest(plan.precision)) : std::nullopt);
  planned.allowed = allowed;
  planned.on_gpu = on_gpu;
  return planned;
}

double gradient_seconds(const PlannedGradient& planned, double run_seconds) {
  constexpr double on_cpu = 1.3, on_gpu = 1.15;
  return run_seconds * planned.memory.runs * (planned.on_gpu ? on_gpu : on_cpu);
}

}  // namespace fdtd
