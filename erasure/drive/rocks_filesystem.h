#pragma once

#include <chrono>
#include <memory>

#include "erasure/io/vfs.h"

namespace rocksdb {
class Env;
class FileSystem;
}  // namespace rocksdb

namespace mote::erasure {

/// RocksDB's file system on top of a Vfs: tables, MANIFEST, CURRENT, OPTIONS, LOCK and the
/// information log all go through it, so that faults and power cuts reach them like everything
/// else. What it does not implement is NotSupported; nothing falls through to the operating system.
/// `vfs` outlives it.
///
/// Errors: no_such_file becomes NotFound where the interface asks whether a name is there
/// (FileExists, GetChildren) and PathNotFound elsewhere; no_space becomes NoSpace, the one that
/// RocksDB may retry; all else IOError.
std::shared_ptr<rocksdb::FileSystem> make_rocks_filesystem(Vfs& vfs);

/// An Env with that file system and the threads and clock of rocksdb::Env::Default(). RocksDB's
/// background threads sleep for a second after every failed flush or compaction, and closing a
/// database waits for them; a sleep takes at most `sleep_max`, so that tests with many failures
/// need not.
std::unique_ptr<rocksdb::Env> make_rocks_env(
    Vfs& vfs, std::chrono::microseconds sleep_max = std::chrono::hours(1));

}  // namespace mote::erasure
