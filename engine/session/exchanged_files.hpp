// The two files of an auralization, an impulse response and a dry signal: do they stand in this order?
#pragma once

#include <string>

namespace fdtd {

// A sentence without an end, with its remedy, on an audio file that is taken for an impulse response beside a dry signal
// and may be none; empty: nothing. A file is a response where its comment says so (wav_comment.hpp); else the first
// 20 s of its first channel are judged as `fdtd metrics` judges them (responses/response_kind.hpp). The two are exchanged
// where the one may be no response and the other decays from its onset as one does.
// Throws Error (status file) for files that cannot be read.
std::string remark_on_files(const std::string& response, const std::string& dry);

// The same where the response is that of a result: of the dry signal's comment alone.
std::string remark_on_dry(const std::string& dry);

}  // namespace fdtd
