#include "engine/walls/wall_taps.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>

#include "base/known_values.hpp"
#include "base/math/latest_two.hpp"
#include "base/math/least_squares.hpp"
#include "engine/walls/wall_waves.hpp"

namespace fdtd {
namespace {

// Fitted by hand. Halved or doubled, one after the other, `pull`, `reweightings`, `negligible` and `enough` leave the mean
// over walls of the largest errors of absorption, 2.5 %, between 2.2 and 2.7 %, and the largest, 11 %, between 9 and 11 %
// (bench/constants.py, bench/results/constants.json).
constexpr int wave_numbers = 24;
// 0, 10, ... 60, 70 and 75 degrees: the angles at which a plan states absorption end there.
constexpr std::array<double, 9> cosines = {1.0, 0.985, 0.94, 0.866, 0.766, 0.643, 0.5, 0.342, 0.259};
constexpr auto angles = static_cast<Eigen::Index>(cosines.size());
// b(k) itself is pulled towards 1 as well: the branches should have little left to correct.
constexpr double pull = 0.2;
constexpr int reweightings = 12;
constexpr double negligible = 0.2;  // of the wall error: a spread that needs no further tap
constexpr double enough = 0.4;      // of the wall error: a spread that needs no more than few_wall_taps

// At the wave number i of wave_numbers the tolerated error grows with it, from three tenths on.
double fraction_of(int i) { return (i + 1.0) / wave_numbers; }
double tolerance_of(int i) { return std::max(0.3, fraction_of(i)); }

std::vector<double> taps_of(const Eigen::VectorXd& x) {
  std::vector<double> taps{1.0 - x.sum()};
  taps.insert(taps.end(), x.data(), x.data() + x.size());
  return taps;
}

double log_of_reading(double read) { return 2.0 * std::log(std::max(1e-3, std::abs(read))); }

// cos((j + 1/2) k) of all waves up to the wave number `edge`: a column each, by wave number and then angle.
Eigen::MatrixXd cosines_of_waves(double edge, int count) {
  Eigen::MatrixXd cosine(count, wave_numbers * angles);
  for (int i = 0; i < wave_numbers; ++i)
    for (Eigen::Index a = 0; a < angles; ++a)
      for (Eigen::Index j = 0; j < count; ++j)
        cosine(j, i * angles + a) =
            std::cos((static_cast<double>(j) + 0.5) * (edge * fraction_of(i) * cosines[static_cast<std::size_t>(a)]));
  return cosine;
}

// The fraction of each wave that taps read, b(k), and ln b(k)^2.
struct Readings {
  Eigen::VectorXd read, logarithm;
};

void read_waves(const std::vector<double>& taps, const Eigen::MatrixXd& cosine, Readings& readings) {
  readings.read.resize(cosine.cols());
  readings.logarithm.resize(cosine.cols());
  for (Eigen::Index wave = 0; wave < cosine.cols(); ++wave) {
    double read = 0.0;
    for (std::size_t j = 0; j < taps.size(); ++j) read += taps[j] * cosine(static_cast<Eigen::Index>(j), wave);
    readings.read[wave] = read;
    readings.logarithm[wave] = log_of_reading(read);
  }
}

// ln b(k)^2 by wave number and angle, less the middle of each wave number.
Eigen::MatrixXd deviations(const Readings& readings) {
  Eigen::MatrixXd result(wave_numbers, angles);
  for (int i = 0; i < wave_numbers; ++i) {
    for (Eigen::Index a = 0; a < angles; ++a) result(i, a) = readings.logarithm[i * angles + a];
    const double middle = (result.row(i).maxCoeff() + result.row(i).minCoeff()) / 2.0;
    result.row(i).array() -= middle;
  }
  return result;
}

// The readings of the taps of x, kept.
class KnownReadings {
 public:
  explicit KnownReadings(const Eigen::MatrixXd& cosine) : cosine_(cosine) {}
  const Readings& of(const Eigen::VectorXd& x) {
    return latest_.of(x, [&](Readings& readings) { read_waves(taps_of(x), cosine_, readings); });
  }

 private:
  const Eigen::MatrixXd& cosine_;
  LatestTwo<Readings> latest_;
};

LeastSquaresProblem problem_of(const Eigen::MatrixXd& cosine, const Eigen::MatrixXd& weights, KnownReadings& known) {
  const Eigen::Index count = cosine.rows();
  LeastSquaresProblem problem;
  problem.residuals = static_cast<int>(2 * wave_numbers * angles);
  problem.lower = Eigen::VectorXd::Constant(count - 1, -1.5);
  problem.upper = Eigen::VectorXd::Constant(count - 1, 1.5);
  problem.evaluate = [&](const Eigen::VectorXd& x, Eigen::VectorXd& r, Eigen::MatrixXd* jacobian) {
    const Readings& readings = known.of(x);
    Eigen::MatrixXd slopes(angles, x.size());
    Eigen::VectorXd value(angles);
    for (int i = 0; i < wave_numbers; ++i) {
      for (Eigen::Index a = 0; a < angles; ++a) {
        value[a] = readings.logarithm[i * angles + a];
        if (jacobian == nullptr) continue;
        const auto wave = cosine.col(i * angles + a);
        const double read = readings.read[i * angles + a];
        for (Eigen::Index j = 0; j < x.size(); ++j)
          slopes(a, j) = std::abs(read) < 1e-3 ? 0.0 : 2.0 * (wave[j + 1] - wave[0]) / read;
      }
      const double scale = 1.0 / tolerance_of(i), mean = value.mean();
      Eigen::RowVectorXd mean_slope;
      if (jacobian != nullptr) mean_slope = slopes.colwise().mean();
      for (Eigen::Index a = 0; a < angles; ++a) {
        const Eigen::Index row = 2 * (i * angles + a);
        r[row] = weights(i, a) * scale * (value[a] - mean);
        r[row + 1] = pull * scale * value[a];
        if (jacobian == nullptr) continue;
        jacobian->row(row) = weights(i, a) * scale * (slopes.row(a) - mean_slope);
        jacobian->row(row + 1) = pull * scale * slopes.row(a);
      }
    }
  };
  return problem;
}

}  // namespace

WallTaps search_wall_taps(double edge, int count) {
  WallTaps result;
  result.edge = edge;
  const Eigen::MatrixXd cosine = cosines_of_waves(edge, count);
  KnownReadings known(cosine);
  if (count > 1) {
    Eigen::MatrixXd weights = Eigen::MatrixXd::Ones(wave_numbers, angles);
    const LeastSquaresProblem problem = problem_of(cosine, weights, known);
    // Linear and quadratic extrapolation to the wall's plane.
    Eigen::VectorXd x = Eigen::VectorXd::Zero(count - 1);
    x[0] = count == 2 ? -0.125 : -0.2;
    if (count > 2) x[1] = 0.02;
    double best = INFINITY;
    for (int round = 0; round < reweightings; ++round) {  // towards the smallest largest deviation
      x = minimise(problem, x, 60).x;
      Eigen::MatrixXd misses = deviations(known.of(x)).cwiseAbs();
      const double spread = misses.maxCoeff();
      for (int i = 0; i < wave_numbers; ++i) misses.row(i) /= tolerance_of(i);
      const double worst = misses.maxCoeff();
      if (worst < best) {
        best = worst;
        result.taps = taps_of(x);
        result.spread = spread;
      }
      weights.array() *= (0.3 + 0.7 * misses.array() / std::max(worst, 1e-12)).sqrt();
      weights /= weights.maxCoeff();
    }
  } else {
    result.spread = deviations(known.of(Eigen::VectorXd(0))).cwiseAbs().maxCoeff();
  }
  return result;
}

namespace {

constexpr double widest_edge = 0.97 * std::numbers::pi, narrower = 0.97;

// So many taps for the shortest waves that they read, as search_wall_taps finds them. Stencils with shorter waves all have
// them.
WallTaps shortest_readable(int count) {
  struct Row {
    double spread;
    std::array<double, max_wall_taps> taps;
  };
  static constexpr std::array<Row, max_wall_taps - 1> rows = {{
      // clang-format off
      {0.06385713224989073, {1.1730673464962118, -0.17306734649621192}},
      {0.06741767766951895, {1.2240424864721018, -0.2945067997855856, 0.07046431331348377}},
      {0.06202365891794045, {1.24664338492738, -0.348392314234032, 0.14341058902901818, -0.04166165972236621}},
      {0.04613075701478224, {1.2549863375338828, -0.3740263227942412, 0.17753129833351383, -0.08721674906404472, 0.02872543599088948}},
      {0.06248868076983689, {1.2627630497112132, -0.3920254520034702, 0.20470968184192662, -0.11706895388906394, 0.06582763176342026, -0.024205957424026002}},
      {0.06296800452038388, {1.2647763672659051, -0.40107853952172334, 0.21654779946864142, -0.13336612981360682, 0.0847291527231248, -0.052621960715601386, 0.021013310593260247}},
      {0.035637814711360516, {1.266226791473135, -0.4026620944633402, 0.2202075513852206, -0.1359201285190559, 0.08739077163045884, -0.056049957258837664, 0.03481069775687178, -0.014003632004452675}},
      // clang-format on
  }};
  const int known = std::clamp(count, 2, max_wall_taps);
  const Row& row = rows[static_cast<std::size_t>(known - 2)];
  return {{row.taps.begin(), row.taps.begin() + known}, row.spread, readable_edge(count)};
}

}  // namespace

double readable_edge(int count) {
  constexpr std::array<int, max_wall_taps - 1> steps = {22, 13, 9, 7, 5, 4, 4};
  const int known = std::min(count, max_wall_taps);
  return widest_edge * std::pow(narrower, steps[static_cast<std::size_t>(known - 2)]);
}

WallTaps fit_wall_taps(const GridStencil& stencil, int axis, double highest, int count) {
  const double courant = stencil.courant[static_cast<std::size_t>(axis)];
  if (courant <= 0.0) return {};
  const double edge = std::min(highest / courant, widest_edge);
  // Waves that are a little shorter are read less alike, but better than by taps that are not made for them.
  if (count > 1 && count <= max_wall_taps && edge >= readable_edge(count) / narrower) return shortest_readable(count);
  static KnownValues<WallTaps> known(1024);
  return known.of({edge, static_cast<double>(count)}, [&] { return search_wall_taps(edge, count); });
}

int room_for_taps(const std::array<int, 3>& cells) {
  int most = max_wall_taps;
  for (const int n : cells)
    if (n > 1) most = std::min(most, n / 2);
  return std::max(most, few_wall_taps);
}

WallTaps make_wall_taps(const GridStencil& stencil, int axis, double highest, const TapNeed& need) {
  WallTaps best = fit_wall_taps(stencil, axis, highest, 2);
  const auto try_more = [&](int count) {
    WallTaps more = fit_wall_taps(stencil, axis, highest, count);
    if (more.edge > best.edge || more.spread < 0.8 * best.spread) best = std::move(more);
  };
  if (best.spread > negligible * need.wall_error) try_more(few_wall_taps);
  const double courant = stencil.courant[static_cast<std::size_t>(axis)];
  const double edge = courant > 0.0 ? std::min(highest / courant, widest_edge) : 0.0;
  const double spread = enough * need.wall_error;
  for (int count = few_wall_taps + 1; count <= need.most && (best.edge < edge || best.spread > spread); ++count)
    if (count == need.most || edge <= readable_edge(count)) try_more(count);
  return best;
}

}  // namespace fdtd
