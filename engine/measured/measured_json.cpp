#include "engine/measured/measured_json.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>
#include <set>

#include "base/problem.hpp"
#include "engine/measured/measured_value.hpp"
#include "scenes/mesh/json_fault.hpp"

namespace fdtd {
namespace {

using Json = nlohmann::json;

// A refusal on its way to read_measured_json.
struct MeasuredRefusal {
  std::string why;
};

[[noreturn]] void refuse_at(const std::string& where, const std::string& what) {
  throw MeasuredRefusal{where + ": " + what};
}

// Descriptions of the data, which nothing reads.
constexpr const char* description_keys[] = {"scene",   "source",      "responses", "analysis",
                                            "licence", "sample_rate", "published"};

// The parser keeps the last of two members with one name: the first would be lost without a word.
Json parse_unique(std::string_view text) {
  std::vector<std::set<std::string>> open;
  return Json::parse(text, [&](int, Json::parse_event_t event, Json& parsed) {
    if (event == Json::parse_event_t::object_start) open.emplace_back();
    if (event == Json::parse_event_t::object_end) open.pop_back();
    if (event == Json::parse_event_t::key && !open.back().insert(parsed.get<std::string>()).second)
      throw MeasuredRefusal{
          fmt::format("{} appears twice in one object: remove one of them", in_quotes(parsed.get<std::string>()))};
    return true;
  });
}

double number_at(const Json& value, const std::string& where) {
  if (!value.is_number()) refuse_at(where, "is not a number");
  return value.get<double>();
}

std::string name_at(const Json& value, const std::string& where) {
  if (!value.is_string()) refuse_at(where, "is not a text");
  std::string name = value.get<std::string>();
  if (const std::string fault = name_fault(name); !fault.empty()) refuse_at(where, fault);
  return name;
}

std::vector<double> centres_at(const Json& root) {
  const auto found = root.find("bands_hz");
  if (found == root.end())
    throw MeasuredRefusal{"\"bands_hz\" is missing: the octaves of the figures, as in [125, 250, 500, 1000]"};
  if (!found->is_array() || found->empty()) refuse_at("bands_hz", "is not a list of octaves");
  std::vector<double> centres;
  for (std::size_t b = 0; b < found->size(); ++b) {
    const std::string where = fmt::format("bands_hz[{}]", b);
    const double frequency = number_at((*found)[b], where);
    const auto octave = octave_of(frequency);
    if (!octave)
      refuse_at(where, fmt::format("{:g} Hz is no octave: they are 31.5, 63, 125, ..., 16000 Hz; of thirds give the "
                                   "figures of whole octaves",
                                   frequency));
    if (!centres.empty() && *octave <= centres.back())
      refuse_at(where, fmt::format("octaves must increase: {:g} follows {:g} Hz", frequency, centres.back()));
    centres.push_back(*octave);
  }
  return centres;
}

Figure figure_at(const Json& value, std::size_t figure, const std::string& where) {
  constexpr std::size_t longest_reason = 200;
  if (value.is_null() || (value.is_string() && value.get_ref<const std::string&>().empty()))
    return {std::nullopt, "not stated in the measurement"};
  if (value.is_string()) return {std::nullopt, shortened(value.get<std::string>(), longest_reason)};
  if (!value.is_number()) refuse_at(where, "is neither a number nor null, nor a text that says why there is none");
  const double number = value.get<double>();
  if (const std::string fault = value_fault(figure, number); !fault.empty()) refuse_at(where, fault);
  return {number, ""};
}

void read_figures(const Json& object, const std::string& where, bool named, std::size_t bands, PairFigures& pair,
                  std::set<std::string>& others) {
  OctaveFigures none;
  for (Figure& one : none) one.reason = "not stated in the measurement";
  pair.octaves.assign(bands, none);
  std::set<std::size_t> seen;
  for (const auto& [key, values] : object.items()) {
    if (named && (key == "source" || key == "receiver")) continue;
    const auto figure = figure_of(key);
    if (!figure) {
      others.insert(shortened(key, max_measured_name));
      continue;
    }
    if (!seen.insert(*figure).second)
      refuse_at(where, fmt::format("{} appears twice, in small and in capital letters", in_quotes(key)));
    const std::string place = where + "." + key;
    if (!values.is_array()) refuse_at(place, "is not a list, with a value for each octave of bands_hz");
    if (values.size() != bands)
      refuse_at(place, fmt::format("has {} value{} for the {} octave{} of bands_hz", values.size(),
                                   values.size() == 1 ? "" : "s", bands, bands == 1 ? "" : "s"));
    for (std::size_t b = 0; b < bands; ++b)
      pair.octaves[b][*figure] = figure_at(values[b], *figure, fmt::format("{}[{}]", place, b));
  }
  if (seen.empty()) refuse_at(where, "has no figures: they are " + measured_figure_names());
}

// The names of a pair from its key, "LS1 MP1".
void name_pair(const std::string& key, const std::string& where, PairFigures& pair) {
  const auto blank = key.find(' ');
  if (blank == key.npos || blank != key.rfind(' ') || blank == 0 || blank + 1 == key.size())
    refuse_at(where,
              "is not the name of a source and that of a receiver, parted by one blank: where names hold blanks "
              "\"pairs\" is a list of objects with \"source\" and \"receiver\"");
  pair.source = key.substr(0, blank);
  pair.receiver = key.substr(blank + 1);
  for (const std::string& name : {pair.source, pair.receiver})
    if (const std::string fault = name_fault(name); !fault.empty()) refuse_at(where, fault);
}

std::vector<PairFigures> pairs_at(const Json& root, std::size_t bands, std::set<std::string>& others) {
  const auto found = root.find("pairs");
  if (found == root.end()) throw MeasuredRefusal{"\"pairs\" is missing: the figures of each source and receiver"};
  if ((!found->is_object() && !found->is_array()) || found->empty())
    refuse_at("pairs", "is neither an object, as in {\"LS1 MP1\": {\"t20\": [...]}}, nor a list of objects");
  if (found->size() > max_measured_pairs)
    refuse_at("pairs", fmt::format("{} pairs are too many: at most {}", found->size(), max_measured_pairs));
  std::vector<PairFigures> pairs;
  std::set<std::pair<std::string, std::string>> seen;
  std::size_t at = 0;
  for (const auto& [key, value] : found->items()) {
    const std::string where = found->is_array() ? fmt::format("pairs[{}]", at++) : "pairs." + in_quotes(key);
    if (!value.is_object()) refuse_at(where, "is not an object with figures");
    PairFigures pair;
    if (found->is_array()) {
      for (const char* const name : {"source", "receiver"})
        if (!value.contains(name)) refuse_at(where, fmt::format("\"{}\" is missing", name));
      pair.source = name_at(value["source"], where + ".source");
      pair.receiver = name_at(value["receiver"], where + ".receiver");
    } else {
      name_pair(key, where, pair);
    }
    if (!seen.emplace(pair.source, pair.receiver).second)
      refuse_at(where, fmt::format("{} at {} appears twice", in_quotes(pair.source), in_quotes(pair.receiver)));
    read_figures(value, where, found->is_array(), bands, pair, others);
    pairs.push_back(std::move(pair));
  }
  return pairs;
}

std::vector<NamedPosition> positions_at(const Json& root, const char* key) {
  std::vector<NamedPosition> list;
  const auto found = root.find(key);
  if (found == root.end() || found->is_null()) return list;
  if (!found->is_object()) refuse_at(key, "is not an object of positions, as in {\"LS1\": [1.0, 2.0, 1.2]}");
  for (const auto& [name, value] : found->items()) {
    const std::string where = std::string(key) + "." + in_quotes(name);
    if (!value.is_array() || value.size() != 3) refuse_at(where, "is not a position of three coordinates in m");
    NamedPosition one{name, {}};
    for (std::size_t d = 0; d < 3; ++d) {
      one.position[d] = number_at(value[d], fmt::format("{}[{}]", where, d));
      if (!(std::abs(one.position[d]) <= 1e6)) refuse_at(where, "is farther than 1000 km away: coordinates are in m");
    }
    list.push_back(std::move(one));
  }
  return list;
}

// Whatever describes the data is left unread; a name near that of a key is taken for a slip.
std::vector<std::string> unread_keys(const Json& root) {
  const std::vector<std::string> known{"bands_hz", "pairs", "sources", "receivers", "listeners"};
  std::vector<std::string> unread;
  for (const auto& [key, value] : root.items()) {
    if (std::ranges::find(known, key) != known.end() ||
        std::ranges::find(description_keys, key) != std::end(description_keys))
      continue;
    if (const std::string nearest = nearest_name(key, known); !nearest.empty())
      throw MeasuredRefusal{fmt::format("{} is not a known key: did you mean {}?", in_quotes(key), in_quotes(nearest))};
    unread.push_back(fmt::format("{} is not read", in_quotes(shortened(key, max_measured_name))));
  }
  return unread;
}

RoomFigures figures_of(const Json& root) {
  if (!root.is_object()) throw MeasuredRefusal{"it is no object with \"bands_hz\" and \"pairs\""};
  if (root.contains("receivers") && root.contains("listeners"))
    throw MeasuredRefusal{"\"receivers\" and \"listeners\" are two names of one key: state one of them"};
  RoomFigures figures;
  figures.remarks = unread_keys(root);
  figures.centres = centres_at(root);
  std::set<std::string> others;
  figures.pairs = pairs_at(root, figures.centres.size(), others);
  if (!others.empty()) figures.remarks.push_back(other_figures_remark(others));
  figures.sources = positions_at(root, "sources");
  figures.receivers = positions_at(root, root.contains("listeners") ? "listeners" : "receivers");
  return figures;
}

}  // namespace

std::optional<RoomFigures> read_measured_json(std::string_view text, std::string& why) {
  try {
    return figures_of(parse_unique(text));
  } catch (const nlohmann::detail::exception& error) {
    why = json_fault(text, error);
  } catch (const MeasuredRefusal& refused) {
    why = refused.why;
  }
  return std::nullopt;
}

}  // namespace fdtd
