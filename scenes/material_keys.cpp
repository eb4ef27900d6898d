#include "scenes/material_keys.hpp"

#include <fmt/format.h>

#include "scenes/key_readers.hpp"
#include "scenes/material_file.hpp"
#include "scenes/material_library.hpp"

namespace fdtd {
namespace {

using namespace key_readers;

constexpr Range frequency{1, 192000, "Hz"}, fraction{0, 1};
constexpr std::size_t most_branches = 100, most_bands = 100, most_frequencies = 10000;

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

struct Impedance {
  std::optional<std::vector<double>> frequencies, real, imaginary;
};

const std::vector<Key<Impedance>>& impedance_keys() {
  constexpr Range part{-1e9, 1e9};
  static const std::vector<Key<Impedance>> keys = {
      {"frequencies", [](Impedance& into, const At& at) { into.frequencies = at.numbers(frequency); },
       "frequencies = [...], in Hz"},
      {"real",
       [](Impedance& into, const At& at) {
         into.real = at.numbers({0, 1e9});
       },
       "real = [...], of Z/(rho c), one a frequency"},
      {"imaginary", [=](Impedance& into, const At& at) { into.imaginary = at.numbers(part); },
       "imaginary = [...], of Z/(rho c), one a frequency"},
  };
  return keys;
}

void read_impedance(Material& into, const At& at) {
  into.kind = Material::Kind::impedance;
  Impedance read;
  read_table(read, at, impedance_keys());
  if (!read.frequencies || !read.real || !read.imaginary) return;
  const At frequencies = at.below(*at.value.find("frequencies"));
  if (!fits(frequencies, most_frequencies)) return;
  const std::size_t n = read.frequencies->size();
  for (const char* part : {"real", "imaginary"}) {
    const At values = at.below(*at.value.find(part));
    if (values.value.items.size() != n)
      return values.fail(fmt::format("has {} values for {} frequencies", values.value.items.size(), n));
  }
  for (std::size_t i = 1; i < n; ++i) {
    if ((*read.frequencies)[i] > (*read.frequencies)[i - 1]) continue;
    return frequencies.item(i).fail(
        fmt::format("frequencies must increase: {} follows {} Hz", (*read.frequencies)[i], (*read.frequencies)[i - 1]));
  }
  into.impedance.frequencies = *read.frequencies;
  for (std::size_t i = 0; i < n; ++i) into.impedance.values.emplace_back((*read.real)[i], (*read.imaginary)[i]);
}

const std::vector<Key<PorousLayer>>& porous_keys() {
  using P = PorousLayer;
  static const std::vector<Key<P>> keys = {
      {"flow_resistivity", number(&P::flow_resistivity, {100, 1e7, "Pa s/m2"}), "flow_resistivity = 10000, in Pa s/m2"},
      {"thickness", number(&P::thickness, {1e-4, 10, "m"}), "thickness = 0.05, in m"},
      {"air_gap", number(&P::air_gap, {0, 100, "m"})},
  };
  return keys;
}

void read_porous(Material& into, const At& at) {
  into.kind = Material::Kind::porous;
  read_table(into.porous, at, porous_keys());
}

void read_library(Material& into, const At& at) {
  into.kind = Material::Kind::absorption;
  const auto word = at.text();
  if (!word) return;
  if (const LibraryMaterial* found = find_library_material(*word)) {
    into.bands = found->bands;
    into.alpha = found->alpha;
    into.origin = fmt::format("{} of the library: {}, {}", found->name, found->about, found->source);
    return;
  }
  std::vector<std::string> known;
  for (const LibraryMaterial& one : material_library()) known.push_back(one.name);
  const std::string near = nearest_name(*word, known);
  at.fail("the library has no " + in_quotes(*word),
          (near.empty() ? "" : "did you mean " + in_quotes(near) + "? ") + "`fdtd materials` lists all");
}

void read_file(Material& into, const At& at) {
  const auto path = at.file();
  if (!path) return;
  std::string why;
  const auto read = read_material_file(*path, why);
  if (!read) return at.fail(why);
  const std::string name = into.name;
  const Place place = into.place;
  into = *read;
  into.name = name;
  into.place = place;
  into.origin = "the file " + at.value.text;
}

// What a material may be, in a file of its own as well.
std::vector<Key<Material>> kinds() {
  return {
      {"absorption", read_absorption}, {"admittance", read_admittance}, {"branches", read_branches},
      {"impedance", read_impedance},   {"porous", read_porous},         {"rigid", read_rigid},
  };
}

const std::vector<Key<Material>>& file_keys() {
  static const std::vector<Key<Material>> keys = kinds();
  return keys;
}

const std::vector<Key<Material>>& material_keys() {
  static const std::vector<Key<Material>> keys = [] {
    std::vector<Key<Material>> all = kinds();
    all.push_back({"library", read_library});
    all.push_back({"file", read_file});
    return all;
  }();
  return keys;
}

}  // namespace

void read_material(Material& into, const At& at) {
  read_table(into, at, material_keys());
  if (at.value.kind == Value::Kind::table) exactly_one(at, names(material_keys()));
}

void read_material_of_file(Material& into, const At& at) {
  read_table(into, at, file_keys());
  if (at.value.kind == Value::Kind::table) exactly_one(at, names(file_keys()));
}

std::vector<std::string> known_material_keys() {
  std::vector<std::string> list = names(material_keys());
  for (const std::string& key : names(absorption_keys())) list.push_back("absorption." + key);
  for (const std::string& key : names(impedance_keys())) list.push_back("impedance." + key);
  for (const std::string& key : names(porous_keys())) list.push_back("porous." + key);
  for (const std::string& key : names(branch_keys())) list.push_back("branches.*." + key);
  return list;
}

}  // namespace fdtd
