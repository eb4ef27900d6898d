#include "engine/reports/match_report.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <set>

#include "base/parallel_failure.hpp"
#include "base/problem.hpp"
#include "engine/reports/metrics_report.hpp"
#include "engine/reports/run_report.hpp"

namespace fdtd {
namespace {

// A value, or null.
std::optional<double> known(double value) { return std::isnan(value) ? std::nullopt : std::optional(value); }

std::vector<std::string> figure_names(const std::vector<std::size_t>& figures) {
  std::vector<std::string> names;
  for (const std::size_t f : figures) names.emplace_back(named_figures[f].name);
  return names;
}

// A figure of a pair in an octave, or of all pairs, with its name.
struct NamedDifference {
  std::size_t figure = 0;
  const FigureDifference* difference = nullptr;
};
struct NamedMean {
  std::size_t figure = 0;
  const MatchMean* mean = nullptr;
};
struct NamedOverall {
  std::size_t figure = 0;
  const MatchOverall* overall = nullptr;
};

struct PairOctave {
  double centre = 0.0;
  BandOrigin from = BandOrigin::unknown;
  std::vector<NamedDifference> figures;
};
struct MeanOctave {
  double centre = 0.0;
  std::vector<NamedMean> figures;
};

template <class Named>
const char* figure_name(const Named& one) {
  return named_figures[one.figure].name;
}

template <class Named>
const char* unit_name(const Named& one) {
  return named_figures[one.figure].unit;
}

std::vector<PairOctave> octaves_of(const Match& match, const MatchedPair& pair) {
  std::vector<PairOctave> octaves;
  for (std::size_t b = 0; b < match.centres.size(); ++b) {
    PairOctave octave{match.centres[b], pair.from[b], {}};
    for (std::size_t f = 0; f < main_figures; ++f) octave.figures.push_back({f, &pair.octaves[b][f]});
    octaves.push_back(std::move(octave));
  }
  return octaves;
}

const JsonFields<NamedDifference>& difference_fields() {
  using Of = NamedDifference;
  static const auto fields =
      JsonFields<Of>()
          .value("figure", "", "Name of the figure, of those of `fdtd metrics`.", figure_name<Of>)
          .value("unit", "", "Its unit.", unit_name<Of>)
          .value("run", "", "Its value in the run; null: none.", [](const Of& of) { return of.difference->run; })
          .value("measured", "", "Its measured value; null: none.",
                 [](const Of& of) { return of.difference->measured; })
          .value("difference", "", "The run less the measurement, in the figure's unit; null: not compared.",
                 [](const Of& of) { return of.difference->difference; })
          .value("jnd", "", "The same in just noticeable differences (ISO 3382-1:2009, table A.1).",
                 [](const Of& of) { return of.difference->noticeable; })
          .value("reason", "", "Why it is not compared; null: it is.", [](const Of& of) {
            return of.difference->reason.empty() ? std::nullopt : std::optional(of.difference->reason);
          });
  return fields;
}

const JsonFields<PairOctave>& pair_octave_fields() {
  static const auto fields =
      JsonFields<PairOctave>()
          .value("centre", "Hz", "Nominal centre of the octave.", &PairOctave::centre)
          .value("from", "",
                 "The part of the run's response that makes the octave: `wave`, `geometry` or `both`; null: not known.",
                 [](const PairOctave& of) {
                   return of.from == BandOrigin::unknown ? std::nullopt : std::optional<std::string>(name_of(of.from));
                 })
          .list("figures", "One element for each figure of ISO 3382-1.", difference_fields(), &PairOctave::figures);
  return fields;
}

struct PairInMatch {
  const MatchedPair* pair = nullptr;
  std::vector<PairOctave> octaves;
};

const JsonFields<PairInMatch>& pair_fields() {
  using Of = PairInMatch;
  static const auto fields =
      JsonFields<Of>()
          .value("source", "", "Name of the source in the run.", [](const Of& of) { return of.pair->names.source; })
          .value("receiver", "", "Name of the receiver in the run.",
                 [](const Of& of) { return of.pair->names.receiver; })
          .value("measured_source", "", "Name of the source in the measurement.",
                 [](const Of& of) { return of.pair->names.measured_source; })
          .value("measured_receiver", "", "Name of the receiver in the measurement.",
                 [](const Of& of) { return of.pair->names.measured_receiver; })
          .list("octaves", "One element for each octave of the run or of the measurement.", pair_octave_fields(),
                &Of::octaves);
  return fields;
}

const JsonFields<NamedMean>& mean_fields() {
  using Of = NamedMean;
  static const auto fields =
      JsonFields<Of>()
          .value("figure", "", "Name of the figure.", figure_name<Of>)
          .value("unit", "", "Its unit.", unit_name<Of>)
          .value("pairs", "", "Number of pairs that are compared.", [](const Of& of) { return of.mean->pairs; })
          .value("jnd", "", "Mean of |difference| over the pairs, in just noticeable differences; null: of none.",
                 [](const Of& of) { return known(of.mean->size); })
          .value("jnd_signed", "", "Mean of the difference, likewise.",
                 [](const Of& of) { return known(of.mean->signed_mean); })
          .value("difference", "", "Mean of the difference, in the figure's unit.",
                 [](const Of& of) { return known(of.mean->difference); });
  return fields;
}

const JsonFields<MeanOctave>& mean_octave_fields() {
  static const auto fields =
      JsonFields<MeanOctave>()
          .value("centre", "Hz", "Nominal centre of the octave.", &MeanOctave::centre)
          .list("figures", "One element for each figure of ISO 3382-1.", mean_fields(), &MeanOctave::figures);
  return fields;
}

const JsonFields<NamedOverall>& overall_fields() {
  using Of = NamedOverall;
  static const auto fields =
      JsonFields<Of>()
          .value("figure", "", "Name of the figure.", figure_name<Of>)
          .value("octaves", "Hz", "The octaves of `bands` in which there is a pair to compare.",
                 [](const Of& of) { return of.overall->centres; })
          .value("jnd", "", "Mean over these octaves of the mean |difference| in just noticeable differences.",
                 [](const Of& of) { return known(of.overall->size); })
          .value("jnd_signed", "", "The same of the mean difference.",
                 [](const Of& of) { return known(of.overall->signed_mean); });
  return fields;
}

const JsonFields<NotCompared>& not_compared_fields() {
  using Of = NotCompared;
  static const auto fields =
      JsonFields<Of>()
          .value("reason", "", "The reason; of reasons that differ in numbers alone, the first.", &Of::reason)
          .value("values", "", "Number of values.", &Of::count)
          .value("pairs", "", "Number of pairs that have such a value.", &Of::pairs)
          .value("figures", "", "Their figures.", [](const Of& of) { return figure_names(of.figures); })
          .value("octaves", "Hz", "Their octaves.", &Of::centres);
  return fields;
}

std::vector<PairInMatch> pairs_of(const Match& match) {
  std::vector<PairInMatch> list;
  for (const MatchedPair& pair : match.pairs) list.push_back({&pair, octaves_of(match, pair)});
  return list;
}

std::vector<MeanOctave> means_of(const Match& match) {
  std::vector<MeanOctave> list;
  for (std::size_t b = 0; b < match.centres.size(); ++b) {
    MeanOctave octave{match.centres[b], {}};
    for (std::size_t f = 0; f < main_figures; ++f) octave.figures.push_back({f, &match.means[b][f]});
    list.push_back(std::move(octave));
  }
  return list;
}

std::vector<NamedOverall> overalls_of(const Match& match) {
  std::vector<NamedOverall> list;
  for (std::size_t f = 0; f < main_figures; ++f) list.push_back({f, &match.overall[f]});
  return list;
}

// One table: a row for each octave with any pair, and one of means over octaves, if there is one.
using Cell = std::function<std::string(std::size_t octave, std::size_t figure)>;
std::string octave_table(const Match& match, const std::string& head, const Cell& cell,
                         const std::function<std::string(std::size_t figure)>& overall) {
  std::string text = head + "\n" + fmt::format("{:>10}", "Hz");
  for (std::size_t f = 0; f < main_figures; ++f) text += fmt::format("{:>8}", named_figures[f].name);
  text += "\n";
  for (std::size_t b = 0; b < match.centres.size(); ++b) {
    if (std::ranges::all_of(match.means[b], [](const MatchMean& mean) { return mean.pairs == 0; })) continue;
    text += fmt::format("{:>10.6g}", match.centres[b]);
    for (std::size_t f = 0; f < main_figures; ++f) text += fmt::format("{:>8}", cell(b, f));
    text += "\n";
  }
  if (!overall) return text;
  text += fmt::format("{:>10}", fmt::format("{:.6g}-{:.6g}", match.lowest, match.highest));
  for (std::size_t f = 0; f < main_figures; ++f) text += fmt::format("{:>8}", overall(f));
  return text + "\n";
}

std::string cell_of(double value, const char* sign) {
  if (std::isnan(value)) return "-";
  return *sign == '+' ? fmt::format("{:+.2f}", value) : fmt::format("{:.2f}", value);
}

std::string octave_list(const std::vector<double>& centres) {
  std::vector<std::string> names;
  for (const double centre : centres) names.push_back(fmt::format("{:.6g}", centre));
  return listed(names) + " Hz";
}

// Octaves of the range in which no pair of a figure that is compared elsewhere is.
std::string gaps_text(const Match& match) {
  std::vector<double> within;
  for (const double centre : match.centres)
    if (centre >= match.lowest && centre <= match.highest) within.push_back(centre);
  std::string text;
  for (std::size_t f = 0; f < main_figures; ++f) {
    const std::vector<double>& there = match.overall[f].centres;
    if (!there.empty() && there.size() < within.size())
      text += fmt::format("{}{} {}", text.empty() ? "means are over fewer octaves: " : "; ", named_figures[f].name,
                          octave_list(there));
  }
  return text.empty() ? text : text + "\n";
}

std::string not_compared_text(const Match& match) {
  constexpr std::size_t most = 12;
  std::string text;
  for (std::size_t i = 0; i < std::min(most, match.not_compared.size()); ++i) {
    const NotCompared& one = match.not_compared[i];
    const std::string figures = one.figures.size() == main_figures ? "all figures" : listed(figure_names(one.figures));
    text += fmt::format("not compared, {} value{} ({}; {}; {} pair{}): {}\n", one.count, one.count == 1 ? "" : "s",
                        figures, octave_list(one.centres), one.pairs, one.pairs == 1 ? "" : "s", one.reason);
  }
  if (match.not_compared.size() > most)
    text += fmt::format("and for {} reasons more: --json lists them\n", match.not_compared.size() - most);
  return text;
}

std::string left_over_text(const std::vector<std::string>& pairs, const char* where) {
  if (pairs.empty()) return "";
  return fmt::format("{} pair{} {}: {}\n", pairs.size(), pairs.size() == 1 ? "" : "s", where, listed(pairs, 200));
}

}  // namespace

RoomFigures room_figures(const Result& result) {
  const std::vector<ShownChannel> shown = shown_channels(result.recording);
  std::vector<Metrics> metrics(shown.size());
  ParallelFailure failure;
#pragma omp parallel for schedule(dynamic)
  for (std::size_t i = 0; i < shown.size(); ++i)
    failure.guard([&] { metrics[i] = measure_channel(result, shown[i].channel); });
  failure.rethrow();
  RoomFigures figures;
  figures.other_octaves = fmt::format("not within its valid band, to {:.6g} Hz", result.valid_to());
  const std::size_t receivers = result.recording.receivers.size();
  std::set<std::string> sources_seen, receivers_seen;
  for (std::size_t i = 0; i < shown.size(); ++i) {
    add_response(figures, shown[i].source, shown[i].receiver, metrics[i]);
    const std::size_t s = shown[i].channel / receivers, r = shown[i].channel % receivers;
    if (sources_seen.insert(shown[i].source).second)
      figures.sources.push_back({shown[i].source, result.source_positions[s]});
    if (receivers_seen.insert(shown[i].receiver).second)
      figures.receivers.push_back({shown[i].receiver, result.receiver_positions[r]});
  }
  return figures;
}

const JsonFields<Match>& match_fields() {
  static const auto fields =
      JsonFields<Match>()
          .list("means", "Means over the pairs, one element for each octave.", mean_octave_fields(), means_of)
          .value("bands", "Hz", "The lowest and the highest octave of `overall`.",
                 [](const Match& match) {
                   return std::vector{match.lowest, match.highest};
                 })
          .list("overall", "Means over octaves, one element for each figure.", overall_fields(), overalls_of)
          .list("not_compared", "Values that are not compared, by reason and octaves.", not_compared_fields(),
                &Match::not_compared)
          .value("only_in_run", "", "Pairs of the run that were not measured, as in `S1 at R1`.", &Match::only_in_run)
          .value("only_measured", "", "Measured pairs that the run lacks.", &Match::only_measured)
          .value("remarks", "",
                 "Sources and receivers that stand elsewhere in the measurement, and what of its file is not read.",
                 &Match::remarks)
          .list("pairs", "One element for each pair that is compared.", pair_fields(), pairs_of);
  return fields;
}

std::string match_text(const Match& match) {
  const auto mean = [&](std::size_t b, std::size_t f) -> const MatchMean& { return match.means[b][f]; };
  std::string text = octave_table(
      match, "mean |run - measured| in just noticeable differences (ISO 3382-1, table A.1)",
      [&](std::size_t b, std::size_t f) { return cell_of(mean(b, f).size, ""); },
      [&](std::size_t f) { return cell_of(match.overall[f].size, ""); });
  text += octave_table(
      match, "mean run - measured in just noticeable differences",
      [&](std::size_t b, std::size_t f) { return cell_of(mean(b, f).signed_mean, "+"); },
      [&](std::size_t f) { return cell_of(match.overall[f].signed_mean, "+"); });
  text += octave_table(match, fmt::format("pairs that are compared, of {}", match.pairs.size()),
                       [&](std::size_t b, std::size_t f) { return fmt::format("{}", mean(b, f).pairs); }, {});
  text += gaps_text(match) + not_compared_text(match);
  text += left_over_text(match.only_in_run, "of the run not measured");
  text += left_over_text(match.only_measured, "measured that the run lacks");
  for (const std::string& remark : match.remarks) text += remark + "\n";
  return text;
}

namespace {

// How many pairs each mean of fewer than all is of; nothing where there is none.
std::string fewer_pairs(const Match& match) {
  std::string text;
  for (std::size_t b = 0; b < match.centres.size(); ++b) {
    std::string here;
    for (std::size_t f = 0; f < main_figures; ++f)
      if (const std::size_t pairs = match.means[b][f].pairs; pairs > 0 && pairs < match.pairs.size())
        here += fmt::format("{}{} {}", here.empty() ? "" : ", ", named_figures[f].name, pairs);
    if (!here.empty()) text += fmt::format("  {:g} Hz: {}\n", match.centres[b], here);
  }
  return text.empty() ? text : "means of fewer pairs:\n" + text;
}

}  // namespace

std::string comparison_text(const Match& match) {
  const std::size_t pairs = match.pairs.size();
  std::string text =
      fmt::format("B less A, mean over {} pair{} of source and receiver\n{:>8}", pairs, pairs == 1 ? "" : "s", "Hz");
  for (std::size_t f = 0; f < main_figures; ++f) text += fmt::format("{:>8} ", figure_head(f));
  text.back() = '\n';
  bool compared = false, noticed = false;
  for (std::size_t b = 0; b < match.centres.size(); ++b) {
    if (std::ranges::all_of(match.means[b], [](const MatchMean& mean) { return mean.pairs == 0; })) continue;
    compared = true;
    text += fmt::format("{:>8.6g}", match.centres[b]);
    for (std::size_t f = 0; f < main_figures; ++f) {
      const MatchMean& mean = match.means[b][f];
      const bool star = mean.pairs > 0 && mean.size >= 1.0;
      noticed = noticed || star;
      const std::string value =
          mean.pairs == 0 ? "-" : (mean.difference >= 0.0 ? "+" : "") + figure_text(f, mean.difference);
      text += fmt::format("{:>8}{}", value, star ? '*' : ' ');
    }
    text.resize(text.find_last_not_of(' ') + 1);
    text += "\n";
  }
  if (noticed)
    text +=
        "* pairs differ by one just noticeable difference or more on average, up or down,\n"
        "  so that the mean above may be less (ISO 3382-1, table A.1: 5 % of decay times,\n"
        "  1 dB, 0.05 of D50, 10 ms of Ts)\n";
  else if (!compared)
    text += "no figure has a value in both\n";
  else
    text += "no figure differs by one just noticeable difference on average over pairs\n";
  text += fewer_pairs(match) + not_compared_text(match);
  text += left_over_text(match.only_measured, "in A alone") + left_over_text(match.only_in_run, "in B alone");
  for (const std::string& remark : match.remarks) text += remark + "\n";
  return text;
}

}  // namespace fdtd
