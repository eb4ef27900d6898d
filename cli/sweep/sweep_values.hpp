// The values of a sweep: products of lists, lists in step, rows of a table, and draws from distributions.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace fdtd::cli {

// The overrides of one run, as for --set, in the order of the keys.
using SweepPoint = std::vector<std::string>;

struct SweepValues {
  std::vector<std::string> sets;   // KEY=[a, b, ...]: every combination, the last key changes fastest
  std::vector<std::string> zips;   // KEY=[a, b, ...], all of one length: their n-th values together
  std::string table;               // CSV: keys in the first line, then one line a run; "": none
  std::vector<std::string> draws;  // KEY=VALUE with distributions: uniform(a, b), log_uniform(a, b), normal(mean,
                                   // sigma), integer(a, b), choice([a, b, ...])
  int runs = 0;                    // of draws
  std::uint64_t seed = 0;          // of draws
};

// Every combination of the points of sets, zips, table and draws. Draw n of a key depends on seed, key and n alone: more
// runs continue a sweep, and another key changes no draw. Throws Error(scene) for text that is not KEY=VALUE, a key
// given twice, an empty list, lists of different lengths in step, a table or distribution that cannot be read, draws
// without a number of runs or the reverse, and more than `max_points` runs.
std::vector<SweepPoint> sweep_points(const SweepValues& values, std::size_t max_points);

// The overrides on which waves may depend, as one text: without above.*, scattering (also as a part of a material that is
// given whole), air.absorption and output.* but for snapshots. Two points of one text are likely to have the same waves;
// whether they do is for `fdtd run --waves` to say.
std::string wave_overrides(const SweepPoint& point);

// Where the key of KEY=VALUE ends: at its first "=" outside quotes, as of materials."a=b".admittance=0.1; npos: nowhere.
std::size_t end_of_key(std::string_view text);

// Which quote or bracket of a TOML value, with distributions or without, is left open or closes nothing: "" for none.
std::string unclosed(std::string_view text);

// "[a, [b, c], "d, e"]" -> {a, [b, c], "d, e"}: split at commas outside brackets, braces and quotes; one element for
// text that is not a list.
std::vector<std::string> list_elements(const std::string& text);

}  // namespace fdtd::cli
