#include "scenes/toml/stencil_file.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <functional>

#include "scenes/toml/document.hpp"
#include "scenes/toml/key_readers.hpp"
#include "stencils/check.hpp"

namespace fdtd {
namespace {

constexpr Range courant_numbers{0.0, 2.0, "", true}, weights_of_S{-1e3, 1e3}, offsets{-20.0, 20.0};
constexpr std::size_t max_shells = 64;  // the catalogue has at most 23

struct Draft {
  std::string name;
  double courant = 0.0, centre = 0.0;
  std::vector<Shell> shells;
  std::vector<double> weights;
  bool removal = false;
};

void read_shells(Draft& draft, const At& at) {
  if (!at.is_list("shells, as in [[1, 0, 0], [1, 1, 0]]")) return;
  for (std::size_t i = 0; i < at.value.items.size(); ++i) {
    const At item = at.item(i);
    if (!item.is_list("three whole numbers")) continue;
    if (item.value.items.size() != 3) {
      item.fail(fmt::format("has {} numbers", item.value.items.size()),
                "a shell is three whole numbers, one of its points");
      continue;
    }
    std::array<int, 3> q{};
    bool whole = true;
    for (std::size_t d = 0; d < 3; ++d) {
      const auto number = item.item(d).whole_number(offsets);
      whole = whole && number.has_value();
      q[d] = number.value_or(0);
    }
    if (!whole) continue;
    for (int& one : q) one = std::abs(one);
    std::ranges::sort(q, std::greater());
    draft.shells.push_back({q[0], q[1], q[2]});
  }
}

const std::vector<Key<Draft>>& keys() {
  static const std::vector<Key<Draft>> table = {
      {"name", key_readers::name(&Draft::name), "Name of the stencil in outputs; the file's name by default."},
      {"courant", key_readers::number(&Draft::courant, courant_numbers),
       "Courant number, sound speed × time step / grid spacing, that the weights are for.", "courant = 0.5"},
      {"centre", key_readers::number(&Draft::centre, weights_of_S), "Weight of S at the point itself.", "centre = 0.5"},
      {"shells",
       {read_shells, {"list of three whole numbers each", offsets, {}}},
       "One point of each shell, in grid spacings; its signs and permutations are implied.",
       "shells = [[1, 0, 0]]"},
      {"weights",
       {[](Draft& d, const At& at) { d.weights = at.numbers(weights_of_S).value_or(std::vector<double>{}); },
        {"list of numbers", weights_of_S, {}}},
       "Weight of S for every point of each shell, one number a shell.",
       "weights = [0.25]"},
      {"time_dispersion_removal", key_readers::boolean(&Draft::removal),
       "Are the weights designed for responses that are corrected for the error of the time difference?"},
  };
  return table;
}

}  // namespace

KeyTable stencil_file_table() {
  return describe_table(
      {"", "A file of weights",
       R"(With `stencil = "mine.toml"` under `[simulation]` a scene takes its stencil from a file of your own.

The scheme is u(n+1) = S u(n) - u(n-1), where S is the weighted sum over the points of the stencil. The weights pass the
checks of the built-in catalogue (consistency, stability, |S| ≤ 2 for every wavenumber) or are refused with the
reasons.)",
       R"(name = "seven-points"
courant = 0.5
centre = 0.5
shells = [[1, 0, 0]]
weights = [0.25]
)"},
      keys());
}

StencilFile load_stencil(const std::filesystem::path& file) {
  StencilFile result;
  const auto refuse = [&result](Problem problem) {
    result.problems.push_back(std::move(problem));
    return result;
  };
  std::string why;
  auto text = read_small_file(file, why);
  if (!text) return refuse({{}, 0, {}, why, {}, {}});
  result.text = std::move(*text);
  if (auto problem = check_text(result.text)) return refuse(*problem);
  Problem broken;
  const std::optional<Value> root = read_toml(result.text, broken);
  if (!root) return refuse(broken);

  Reading reading{file.parent_path(), false, {}};
  Draft draft;
  draft.name = file.stem().string();
  read_table(draft, At{*root, "", reading}, keys());
  if (reading.count() == 0 && draft.weights.size() != draft.shells.size())
    reading.fail(root->find("weights")->value.place, "weights",
                 fmt::format("{} weights for {} shells", draft.weights.size(), draft.shells.size()),
                 "write one weight a shell; the centre's is `centre`");
  if (reading.count() == 0 && draft.shells.size() > max_shells)
    reading.fail(root->find("shells")->value.place, "shells",
                 fmt::format("{} shells are too many: at most {}", draft.shells.size(), max_shells),
                 "no stencil of the catalogue has more than 23, and to search the symbol of many takes minutes");
  if (reading.count() == 0 && draft.shells.empty())
    reading.fail(root->find("shells")->value.place, "shells", "is empty", "name at least one shell");
  result.problems = std::move(reading.problems);
  if (!result.problems.empty()) return result;

  result.stencil = user_stencil(draft.name, draft.courant, draft.shells, draft.centre, draft.weights, draft.removal);
  result.stencil.source = "weights of " + file.filename().string();
  const char* const rules =
      "the weights of all points and the centre's sum to 2, those times the square of one coordinate to 2 courant^2, "
      "and "
      "|S| <= 2 for every wavenumber";
  for (const std::string& complaint : check(result.stencil))
    result.problems.push_back({{}, 0, {}, complaint, rules, {}});
  return result;
}

}  // namespace fdtd
