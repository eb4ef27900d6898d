#include <cmath>
#include <cstring>
#include <string_view>

#include "engine/cuda/multigrid/masked.hpp"
#include "engine/multigrid/mask_profile.hpp"
#include "tests/support/catch.hpp"

namespace fdtd::cuda {

using multigrid::MaskLevel;

namespace {

struct Problem {
  multigrid::MaskLevels levels;
  std::vector<double> d, b;
  explicit Problem(const multigrid::Elements& elements)
      : levels(std::make_shared<const std::vector<MaskLevel>>(multigrid::mask_levels(elements))) {
    const MaskLevel& finest = levels->front();
    d.assign(finest.grid.size, 0.0);
    b = d;
    for (std::size_t i = 0; i < b.size(); ++i) {
      if (!(finest.stiffness[i] > 0.0)) continue;
      d[i] = 1e-4;
      b[i] = std::sin(0.7 * static_cast<double>(i % 1009)) + 0.1;
    }
  }
};

double distance(const std::vector<double>& a, const std::vector<double>& b) {
  double difference = 0.0, whole = 0.0;
  for (std::size_t i = 0; i < a.size(); ++i) {
    difference += (a[i] - b[i]) * (a[i] - b[i]);
    whole += b[i] * b[i];
  }
  return std::sqrt(difference / whole);
}

}  // namespace

TEST_CASE("conjugate gradients on masks take as many steps on the GPU as on the CPU, to the same solution") {
  for (const char* name : multigrid::mask_names)
    for (const std::array<int, 3> cells : {std::array<int, 3>{24, 24, 24}, {49, 37, 22}, {1, 1, 300}, {3, 2, 1}}) {
      if (std::string_view(name) != "random" && cells[0] < 20) continue;  // no cell is in them
      for (const multigrid::Cycle cycle : {multigrid::Cycle{}, multigrid::Cycle{2, 1, multigrid::Smoother::jacobi}}) {
        INFO(name << ", " << cells[0] << " x " << cells[1] << " x " << cells[2] << ", sweeps " << cycle.sweeps);
        Problem problem(multigrid::named_mask(name, cells));
        multigrid::MaskedMultigrid cpu(problem.levels, cycle);
        const auto gpu = make_masked_solver(0, problem.levels, cycle);
        cpu.set_diagonal(problem.d);
        gpu->set_diagonal(problem.d);
        std::vector<double> of_cpu(problem.b.size(), 0.0), of_gpu = of_cpu;
        const multigrid::Solution expected = cpu.solve(problem.b, of_cpu, 1e-9, 100);
        const multigrid::Solution found = gpu->solve(problem.b, of_gpu, 1e-9, 100);
        CHECK(found.converged);
        CHECK(std::abs(found.iterations - expected.iterations) <= 1);  // of rounding in f32 alone
        CHECK(distance(of_gpu, of_cpu) < 1e-6);
        // The residual that it states is that of its solution.
        std::vector<double> r(problem.b.size(), 0.0);
        cpu.product(of_gpu, r);
        CHECK(distance(r, problem.b) < 2e-9);
      }
    }
}

TEST_CASE("a masked solver on the GPU gives the same bytes each time, and follows another diagonal") {
  Problem problem(multigrid::named_mask("rooms", {40, 40, 20}));
  const auto first = make_masked_solver(0, problem.levels), second = make_masked_solver(0, problem.levels);
  first->set_diagonal(problem.d);
  second->set_diagonal(problem.d);
  std::vector<double> a(problem.b.size(), 0.0), b = a, c = a, expected = a;
  (void)first->solve(problem.b, a, 1e-6, 100);
  (void)first->solve(problem.b, b, 1e-6, 100);
  (void)second->solve(problem.b, c, 1e-6, 100);
  const std::size_t bytes = a.size() * sizeof(double);
  CHECK(std::memcmp(a.data(), b.data(), bytes) == 0);
  CHECK(std::memcmp(a.data(), c.data(), bytes) == 0);

  for (double& one : problem.d) one *= 100.0;
  multigrid::MaskedMultigrid cpu(problem.levels);
  cpu.set_diagonal(problem.d);
  first->set_diagonal(problem.d);
  (void)cpu.solve(problem.b, expected, 1e-9, 100);
  std::fill(a.begin(), a.end(), 0.0);
  CHECK(first->solve(problem.b, a, 1e-9, 100).converged);
  CHECK(distance(a, expected) < 1e-6);
  // From the solution nothing is left to do.
  CHECK(first->solve(problem.b, a, 1e-8, 100).iterations == 0);
}

TEST_CASE("a Krylov space on the GPU is that of the CPU") {
  for (const char* name : {"rooms", "ball"}) {
    INFO(name);
    Problem problem(multigrid::named_mask(name, {40, 37, 22}));
    const multigrid::NodeGrid& grid = problem.levels->front().grid;
    multigrid::MaskedMultigrid cpu(problem.levels);
    const auto gpu = make_masked_solver(0, problem.levels);
    cpu.set_diagonal(problem.d);
    gpu->set_diagonal(problem.d);
    std::vector<double> mass(grid.size, 0.0), b(grid.size, 0.0);
    std::vector<std::int64_t> nodes;
    for (std::size_t i = 0; i < mass.size(); ++i)
      if (cpu.active(i)) {
        mass[i] = 0.5 + 0.1 * static_cast<double>(i % 5);
        if (nodes.size() < 20) b[i] = 1.0;
        if (i % 7 == 0) nodes.push_back(static_cast<std::int64_t>(i));
      }
    const multigrid::KrylovOptions options{5, 1e-10, 100, 1e-9};
    const auto expected = cpu.krylov(grid, b, mass, options, nodes), found = gpu->krylov(grid, b, mass, options, nodes);
    REQUIRE(found.size == expected.size);
    CHECK(expected.size == 5);
    CHECK(found.norm == Approx(expected.norm).epsilon(1e-8));
    CHECK(distance(found.start, expected.start) < 1e-8);
    CHECK(distance(found.projected, expected.projected) < 1e-7);
    REQUIRE(found.values.size() == expected.values.size());
    for (std::size_t i = 0; i < found.values.size(); ++i) CHECK(distance(found.values[i], expected.values[i]) < 1e-5);
    // Another right side of zeros has no space.
    const std::vector<double> nothing(grid.size, 0.0);
    CHECK(gpu->krylov(grid, nothing, mass, options, nodes).size == 0);
  }
}

}  // namespace fdtd::cuda
