// The tables from which the pages on JSON documents and on files are made, and against which tests hold what appears.
#pragma once

#include <string>
#include <vector>

namespace fdtd::cli {

// A field of a JSON document. `path`: "memory.state"; "results[].kernel" of each element of a list.
struct Field {
  std::string path;
  std::string
      type;  // "number", "whole number", "text", "true or false", "object", "three numbers", "list of texts", ...
  std::string unit;   // may be empty
  std::string when;   // in which documents the field is; empty: in all
  std::string about;  // one sentence
};

// Fields of another table that stand below `prefix` ("plan." or "", which may end in "[].").
struct Embedded {
  std::string prefix;
  const std::vector<Field>* fields;
};

struct JsonDocument {
  std::string command;  // that prints it: "fdtd plan SCENE --json"
  std::string about;    // Markdown
  std::vector<Field> fields;
  std::vector<Embedded> embedded;
};

const std::vector<JsonDocument>& json_documents();

// All fields, those of embedded tables included.
std::vector<Field> all_fields(const JsonDocument& document);

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
