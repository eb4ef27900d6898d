#include "engine/measured/match.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <set>

#include "base/error.hpp"
#include "base/problem.hpp"

namespace fdtd {
namespace {

constexpr double unknown = std::numeric_limits<double>::quiet_NaN();

std::string pair_name(const std::string& source, const std::string& receiver) { return source + " at " + receiver; }

std::vector<std::string> names_of(const RoomFigures& figures) {
  std::vector<std::string> names;
  for (const PairFigures& pair : figures.pairs) names.push_back(pair_name(pair.source, pair.receiver));
  return names;
}

using PairKey = std::pair<std::string, std::string>;  // source and receiver
using PairIndex = std::map<PairKey, std::size_t>;

PairIndex index_of(const RoomFigures& figures) {
  PairIndex index;
  for (std::size_t p = 0; p < figures.pairs.size(); ++p)
    index.emplace(PairKey{figures.pairs[p].source, figures.pairs[p].receiver}, p);
  return index;
}

// A pair that both have: its number in the run, and in the measurement.
struct CommonPair {
  std::size_t run = 0, measured = 0;
};

std::size_t place_of(const PairIndex& index, const RoomFigures& figures, const std::string& source,
                     const std::string& receiver, const std::string& where) {
  const auto found = index.find({source, receiver});
  if (found != index.end()) return found->second;
  throw Error(Status::scene, fmt::format("{} has no {} at {}", where, in_quotes(source), in_quotes(receiver)),
              "its pairs are " + listed(names_of(figures)));
}

// As they are named in the options, then those of equal names.
std::vector<CommonPair> common_pairs(const RoomFigures& run, const RoomFigures& measured, const MatchOptions& options) {
  const PairIndex of_run = index_of(run), of_measured = index_of(measured);
  std::vector<bool> run_used(run.pairs.size()), measured_used(measured.pairs.size());
  std::vector<CommonPair> pairs;
  const MatchWords& words = options.words;
  const auto use = [](std::vector<bool>& used, std::size_t at, const PairFigures& pair, const std::string& where) {
    if (used[at])
      throw Error(Status::scene, fmt::format("{} of {} is paired twice", pair_name(pair.source, pair.receiver), where));
    used[at] = true;
  };
  for (const PairNames& names : options.names) {
    pairs.push_back({place_of(of_run, run, names.source, names.receiver, words.run),
                     place_of(of_measured, measured, names.measured_source, names.measured_receiver, words.measured)});
    use(run_used, pairs.back().run, run.pairs[pairs.back().run], words.run);
    use(measured_used, pairs.back().measured, measured.pairs[pairs.back().measured], words.measured);
  }
  for (std::size_t p = 0; p < run.pairs.size(); ++p) {
    const auto found = of_measured.find({run.pairs[p].source, run.pairs[p].receiver});
    if (found == of_measured.end() || run_used[p] || measured_used[found->second]) continue;
    pairs.push_back({p, found->second});
  }
  if (pairs.empty())
    throw Error(Status::scene,
                fmt::format("no pair is both in {} and in {}: {} has {}; {} {}", words.run, words.measured, words.run,
                            listed(names_of(run), 300), words.measured, listed(names_of(measured), 300)),
                words.no_pair);
  return pairs;
}

// Nothing where there is no such octave.
const Figure* figure_in(const RoomFigures& figures, const PairFigures& pair, double centre, std::size_t figure) {
  const auto octave = std::ranges::find(figures.centres, centre);
  if (octave == figures.centres.end()) return nullptr;
  return &pair.octaves[static_cast<std::size_t>(octave - figures.centres.begin())][figure];
}

FigureDifference difference_of(std::size_t figure, double centre, const RoomFigures& run, const PairFigures& own,
                               const RoomFigures& measured, const PairFigures& other, const MatchWords& words) {
  const Figure *const a = figure_in(run, own, centre, figure), *const b = figure_in(measured, other, centre, figure);
  FigureDifference one;
  if (a != nullptr) one.run = a->value;
  if (b != nullptr) one.measured = b->value;
  if (one.run && one.measured) {
    one.difference = *one.run - *one.measured;
    one.noticeable = *one.difference / just_noticeable(figure, *one.measured);
    return one;
  }
  if (!one.run) one.reason = words.of_run + ": " + (a == nullptr ? run.other_octaves : a->reason);
  if (!one.measured)
    one.reason += fmt::format("{}{}: {}", one.reason.empty() ? "" : "; ", words.of_measured,
                              b == nullptr ? measured.other_octaves : b->reason);
  return one;
}

MatchMean mean_of(const std::vector<MatchedPair>& pairs, std::size_t octave, std::size_t figure) {
  MatchMean mean;
  for (const MatchedPair& pair : pairs) {
    const FigureDifference& one = pair.octaves[octave][figure];
    if (!one.difference) continue;
    ++mean.pairs;
    mean.size += std::abs(*one.noticeable);
    mean.signed_mean += *one.noticeable;
    mean.difference += *one.difference;
  }
  const double count = mean.pairs > 0 ? static_cast<double>(mean.pairs) : unknown;
  for (double* const sum : {&mean.size, &mean.signed_mean, &mean.difference}) *sum /= count;
  return mean;
}

MatchOverall overall_of(const Match& match, std::size_t figure) {
  MatchOverall overall;
  for (std::size_t b = 0; b < match.centres.size(); ++b) {
    const MatchMean& mean = match.means[b][figure];
    if (mean.pairs == 0 || match.centres[b] < match.lowest || match.centres[b] > match.highest) continue;
    overall.centres.push_back(match.centres[b]);
    overall.size += mean.size;
    overall.signed_mean += mean.signed_mean;
  }
  const double count = overall.centres.empty() ? unknown : static_cast<double>(overall.centres.size());
  overall.size /= count;
  overall.signed_mean /= count;
  return overall;
}

// A reason without its numbers: "the decay spans 21.3 dB" and "... 22.8 dB" are one.
std::string without_numbers(const std::string& reason) {
  std::string text;
  for (std::size_t i = 0; i < reason.size(); ++i) {
    const bool digit = reason[i] >= '0' && reason[i] <= '9';
    const bool mark = reason[i] == '.' && i + 1 < reason.size() && reason[i + 1] >= '0' && reason[i + 1] <= '9';
    if (!digit && !mark) text += reason[i];
  }
  return text;
}

// By reason; figures that lack values in the same octaves are together.
std::vector<NotCompared> not_compared_in(const Match& match) {
  struct Group {
    std::string reason;
    std::size_t count = 0;
    std::set<std::size_t> figures, pairs;
  };
  using Gap = std::pair<std::string, std::size_t>;  // a reason, a figure
  std::map<Gap, Group> gaps;
  std::map<Gap, std::set<double>> centres;
  for (std::size_t p = 0; p < match.pairs.size(); ++p)
    for (std::size_t b = 0; b < match.centres.size(); ++b)
      for (std::size_t f = 0; f < main_figures; ++f) {
        const std::string& reason = match.pairs[p].octaves[b][f].reason;
        if (reason.empty()) continue;
        const Gap gap{without_numbers(reason), f};
        Group& group = gaps[gap];
        if (group.count++ == 0) group.reason = reason;
        group.pairs.insert(p);
        centres[gap].insert(match.centres[b]);
      }
  std::map<std::pair<std::string, std::set<double>>, Group> together;
  for (const auto& [gap, group] : gaps) {
    Group& all = together[{gap.first, centres[gap]}];
    if (all.count == 0) all.reason = group.reason;
    all.count += group.count;
    all.figures.insert(gap.second);
    all.pairs.insert(group.pairs.begin(), group.pairs.end());
  }
  std::vector<NotCompared> list;
  for (const auto& [key, group] : together)
    list.push_back({group.reason,
                    group.count,
                    {group.figures.begin(), group.figures.end()},
                    {key.second.begin(), key.second.end()},
                    group.pairs.size()});
  std::ranges::stable_sort(list, std::greater(), &NotCompared::count);
  return list;
}

// Where the run and the measurement place one source or receiver more than `close` m apart. `there`: the measurement.
void add_places(const std::vector<NamedPosition>& run, const std::vector<NamedPosition>& measured, const char* what,
                const std::set<std::pair<std::string, std::string>>& names, const std::string& there,
                std::vector<std::string>& remarks) {
  constexpr double close = 0.05;
  const auto position_of = [](const std::vector<NamedPosition>& list, const std::string& name) {
    const auto found = std::ranges::find(list, name, &NamedPosition::name);
    return found == list.end() ? nullptr : &found->position;
  };
  for (const auto& [own, other] : names) {
    const auto *const a = position_of(run, own), *const b = position_of(measured, other);
    if (a == nullptr || b == nullptr) continue;
    const double apart = std::hypot((*a)[0] - (*b)[0], (*a)[1] - (*b)[1], (*a)[2] - (*b)[2]);
    if (apart > close)
      remarks.push_back(fmt::format("{} {} stands {:.3g} m from its place in {}, ({:g}, {:g}, {:g})", what,
                                    in_quotes(own), apart, there, (*b)[0], (*b)[1], (*b)[2]));
  }
}

std::vector<std::string> left_over(const RoomFigures& figures, const std::vector<CommonPair>& pairs,
                                   std::size_t CommonPair::*side) {
  std::vector<bool> used(figures.pairs.size());
  for (const CommonPair& one : pairs) used[one.*side] = true;
  std::vector<std::string> names;
  for (std::size_t p = 0; p < used.size(); ++p)
    if (!used[p]) names.push_back(pair_name(figures.pairs[p].source, figures.pairs[p].receiver));
  return names;
}

MatchedPair matched(const RoomFigures& run, const RoomFigures& measured, const CommonPair& common,
                    const std::vector<double>& centres, const MatchWords& words) {
  const PairFigures &own = run.pairs[common.run], &other = measured.pairs[common.measured];
  MatchedPair pair{{own.source, own.receiver, other.source, other.receiver}, {}, {}};
  for (const double centre : centres) {
    OctaveDifferences octave;
    for (std::size_t f = 0; f < main_figures; ++f)
      octave[f] = difference_of(f, centre, run, own, measured, other, words);
    pair.octaves.push_back(std::move(octave));
    const auto at = static_cast<std::size_t>(std::ranges::find(run.centres, centre) - run.centres.begin());
    pair.from.push_back(at < own.from.size() ? own.from[at] : BandOrigin::unknown);
  }
  return pair;
}

}  // namespace

MatchWords words_of_runs() {
  return {"B", "A", "B", "A", "give the sources and receivers of both runs the same names in their scenes"};
}

double just_noticeable(std::size_t figure, double value) {
  constexpr double relative[main_figures] = {0.05, 0.05, 0.05, 0.0, 0.0, 0.0, 0.0, 0.0};
  constexpr double absolute[main_figures] = {0.0, 0.0, 0.0, 1.0, 1.0, 0.05, 0.01, 1.0};
  return absolute[figure] + relative[figure] * std::abs(value);
}

Match match_figures(const RoomFigures& run, const RoomFigures& measured, const MatchOptions& options) {
  if (!(options.lowest > 0.0 && options.lowest <= options.highest))
    throw Error(Status::scene,
                fmt::format("octaves of {:g} to {:g} Hz: the range is empty", options.lowest, options.highest),
                "state the lower octave first, as in 125:4000");
  const std::vector<CommonPair> pairs = common_pairs(run, measured, options);
  Match match;
  match.lowest = options.lowest;
  match.highest = options.highest;
  std::ranges::set_union(run.centres, measured.centres, std::back_inserter(match.centres));
  for (const CommonPair& pair : pairs)
    match.pairs.push_back(matched(run, measured, pair, match.centres, options.words));
  match.means.resize(match.centres.size());
  for (std::size_t b = 0; b < match.centres.size(); ++b)
    for (std::size_t f = 0; f < main_figures; ++f) match.means[b][f] = mean_of(match.pairs, b, f);
  for (std::size_t f = 0; f < main_figures; ++f) match.overall[f] = overall_of(match, f);
  match.not_compared = not_compared_in(match);
  match.only_in_run = left_over(run, pairs, &CommonPair::run);
  match.only_measured = left_over(measured, pairs, &CommonPair::measured);
  std::set<std::pair<std::string, std::string>> sources, receivers;
  for (const MatchedPair& pair : match.pairs) {
    sources.emplace(pair.names.source, pair.names.measured_source);
    receivers.emplace(pair.names.receiver, pair.names.measured_receiver);
  }
  match.remarks = measured.remarks;
  add_places(run.sources, measured.sources, "source", sources, options.words.measured, match.remarks);
  add_places(run.receivers, measured.receivers, "receiver", receivers, options.words.measured, match.remarks);
  return match;
}

}  // namespace fdtd
