// Gradients of backends that find differently what walls read, by ranks.
#include "engine/run/rank_backend.hpp"

#include <stdexcept>
#include <utility>

#include "engine/adjoint/host_walls.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/thread_ranks.hpp"
#include "tests/unit/engine/adjoint/gradient_rooms.hpp"

using namespace fdtd;
using namespace fdtd::test;

namespace {

// The CPU's backend, which promises walls in another way.
class Promising : public Backend {
 public:
  Promising(const BackendOptions& options, WallReads promised)
      : inner_(make_cpu_backend(options)), promised_(promised) {}
  void load(const Plan& plan, const Slab& slab) override { inner_->load(plan, slab); }
  void advance(const Drive& drive, Samples& samples) override { inner_->advance(drive, samples); }
  void save(State& state) const override { inner_->save(state); }
  void restore(const State& state) override { inner_->restore(state); }
  Timing profile(int repeats) override { return inner_->profile(repeats); }
  std::vector<Energy> energies() const override { return inner_->energies(); }
  Extreme extreme() const override { return inner_->extreme(); }
  void plane(int axis, int index, std::span<float> values) const override { inner_->plane(axis, index, values); }
  std::int64_t step() const override { return inner_->step(); }
  std::string describe() const override { return "promises"; }
  WallReads wall_reads() const override { return promised_; }

 protected:
  Backend& inner() { return *inner_; }

 private:
  std::unique_ptr<Backend> inner_;
  WallReads promised_;
};

// Correlates walls itself, as a GPU does: it has no rows to hand out.
class Correlating final : public Promising {
 public:
  explicit Correlating(const BackendOptions& options) : Promising(options, WallReads::correlated) {}
  void load(const Plan& plan, const Slab& slab) override {
    Promising::load(plan, slab);
    made_.plan = plan;
  }
  std::unique_ptr<WallCorrelation> wall_correlation(const CorrelationNeeds& needs) override {
    ++correlations;
    return make_host_walls(made_, inner(), needs);
  }
  int correlations = 0;

 private:
  AdjointPlan made_;
};

}  // namespace

TEST_CASE("a backend that correlates walls does so as one rank, and leaves them to the host as one of two") {
  const Plan plan = small_plan("leggy-2", false, false);
  const WallSlopes expected = gradient_of(plan).walls;
  double size = 0.0;
  for (const double slope : expected.admittance) size = std::max(size, std::abs(slope));
  REQUIRE(size > 0.0);
  for (const int count : {1, 2})
    ThreadRanks::run(count, [&](Ranks& ranks) {
      BackendOptions options;
      options.threads = 1;
      options.ranks = &ranks;
      auto own = std::make_unique<Correlating>(options);
      Correlating& correlating = *own;
      const auto backend = make_rank_backend(std::move(own), ranks);
      const WallSlopes found = gradient(plan, *backend, distance_loss(plan)).walls;
      CHECK(correlating.correlations == (count == 1 ? 1 : 0));
      REQUIRE(found.admittance.size() == expected.admittance.size());
      for (std::size_t s = 0; s < found.admittance.size(); ++s)
        REQUIRE(std::abs(found.admittance[s] - expected.admittance[s]) <= 1e-12 * size);
    });
}

TEST_CASE("a backend that promises what walls read and has it not is refused, alone and around it") {
  const Plan plan = small_plan("leggy-2", false, false);
  for (const WallReads promised : {WallReads::in_rows, WallReads::correlated}) {
    Promising alone({1, ""}, promised);
    CHECK_THROWS_AS(gradient(plan, alone, distance_loss(plan)), std::logic_error);
  }
  ThreadRanks::run(1, [&](Ranks& ranks) {
    const auto backend =
        make_rank_backend(std::make_unique<Promising>(BackendOptions{1, ""}, WallReads::in_rows), ranks);
    CHECK_THROWS_AS(gradient(plan, *backend, distance_loss(plan)), std::logic_error);
  });
}
