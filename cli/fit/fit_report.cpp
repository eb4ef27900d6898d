#include "cli/fit/fit_report.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>

#include "cli/documents.hpp"
#include "engine/files/json_fields.hpp"

namespace fdtd::cli {
namespace {

constexpr double badly_explained = 2.0;  // of CalibratedOctave::excess

std::string stage_text(const CalibrationStage& stage) {
  return stage.max_frequency ? fmt::format("up to {:.0f} Hz", *stage.max_frequency) : "of the whole scene";
}

std::size_t all_runs(const CalibrationResult& result) {
  std::size_t sum = 0;
  for (const std::size_t runs : result.runs) sum += runs;
  return sum;
}

std::string runs_text(const FitReport& report) {
  std::vector<std::string> parts;
  for (std::size_t s = 0; s < report.result->runs.size(); ++s)
    if (report.result->runs[s] > 0)
      parts.push_back(fmt::format("{} {}", report.result->runs[s], stage_text((*report.stages)[s])));
  return fmt::format("{} runs: {}\n", all_runs(*report.result), fmt::join(parts, ", "));
}

// The first column to the left, the others to the right.
std::string columns_text(const std::vector<std::vector<std::string>>& rows) {
  std::vector<std::size_t> widths;
  for (const auto& row : rows) {
    widths.resize(std::max(widths.size(), row.size()));
    for (std::size_t c = 0; c < row.size(); ++c) widths[c] = std::max(widths[c], row[c].size());
  }
  std::string text;
  for (const auto& row : rows) {
    std::string line = "  ";
    for (std::size_t c = 0; c < row.size(); ++c)
      line += c == 0 ? fmt::format("{:<{}}", row[c], widths[c]) : fmt::format("  {:>{}}", row[c], widths[c]);
    line.erase(line.find_last_not_of(' ') + 1);
    text += line + "\n";
  }
  return text;
}

std::string values_text(const CalibrationResult& result) {
  std::vector<std::vector<std::string>> rows = {{"material", "octave", "prior", "fitted", "+-", ""}};
  for (const CalibratedOctave& octave : result.octaves)
    for (const CalibratedValue& one : octave.values)
      rows.push_back({one.material, fmt::format("{:g} Hz", octave.octave), fmt::format("{:.3f}", one.prior),
                      fmt::format("{:.3f}", one.fitted), fmt::format("{:.3f}", one.deviation),
                      one.on_bound ? "on its bound" : ""});
  return rows.size() == 1 ? "" : "absorption coefficients, +- one standard deviation:\n" + columns_text(rows);
}

// "3.1 > 0.6", or "-".
std::string score_text(const CalibrationScore* score) {
  return score == nullptr ? "-" : fmt::format("{:.1f} > {:.1f}", score->before, score->after);
}

const CalibrationScore* score_of(const CalibrationResult& result, double octave, std::size_t figure, bool held) {
  const auto found = std::ranges::find_if(result.scores, [&](const CalibrationScore& one) {
    return one.octave == octave && one.figure == figure && one.held == held;
  });
  return found == result.scores.end() ? nullptr : &*found;
}

CalibrationScore mean_of(const CalibrationResult& result, std::size_t figure, bool held) {
  CalibrationScore mean{0.0, figure, held, 0, 0.0, 0.0};
  for (const CalibrationScore& one : result.scores)
    if (one.figure == figure && one.held == held) {
      ++mean.pairs;  // octaves, here
      mean.before += one.before;
      mean.after += one.after;
    }
  if (mean.pairs > 0) {
    mean.before /= static_cast<double>(mean.pairs);
    mean.after /= static_cast<double>(mean.pairs);
  }
  return mean;
}

std::string scores_text(const CalibrationResult& result, bool held, const std::string& title) {
  std::vector<std::vector<std::string>> rows = {{"octave"}};
  for (const FittedFigure& one : fitted_figures) rows[0].emplace_back(one.name);
  bool any = false;
  for (const CalibratedOctave& octave : result.octaves) {
    std::vector<std::string> row = {fmt::format("{:g} Hz", octave.octave)};
    for (std::size_t f = 0; f < fitted_figures.size(); ++f) {
      const CalibrationScore* const score = score_of(result, octave.octave, f, held);
      any = any || score != nullptr;
      row.push_back(score_text(score));
    }
    rows.push_back(row);
  }
  std::vector<std::string> means = {"mean"};
  for (std::size_t f = 0; f < fitted_figures.size(); ++f) {
    const CalibrationScore mean = mean_of(result, f, held);
    means.push_back(score_text(mean.pairs > 0 ? &mean : nullptr));
  }
  rows.push_back(means);
  return any ? title + columns_text(rows) : "";
}

std::string determined_text(const CalibrationResult& result, bool finished) {
  std::string text;
  for (const CalibratedOctave& octave : result.octaves) {
    const std::string at = fmt::format("{:g} Hz: ", octave.octave);
    if (!octave.fitted() && !finished && octave.runs == 0) {
      text += at + "not fitted yet\n";
      continue;
    }
    if (!octave.fitted()) {
      text += at +
              "not fitted: the runs give none of the measured figures; a longer duration gives T20, and a higher "
              "max_frequency, or geometry above it, gives octaves\n";
      continue;
    }
    for (const CalibratedOctave::Alike& group : octave.alike)
      text += fmt::format(
          "{}{} are not distinguished by the figures; the sum of their alpha times area is known to {:.0f} %\n", at,
          fmt::join(group.materials, ", "), 100.0 * group.deviation);
    if (!octave.unseen.empty())
      text += fmt::format("{}the figures do not show {}\n", at, fmt::join(octave.unseen, ", "));
    if (octave.excess > badly_explained)
      text += fmt::format(
          "{}differences remain that absorption does not explain; the standard deviations are {:.1f} times those of "
          "the "
          "measured figures alone\n",
          at, std::sqrt(octave.excess));
  }
  return text;
}

struct ReportedStage {
  CalibrationStage stage;
  std::size_t runs = 0;
};

std::vector<ReportedStage> stages_of(const FitReport& report) {
  std::vector<ReportedStage> list;
  for (std::size_t s = 0; s < report.result->runs.size(); ++s)
    list.push_back({(*report.stages)[s], report.result->runs[s]});
  return list;
}

const JsonFields<ReportedStage>& stage_fields() {
  static const auto fields = JsonFields<ReportedStage>()
                                 .value("max_frequency", "Hz", "Of waves alone; null: the scene as it is.",
                                        [](const ReportedStage& one) { return one.stage.max_frequency; })
                                 .value("octaves", "Hz", "Octaves that begin with it.",
                                        [](const ReportedStage& one) { return one.stage.octaves; })
                                 .value("runs", "", "Number of its runs.", &ReportedStage::runs);
  return fields;
}

const JsonFields<CalibratedValue>& value_fields() {
  static const auto fields =
      JsonFields<CalibratedValue>()
          .value("material", "", "Name of the material.", &CalibratedValue::material)
          .value("prior", "", "Absorption coefficient that the scene states.", &CalibratedValue::prior)
          .value("fitted", "", "Absorption coefficient that is fitted.", &CalibratedValue::fitted)
          .value("deviation", "", "Standard deviation of it.", &CalibratedValue::deviation)
          .value("on_bound", "", "Does it lie on its least or its largest value?", &CalibratedValue::on_bound);
  return fields;
}

const JsonFields<CalibratedOctave::Alike>& alike_fields() {
  using Alike = CalibratedOctave::Alike;
  static const auto fields =
      JsonFields<Alike>()
          .value("materials", "", "Materials that the figures do not distinguish.", &Alike::materials)
          .value("deviation", "", "Standard deviation of the sum of their coefficients times area, relative to it.",
                 &Alike::deviation);
  return fields;
}

const JsonFields<CalibratedOctave>& fitted_octave_fields() {
  static const auto fields =
      JsonFields<CalibratedOctave>()
          .value("centre", "Hz", "Centre of the octave.", &CalibratedOctave::octave)
          .value("runs", "", "Number of runs that gave its figures.", &CalibratedOctave::runs)
          .value("figures", "", "Number of measured figures that the fit used; 0: it kept the prior.",
                 &CalibratedOctave::figures)
          .value("excess", "",
                 "Mean square of the differences that remain, in their standard deviations, where that is above 1.",
                 &CalibratedOctave::excess)
          .list("materials", "Its absorption.", value_fields(), &CalibratedOctave::values)
          .value("unseen", "", "Materials whose change by the prior's spread the figures do not show.",
                 &CalibratedOctave::unseen)
          .list("alike", "Materials that the figures do not distinguish.", alike_fields(), &CalibratedOctave::alike);
  return fields;
}

const JsonFields<CalibrationScore>& score_fields() {
  static const auto fields =
      JsonFields<CalibrationScore>()
          .value("octave", "Hz", "Centre of the octave.", &CalibrationScore::octave)
          .value("figure", "", "T20, EDT, C80 or G.",
                 [](const CalibrationScore& one) { return std::string(fitted_figures[one.figure].name); })
          .value("held", "", "Of the pairs that were held out; false: of those that were fitted.",
                 &CalibrationScore::held)
          .value("pairs", "", "Number of pairs.", &CalibrationScore::pairs)
          .value("before", "JND", "Mean magnitude of the difference, in just noticeable ones, with the prior.",
                 &CalibrationScore::before)
          .value("after", "JND", "The same with the fitted absorption.", &CalibrationScore::after);
  return fields;
}

const JsonFields<FitReport>& fit_fields() {
  static const auto fields =
      JsonFields<FitReport>()
          .value("fitted", "", "Path of the fitted scene.", &FitReport::fitted)
          .value("finished", "",
                 "Were all runs made? False: the fit is the best so far, and the same command continues.",
                 [](const FitReport& report) { return report.unfinished.empty(); })
          .value("unfinished", "", "Why not; empty where it is finished.", &FitReport::unfinished)
          .value("hold", "", "Sources and receivers whose pairs were held out.", &FitReport::hold)
          .list("stages", "Runs, by the octaves that began with them.", stage_fields(), stages_of)
          .list("octaves", "The fitted absorption, by octave.", fitted_octave_fields(),
                [](const FitReport& report) { return report.result->octaves; })
          .list("scores", "Differences to the measured figures, by octave.", score_fields(),
                [](const FitReport& report) { return report.result->scores; })
          .value("remarks", "", "What was left out, and why.",
                 [](const FitReport& report) { return report.result->remarks; });
  return fields;
}

}  // namespace

DocumentFields fit_document() { return fit_fields().all(); }

std::string fit_text(const FitReport& report) {
  const CalibrationResult& result = *report.result;
  std::string text = report.unfinished.empty() ? "" : "not finished, the best so far: " + report.unfinished + "\n";
  text += runs_text(report) + values_text(result) + determined_text(result, report.unfinished.empty());
  text += scores_text(result, false, "mean difference of fitted pairs in just noticeable ones, before > after:\n");
  text += scores_text(result, true,
                      fmt::format("of the pairs of {}, which were held out:\n", fmt::join(report.hold, ", ")));
  for (const std::string& remark : result.remarks) text += "note: " + remark + "\n";
  return text + "wrote " + report.fitted + "\n";
}

nlohmann::ordered_json fit_json(const FitReport& report) { return fit_fields().write(report); }

}  // namespace fdtd::cli
