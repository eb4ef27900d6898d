#include "scenes/stencil_file.hpp"

#include <fmt/format.h>

#include "scenes/document.hpp"
#include "scenes/reader.hpp"
#include "stencils/check.hpp"

namespace fdtd {
namespace {

constexpr double largest_weight = 1e3;
constexpr int largest_radius = 20;
constexpr std::size_t most_shells = 64;  // the catalogue has at most 23

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
                "a shell is three whole numbers, the largest first");
      continue;
    }
    std::array<int, 3> q{};
    bool whole = true;
    for (std::size_t d = 0; d < 3; ++d) {
      const auto number = item.item(d).whole_number({0.0, largest_radius, "", false});
      whole = whole && number.has_value();
      q[d] = number.value_or(0);
    }
    if (whole) draft.shells.push_back({q[0], q[1], q[2]});
  }
}

const std::vector<Key<Draft>>& keys() {
  static const std::vector<Key<Draft>> table = {
      {"name", [](Draft& d, const At& at) { d.name = at.name().value_or(""); }},
      {"courant",
       [](Draft& d, const At& at) {
         d.courant = at.number({0.0, 2.0, "", true}).value_or(0.0);
       },
       "courant = 0.5"},
      {"centre",
       [](Draft& d, const At& at) {
         d.centre = at.number({-largest_weight, largest_weight, "", false}).value_or(0.0);
       },
       "centre = 0.5"},
      {"shells", read_shells, "shells = [[1, 0, 0]]"},
      {"weights",
       [](Draft& d, const At& at) {
         d.weights = at.numbers({-largest_weight, largest_weight, "", false}).value_or(std::vector<double>{});
       },
       "weights = [0.25]"},
      {"time_dispersion_removal", [](Draft& d, const At& at) { d.removal = at.boolean().value_or(false); }},
  };
  return table;
}

}  // namespace

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
  if (reading.count() == 0 && draft.shells.size() > most_shells)
    reading.fail(root->find("shells")->value.place, "shells",
                 fmt::format("{} shells are too many: at most {}", draft.shells.size(), most_shells),
                 "no stencil of the catalogue has more than 23, and to search the symbol of many takes minutes");
  if (reading.count() == 0 && draft.shells.empty())
    reading.fail(root->find("shells")->value.place, "shells", "is empty", "name at least one shell");
  result.problems = std::move(reading.problems);
  if (!result.problems.empty()) return result;

  result.stencil = user_stencil(draft.name, draft.courant, draft.shells, draft.centre, draft.weights, draft.removal);
  result.stencil.source = "weights of " + file.filename().string();
  for (const std::string& complaint : check(result.stencil)) result.problems.push_back({{}, 0, {}, complaint, {}, {}});
  return result;
}

}  // namespace fdtd
