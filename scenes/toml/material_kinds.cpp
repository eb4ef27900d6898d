#include "scenes/toml/material_kinds.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <tuple>

#include "scenes/toml/key_readers.hpp"

namespace fdtd {
namespace {

using namespace key_readers;

constexpr Range frequency{1, 192000, "Hz"}, fraction{0, 1};
constexpr std::size_t max_branches = 100, max_bands = 100, max_frequencies = 10000;

bool fits(const At& at, std::size_t max) {
  if (at.value.items.empty() || at.value.items.size() > max) {
    at.fail(fmt::format("must have 1 to {} elements, not {}", max, at.value.items.size()));
    return false;
  }
  return true;
}

// A list of numbers, all in `range`; nothing stays in the member when the value is no such list.
template <class T>
Reader<T> numbers(std::optional<std::vector<double>> T::*member, Range range) {
  return {[=](T& into, const At& at) { into.*member = at.numbers(range); }, {"list of numbers", range, {}}};
}

struct Absorption {
  std::optional<std::vector<double>> bands, alpha;
};

Reader<Absorption> coefficients() {
  return {[](Absorption& into, const At& at) {
            std::size_t first = at.value.items.size();
            double largest = 0.0;
            for (std::size_t i = at.value.items.size(); i-- > 0;) {
              const Value& item = at.value.items[i];
              if (item.kind != Value::Kind::integer && item.kind != Value::Kind::real) continue;
              if (item.real > 1.0 && std::isfinite(item.real)) first = i, largest = std::max(largest, item.real);
            }
            if (at.value.kind != Value::Kind::list || first == at.value.items.size()) {
              into.alpha = at.numbers(fraction);
              return;
            }
            at.item(first).fail(fmt::format("must be {}, not {:g}", to_text(fraction), at.value.items[first].real),
                                hint_above_one(largest));
          },
          {"list of numbers", fraction, {}}};
}

// The same number of values as of bands, which increase.
bool pairs(const At& bands, const At& values) {
  if (!fits(bands, max_bands)) return false;
  const auto numbers_of = [](const At& at) { return at.value.items.size(); };
  if (numbers_of(values) != numbers_of(bands)) {
    values.fail(fmt::format("has {} values for {} bands", numbers_of(values), numbers_of(bands)));
    return false;
  }
  for (std::size_t i = 1; i < numbers_of(bands); ++i) {
    const double before = bands.value.items[i - 1].real, here = bands.value.items[i].real;
    if (here > before) continue;
    bands.item(i).fail(fmt::format("bands must increase: {} follows {} Hz", here, before));
    return false;
  }
  return true;
}

const std::vector<Key<Absorption>>& absorption_keys() {
  static const std::vector<Key<Absorption>> keys = {
      {"bands", numbers(&Absorption::bands, frequency), "Centre frequencies of the octave bands, increasing.",
       "bands = [...], in Hz"},
      {"alpha", coefficients(), "Random-incidence absorption coefficient of each band.", "alpha = [...], one a band"},
  };
  return keys;
}

void read_absorption(Material& into, const At& at) {
  into.kind = Material::Kind::absorption;
  Absorption read;
  read_table(read, at, absorption_keys());
  if (!read.bands || !read.alpha) return;
  if (!pairs(at.below(*at.value.find("bands")), at.below(*at.value.find("alpha")))) return;
  into.bands = *read.bands;
  into.alpha = *read.alpha;
}

const std::vector<Key<Branch>>& branch_keys() {
  static const std::vector<Key<Branch>> keys = {
      {"D", number(&Branch::D, {0, 1e6, "s"}), "Mass term, proportional to frequency: 0, or at least 1e-12."},
      {"E", number(&Branch::E, {0, 1e9}), "Resistance, the same at all frequencies: 0, or at least 1e-6."},
      {"F", number(&Branch::F, {0, 1e12, "1/s"}),
       "Stiffness term, inversely proportional to frequency: 0, or at least 1e-3."},
  };
  return keys;
}

// Smaller terms are lost beside others in single precision, and alone they would be an infinite admittance.
void refuse_vanishing(const Branch& branch, const At& at) {
  for (const auto& [key, term, least] :
       {std::tuple{"D", branch.D, 1e-12}, {"E", branch.E, 1e-6}, {"F", branch.F, 1e-3}})
    if (term > 0.0 && term < least)
      at.below(*at.value.find(key)).fail(fmt::format("must be 0 or at least {}, not {}", least, term), "write 0");
}

void read_branches(Material& into, const At& at) {
  into.kind = Material::Kind::branches;
  if (!at.is_list("branches, as { D = 0.001, E = 0.8, F = 120 },") || !fits(at, max_branches)) return;
  for (std::size_t i = 0; i < at.value.items.size(); ++i) {
    const At item = at.item(i);
    const std::size_t before = at.reading.count();
    Branch branch;
    read_table(branch, item, branch_keys());
    if (at.reading.count() != before) continue;
    if (branch == Branch{}) item.fail("D, E and F are all zero: an infinite admittance");
    refuse_vanishing(branch, item);
    into.branches.push_back(branch);
  }
}

void read_rigid(Material& into, const At& at) {
  into.kind = Material::Kind::rigid;
  if (at.boolean() == false) at.fail("rigid = false has no meaning", "give absorption, admittance or branches instead");
}

constexpr Range admittances{0, 1e6};
constexpr double min_admittance = 1e-30;  // its inverse and the grid's laws are numbers of single precision

void read_admittance(Material& into, const At& at) {
  into.kind = Material::Kind::admittance;
  const auto x = at.number(admittances);
  if (!x) return;
  if (*x > 0.0 && *x < min_admittance)
    return at.fail(
        fmt::format("is {}: a wall whose admittance is less than {} is rigid", describe(at.value), min_admittance),
        "write rigid = true, or 0");
  into.admittance = *x;
}

struct Scattering {
  std::optional<std::vector<double>> bands, s;
};

const std::vector<Key<Scattering>>& scattering_keys() {
  static const std::vector<Key<Scattering>> keys = {
      {"bands", numbers(&Scattering::bands, frequency), "Centre frequencies of the octave bands, increasing.",
       "bands = [...], in Hz"},
      {"s", numbers(&Scattering::s, fraction),
       "Scattering coefficient of each band; between bands by the logarithm of frequency, beyond them that of the "
       "nearest.",
       "s = [...], one a band"},
  };
  return keys;
}

void read_scattering(Material& into, const At& at) {
  if (at.value.kind != Value::Kind::table) {
    if (const auto x = at.number(fraction)) into.scattering = {*x};
    return;
  }
  Scattering read;
  read_table(read, at, scattering_keys());
  if (!read.bands || !read.s || !pairs(at.below(*at.value.find("bands")), at.below(*at.value.find("s")))) return;
  into.scattering_bands = *read.bands;
  into.scattering = *read.s;
}

struct Impedance {
  std::optional<std::vector<double>> frequencies, real, imaginary;
};

const std::vector<Key<Impedance>>& impedance_keys() {
  static const std::vector<Key<Impedance>> keys = {
      {"frequencies", numbers(&Impedance::frequencies, frequency), "Frequencies of the table, increasing.",
       "frequencies = [...], in Hz"},
      {"real", numbers(&Impedance::real, {0, 1e9}), "Real part of Z / (ρc) at each frequency.",
       "real = [...], of Z/(rho c), one a frequency"},
      {"imaginary", numbers(&Impedance::imaginary, {-1e9, 1e9}), "Imaginary part of Z / (ρc) at each frequency.",
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
  if (!fits(frequencies, max_frequencies)) return;
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
      {"flow_resistivity", number(&P::flow_resistivity, {100, 1e7, "Pa s/m2"}), "Flow resistivity of the material.",
       "flow_resistivity = 10000, in Pa s/m2"},
      {"thickness", number(&P::thickness, {1e-4, 10, "m"}), "Thickness of the layer.", "thickness = 0.05, in m"},
      {"air_gap", number(&P::air_gap, {0, 100, "m"}), "Depth of the air between the layer and the rigid backing."},
  };
  return keys;
}

void read_porous(Material& into, const At& at) {
  into.kind = Material::Kind::porous;
  read_table(into.porous, at, porous_keys());
}

}  // namespace

const std::vector<Key<Material>>& material_kinds() {
  static const std::vector<Key<Material>> keys = {
      {"absorption", {read_absorption, {"table", {}, {}}}, "Absorption coefficients by octave band."},
      {"admittance",
       {read_admittance, {"number", admittances, {}}},
       "Normalised specific admittance ρc / Z, real and the same at all frequencies."},
      {"branches",
       {read_branches, {"list of tables", {}, {}}},
       "Parallel branches of the normalised admittance; each is 1 / (D s + E + F / s)."},
      {"impedance", {read_impedance, {"table", {}, {}}}, "Normalised specific impedance Z / (ρc) by frequency."},
      {"porous",
       {read_porous, {"table", {}, {}}},
       "A porous layer before a rigid backing, by the model of Delany, Bazley and Miki."},
      {"rigid", {read_rigid, {"true", {}, {}}}, "A perfectly reflecting wall."},
  };
  return keys;
}

Key<Material> scattering_key() {
  return {"scattering",
          {read_scattering,
           {"number or table", fraction, {}},
           [](const Material& one) { return one.scattering.empty() ? std::string("0") : std::string(); }},
          "Fraction of the reflected energy that leaves the wall diffusely, above the frequency up to which waves are "
          "computed (`[above]`): for relief that the mesh leaves out; its free edges scatter by themselves."};
}

namespace {

const std::vector<std::string> laws = {"fewest", "smooth"};

void read_law(Material& into, const At& at) {
  if (const auto word = at.choice(laws)) into.smooth_law = *word == laws.back();
}

}  // namespace

Key<Material> law_key() {
  return {"law",
          {read_law, {"text", {}, laws}, [](const Material&) { return '"' + laws.front() + '"'; }},
          "Of absorption and admittance: the fewest branches that meet the coefficients, or always as many, which are "
          "smooth functions of them: the walls of a search by gradients."};
}

std::string hint_above_one(double largest) {
  constexpr double per_cent = 2.0;
  if (largest >= per_cent) return "these look like per cent: divide them by 100, as 0.45 for 45";
  return "a reverberation room counts the edges of the sample too: write 1 (a locally reacting wall absorbs 0.951 of "
         "diffuse sound at most; the fit goes there and says so)";
}

std::vector<KeyTable> material_kind_tables() {
  const std::string path = "materials.*";
  return {
      describe_table({path + ".absorption", "absorption = { bands = ..., alpha = ... }",
                      "As tables of absorption coefficients print them; at most 100 bands.", ""},
                     absorption_keys()),
      describe_table({path + ".scattering", "scattering = { bands = ..., s = ... }",
                      "A number instead of the table holds at all frequencies.", ""},
                     scattering_keys()),
      describe_table(
          {path + ".impedance", "impedance = { frequencies = ..., real = ..., imaginary = ... }",
           "For the time convention exp(+iωt): the imaginary part of a mass is positive; at most 10000 frequencies.",
           ""},
          impedance_keys()),
      describe_table({path + ".porous", "porous = { flow_resistivity = ..., thickness = ... }", "", ""}, porous_keys()),
      describe_table(
          {path + ".branches.*", "branches = [{ D = ..., E = ..., F = ... }]",
           R"(Each branch is a resonator: its normalised impedance is D s + E + F / s with s = iω. At most 100
branches; in each at least one of the three is above zero.)",
           ""},
          branch_keys()),
  };
}

}  // namespace fdtd
