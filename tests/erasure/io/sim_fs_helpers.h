#pragma once

#include <memory>
#include <string>
#include <string_view>

#include <doctest/doctest.h>

#include "tests/sim/sim_fs.h"

namespace mote::sim {

using erasure::File;
using erasure::OpenOptions;

inline constexpr OpenOptions kNew{.read = true, .write = true, .create = true};
template <class R>
Errc code_of(const R& result) {
  REQUIRE(result.has_error());
  return result.error().code;
}

inline std::unique_ptr<File> must_open(SimFs& fs, const std::string& path) {
  auto file = fs.open(path, kNew);
  REQUIRE_MESSAGE(file.has_value(), path);
  return std::move(*file);
}

/// A file whose name and bytes are durable.
inline void put_durable(SimFs& fs, const std::string& path, std::string_view text) {
  auto file = must_open(fs, path);
  REQUIRE(file->pwrite(0, as_bytes(text)).has_value());
  REQUIRE(file->sync_data().has_value());
  REQUIRE(fs.sync_directory(path.substr(0, path.rfind('/'))).has_value());
}

/// The content, or "-" if the name is not there.
inline std::string content(SimFs& fs, const std::string& path) {
  const auto text = erasure::read_file(fs, path, 64 * kMiB);
  return text ? *text : "-";
}

}  // namespace mote::sim
