// The mote binary: everything is in server/cli and behind mote::Server.
#include "server/cli/commands.h"

int main(int argc, char** argv) {
  return mote::cli::run(argc, argv);
}
