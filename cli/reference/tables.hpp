// The tables from which the pages on JSON documents and on files are made, and against which tests hold what appears.
#pragma once

#include <string>
#include <vector>

#include "engine/files/json_fields.hpp"

namespace fdtd::cli {

struct JsonDocument {
  std::string command;  // that prints it: "fdtd plan SCENE --json"
  std::string about;    // Markdown
  std::vector<JsonField> fields;
};

std::vector<JsonDocument> json_documents();

// A group, dataset or attribute of an HDF5 file. Capitals stand for names: R a receiver, S a source, NAME a snapshot.
struct FileEntry {
  std::string path;   // "/receivers/R/pressure", an attribute's after an @: "/receivers/R/pressure@peak"
  std::string shape;  // "group", "text", "number", "sources x samples, f64", ...
  std::string unit;   // may be empty
  std::string when;   // in which files it is; empty: in all
  std::string about;
};

// A file that a command writes; `name` may hold names in capitals and "NNN" for a number.
struct OutputFile {
  std::string name;
  std::string command;
  std::string when;                // "": always
  std::string about;               // Markdown
  std::vector<FileEntry> entries;  // of HDF5 files
};

const std::vector<OutputFile>& output_files();

// A kind of file that a command reads.
struct InputFile {
  std::string name;
  std::string formats;
  std::string about;
};

const std::vector<InputFile>& input_files();

}  // namespace fdtd::cli
