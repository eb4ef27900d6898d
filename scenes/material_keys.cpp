#include "scenes/material_keys.hpp"

#include <fmt/format.h>

#include "scenes/key_readers.hpp"

namespace fdtd {
namespace {

using namespace key_readers;

constexpr Range frequency{1, 192000, "Hz"}, fraction{0, 1};
constexpr std::size_t most_branches = 100, most_bands = 100;

bool fits(const At& at, std::size_t most) {
  if (at.value.items.empty() || at.value.items.size() > most) {
    at.fail(fmt::format("must have 1 to {} elements, not {}", most, at.value.items.size()));
    return false;
  }
  return true;
}

struct Absorption {
  std::optional<std::vector<double>> bands, alpha;
};

const std::vector<Key<Absorption>>& absorption_keys() {
  static const std::vector<Key<Absorption>> keys = {
      {"bands", [](Absorption& into, const At& at) { into.bands = at.numbers(frequency); }, "bands = [...], in Hz"},
      {"alpha", [](Absorption& into, const At& at) { into.alpha = at.numbers(fraction); }, "alpha = [...], one a band"},
  };
  return keys;
}

void read_absorption(Material& into, const At& at) {
  into.kind = Material::Kind::absorption;
  Absorption read;
  read_table(read, at, absorption_keys());
  if (!read.bands || !read.alpha) return;
  const At bands = at.below(*at.value.find("bands")), alpha = at.below(*at.value.find("alpha"));
  if (!fits(bands, most_bands)) return;
  if (read.alpha->size() != read.bands->size()) {
    return alpha.fail(fmt::format("has {} values for {} bands", read.alpha->size(), read.bands->size()));
  }
  for (std::size_t i = 1; i < read.bands->size(); ++i) {
    if ((*read.bands)[i] > (*read.bands)[i - 1]) continue;
    return bands.item(i).fail(
        fmt::format("bands must increase: {} follows {} Hz", (*read.bands)[i], (*read.bands)[i - 1]));
  }
  into.bands = *read.bands;
  into.alpha = *read.alpha;
}

const std::vector<Key<Branch>>& branch_keys() {
  static const std::vector<Key<Branch>> keys = {
      {"D", number(&Branch::D, {0, 1e6, "s"})},
      {"E", number(&Branch::E, {0, 1e9})},
      {"F", number(&Branch::F, {0, 1e12, "1/s"})},
  };
  return keys;
}

void read_branches(Material& into, const At& at) {
  into.kind = Material::Kind::branches;
  if (!at.is_list("branches, as { D = 0.001, E = 0.8, F = 120 },") || !fits(at, most_branches)) return;
  for (std::size_t i = 0; i < at.value.items.size(); ++i) {
    const At item = at.item(i);
    const std::size_t before = at.reading.count();
    Branch branch;
    read_table(branch, item, branch_keys());
    if (at.reading.count() != before) continue;
    if (branch == Branch{}) item.fail("D, E and F are all zero: an infinite admittance");
    into.branches.push_back(branch);
  }
}

void read_rigid(Material& into, const At& at) {
  into.kind = Material::Kind::rigid;
  if (at.boolean() == false) at.fail("rigid = false says nothing", "give absorption, admittance or branches instead");
}

void read_admittance(Material& into, const At& at) {
  into.kind = Material::Kind::admittance;
  if (const auto x = at.number({0, 1e6})) into.admittance = *x;
}

const std::vector<Key<Material>>& material_keys() {
  static const std::vector<Key<Material>> keys = {
      {"absorption", read_absorption},
      {"admittance", read_admittance},
      {"branches", read_branches},
      {"rigid", read_rigid},
  };
  return keys;
}

}  // namespace

void read_material(Material& into, const At& at) {
  read_table(into, at, material_keys());
  if (at.value.kind == Value::Kind::table) exactly_one(at, names(material_keys()));
}

std::vector<std::string> known_material_keys() {
  std::vector<std::string> list = names(material_keys());
  for (const std::string& key : names(absorption_keys())) list.push_back("absorption." + key);
  for (const std::string& key : names(branch_keys())) list.push_back("branches.*." + key);
  return list;
}

}  // namespace fdtd
