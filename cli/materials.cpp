// fdtd materials: the library, and how closely the passive branches that a run uses fit any material.
#include <fmt/format.h>
#include <CLI/App.hpp>

#include <algorithm>
#include <cmath>
#include <memory>

#include "base/error.hpp"
#include "base/problem.hpp"
#include "cli/command.hpp"
#include "cli/documents.hpp"
#include "cli/scene_options.hpp"
#include "cli/terminal/say.hpp"
#include "engine/files/atomic_file.hpp"
#include "engine/reports/material_plots.hpp"
#include "engine/reports/materials_report.hpp"
#include "engine/reports/page.hpp"
#include "scenes/toml/material_file.hpp"
#include "scenes/toml/material_library.hpp"

namespace fdtd::cli {
namespace {

struct MaterialsCommand : SceneOptions {
  std::vector<std::string> names;
  std::string output, search;
  double max_frequency = 4000.0;
  bool force = false;
};

const JsonFields<LibraryMaterial>& library_fields() {
  using Entry = LibraryMaterial;
  static const auto fields = JsonFields<Entry>()
                                 .value("name", "", "Name, as `library = \"NAME\"` of a scene takes it.", &Entry::name)
                                 .value("about", "", "Description of the material.", &Entry::about)
                                 .value("source", "", "Publication.", &Entry::source)
                                 .value("bands", "Hz", "Centre frequencies of the octave bands.", &Entry::bands)
                                 .value("alpha", "", "Random-incidence absorption coefficients.", &Entry::alpha);
  return fields;
}

// Entries that hold the words of `search`, or all.
void list_library(const std::string& search, bool json) {
  auto list = nlohmann::ordered_json::array();
  const auto found = search_library(search);
  if (found.empty() && !json) {
    print_text("no entry of the library holds {}; `fdtd materials` lists all\n", in_quotes(search));
    return;
  }
  for (const LibraryMaterial* entry : found) {
    const LibraryMaterial& one = *entry;
    if (!json) {
      std::string alpha;
      for (const double a : one.alpha) alpha += fmt::format(" {:.2f}", a);
      print_text("{:<24}{:<37}{}\n", one.name, alpha, one.about);
      continue;
    }
    list.push_back(library_fields().write(one));
  }
  if (json) {
    put_document(json_text(list, 2) + "\n");
    return;
  }
  if (search.empty())
    print_text("{:<24}{:<37}{}\n", "rigid", "", "reflects all sound; walls may name it without a table");
  print_text("random-incidence absorption at 125, 250, 500, 1000, 2000, 4000, 8000 Hz; from {}\n",
             material_library().front().source);
  print_text("in a scene: [materials.floor] and below it library = \"carpet-heavy\"\n");
}

// An entry of the library by its name, or a material file.
Material find_material(const std::string& word) {
  Material material;
  if (const LibraryMaterial* entry = find_library_material(word)) {
    material.kind = Material::Kind::absorption;
    material.bands = entry->bands;
    material.alpha = entry->alpha;
    material.origin = entry->source;
  } else if (word == "rigid") {
    material.kind = Material::Kind::rigid;
  } else if (word.find('.') != word.npos) {
    std::string why;
    const auto read = read_material_file(word, why);
    if (!read) throw Error(Status::scene, why);
    material = *read;
  } else {
    std::vector<std::string> known;
    for (const LibraryMaterial& one : material_library()) known.push_back(one.name);
    known.emplace_back("rigid");
    const std::string near = nearest_name(word, known), alike = names_in_library(word);
    throw Error(Status::scene, fmt::format("the library has no entry {}", in_quotes(word)),
                !alike.empty()  ? fmt::format("it has {}", alike)
                : !near.empty() ? fmt::format("did you mean {}?", near)
                                : "`fdtd materials` lists all; the name of a file ends in .toml or .csv");
  }
  material.name = word;
  return material;
}

std::vector<MaterialFit> fits_of(MaterialsCommand& options) {
  if (!options.scene.empty()) {
    const Scene scene = load(options);
    options.max_frequency = scene.simulation.max_frequency.value_or(options.max_frequency);
    return fit_materials(scene, options.max_frequency);
  }
  std::vector<MaterialFit> fits;
  for (const std::string& name : options.names)
    fits.push_back(fit_material(find_material(name), options.max_frequency));
  return fits;
}

void tell_fits(MaterialsCommand& options) {
  const std::vector<MaterialFit> fits = fits_of(options);
  if (!options.output.empty()) {
    std::string body;
    for (const MaterialFit& fit : fits) {
      body += to_svg(absorption_plot(fit, options.max_frequency));
      if (!fit.reflection.empty()) body += to_svg(reflection_plot(fit));
      Table table{{"branch"}, {}};
      for (const BranchTerm& term : branch_terms)
        table.head.push_back(*term.unit == '\0' ? term.symbol : fmt::format("{}, {}", term.symbol, term.unit));
      for (std::size_t i = 0; i < fit.branches.size(); ++i) {
        table.rows.push_back({std::to_string(i + 1)});
        for (const BranchTerm& term : branch_terms)
          table.rows.back().push_back(fmt::format("{:.4g}", fit.branches[i].*term.value));
      }
      body += to_html(table);
      for (const std::string& line : {fit.remark, fit.origin})
        if (!line.empty()) body += "<p>" + escape_html(line) + "</p>\n";
    }
    write_whole_file(options.output, html_page("Materials as passive branches", body), options.force);
  }
  if (options.json) {
    put_document(json_text(json_list(material_fields(), fits), 2) + "\n");
    return;
  }
  print_text("{}", materials_text(fits, options.max_frequency));
  for (const MaterialFit& fit : fits)
    if (!fit.remark.empty()) print_text("note: {}: {}\n", fit.name, fit.remark);
  if (!options.output.empty()) print_text("wrote {}\n", options.output);
}

}  // namespace

DocumentFields library_document() { return library_fields().all(); }

void add_materials(CLI::App& app, int& status) {
  auto options = std::make_shared<MaterialsCommand>();
  app.add_option("names", options->names,
                 "entries of the library, or material files (.toml, .csv); without any, the library is listed");
  auto* const scene =
      app.add_option("--scene", options->scene, "show the materials that the walls of this scene use instead");
  scene->excludes("names");
  app.add_option("--search", options->search,
                 "list the entries of the library whose name or description holds these words")
      ->excludes("names")
      ->excludes(scene);
  app.add_option("--max-frequency", options->max_frequency,
                 "frequency in Hz up to which materials are fitted; a scene sets its own")
      ->check(CLI::Range(50.0, 192000.0))
      ->capture_default_str();
  app.add_option("-o,--output", options->output, "write plots of the requested and fitted values to this HTML file");
  app.add_flag("--force", options->force, "replace the output file if it exists");
  app.add_flag("--json", options->json, "print one JSON document");
  app.callback([options, &status] {
    if (options->names.empty() && options->scene.empty()) {
      if (!options->output.empty())
        throw Error(Status::scene, "plots need materials: names from the library, files, or --scene");
      list_library(options->search, options->json);
    } else {
      tell_fits(*options);
    }
    status = 0;
  });
}

}  // namespace fdtd::cli
