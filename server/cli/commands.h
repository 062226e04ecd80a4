#pragma once

namespace mote::cli {

/// Parses the command line and runs one command; returns the process's exit code: 0, 64 usage, 74
/// I/O, 75 a drive is locked, 78 configuration.
int run(int argc, char** argv);

}  // namespace mote::cli
