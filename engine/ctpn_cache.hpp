// CTPN measured on this machine, kept between runs: what choosing a stencil and predicting times stand on. Kept so that the
// same scene chooses the same stencil every time; a file that is broken or of another machine or build is measured anew.
#pragma once

#include <filesystem>
#include <map>
#include <string>

#include "engine/profile.hpp"

namespace fdtd {

class CtpnCache {
 public:
  // The default file: $XDG_CACHE_HOME (or ~/.cache)/fdtd/ctpn.json; empty where there is no home: nothing is kept then.
  static std::filesystem::path default_file();

  explicit CtpnCache(std::filesystem::path file = default_file());
  // CTPN in ns of the stencil's member on all threads; measured on a grid of a few million nodes when it is not known yet.
  double ctpn_ns(const Stencil& stencil, Precision precision);
  // "" or why the file that was found is not used.
  const std::string& remark() const { return remark_; }

 private:
  void save() const;
  std::filesystem::path file_;
  std::string machine_;
  std::map<std::string, double> known_;
  std::string remark_;
};

}  // namespace fdtd
