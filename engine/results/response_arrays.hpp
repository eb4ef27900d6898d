// The parts of result.h5 that hold one value a response in arrays: /metrics of every result, /responses where there are
// too many for a group each (result.hpp has the layout).
#pragma once

#include "engine/files/h5.hpp"
#include "engine/files/sealed_file.hpp"
#include "engine/results/result.hpp"

namespace fdtd {

// The file is one of H5File::create_large; `result` must live until it is closed.
void write_response_arrays(H5File& file, const Result& result);
// Names, positions, records and responses, finite and of one size; throws Error (file).
void read_response_arrays(const SealedFile& file, const std::filesystem::path& path, Result& result);

std::vector<ChannelId> read_response_channels(const SealedFile& file, const std::filesystem::path& path);

// A result's channels and its figures of merit, without its responses; no figures in a file of an older
// program. Throws Error (file).
struct ResultFigures {
  std::vector<ChannelId> sources, receivers;
  std::optional<FigureTable> figures;
};
ResultFigures read_result_figures(const std::filesystem::path& path);

// The group /metrics exists.
void write_figures(H5File& file, const Recording& recording, const FigureTable& figures);
std::optional<FigureTable> read_figures(const SealedFile& file, const std::filesystem::path& path,
                                        const Recording& recording);

// Of the values of an attribute or array `convention`, in words.
const char* response_convention();

}  // namespace fdtd
