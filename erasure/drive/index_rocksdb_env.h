#pragma once

#include <rocksdb/env.h>

#include <memory>

#include "erasure/io/vfs.h"

namespace mote::erasure {

/// make_rocks_env() for runs on a simulated file system, of which thousands open and close
/// databases: no sleeps after failures, and no OPTIONS files, whose writing and parsing back is
/// four fifths of the cost of opening [measured]. RocksDB does without them
/// (fail_if_options_file_error is off).
[[nodiscard]] std::unique_ptr<rocksdb::Env> make_simulated_env(Vfs& vfs);

}  // namespace mote::erasure
