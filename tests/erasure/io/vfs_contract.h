#pragma once

#include <string>

#include "erasure/io/vfs.h"

namespace mote::erasure::test {

/// What every Vfs must do, as doctest checks below `root`: an existing, empty directory.
void check_vfs_contract(Vfs& vfs, const std::string& root);

}  // namespace mote::erasure::test
