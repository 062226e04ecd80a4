#include "server/cli/serve.h"

#include <unistd.h>

#include <csignal>
#include <cstdio>

#include "server/embed/address.h"

namespace mote::cli {
namespace {

constexpr int kExitConfig = 78;
// Kubernetes grants 30 s; five are left for flushing the drives.
constexpr auto kDrain = std::chrono::seconds(25);

int fail(int code, const std::string& message) {
  std::fprintf(stderr, "mote: %s\n", message.c_str());
  return code;
}

/// Serves until SIGTERM or SIGINT; SIGHUP reads the files again that may change while it runs.
void wait_for_stop(const sigset_t& signals, Server& server) {
  int received = 0;
  while (sigwait(&signals, &received) == 0 && received == SIGHUP) {
    const std::string problem = server.reload();
    std::fprintf(stderr, "mote: %s\n",
                 problem.empty() ? "reloaded" : ("not reloaded: " + problem).c_str());
  }
}

void quit_now(int /*signal*/) {
  ::_exit(130);
}

}  // namespace

int serve(ServerFlags& flags) {
  const std::string problem = finish(flags);
  if (!problem.empty()) {
    return fail(kExitConfig, problem);
  }
  Credentials credentials = take_credentials();
  if (!credentials.error.empty()) {
    return fail(kExitConfig, credentials.error);
  }
  const Result<Address> address = parse_address(flags.options.address);
  if (!address) {
    return fail(kExitConfig, "--address: not HOST:PORT: " + flags.options.address);
  }
  if (credentials.given) {
    flags.options.access_key = std::move(credentials.access_key);
    flags.options.secret_key = std::move(credentials.secret_key);
    if (flags.options.access_key == "minioadmin") {
      std::fprintf(stderr, "mote: warning: the credentials are MinIO's well-known defaults\n");
    }
  } else if (address->is_loopback()) {
    std::fprintf(stderr,
                 "mote: no credentials given; for development: access key \"mote\", secret key "
                 "\"mote-secret\"\n");
  } else {
    return fail(kExitConfig, "refusing to serve " + flags.options.address +
                                 " without credentials: set MOTE_ACCESS_KEY and MOTE_SECRET_KEY");
  }

  // Signals are taken by sigwait on this thread alone; every thread inherits the mask.
  sigset_t signals;
  sigemptyset(&signals);
  sigaddset(&signals, SIGTERM);
  sigaddset(&signals, SIGINT);
  sigaddset(&signals, SIGHUP);
  pthread_sigmask(SIG_BLOCK, &signals, nullptr);
  std::signal(SIGPIPE, SIG_IGN);

  flags.options.notice = [](const std::string& line) {
    std::fprintf(stderr, "mote: %s\n", line.c_str());
  };
  StartError error;
  const std::unique_ptr<Server> server = Server::start(flags.options, error);
  if (server == nullptr) {
    return fail(error.exit_code, error.message);
  }
  if (!server->admin_endpoint().empty()) {
    std::fprintf(stderr, "mote: metrics and drive state on %s\n", server->admin_endpoint().c_str());
  }
  std::printf("mote: listening on %s\n", server->endpoint().c_str());
  std::fflush(stdout);

  wait_for_stop(signals, *server);
  std::signal(SIGTERM, quit_now);
  std::signal(SIGINT, quit_now);
  pthread_sigmask(SIG_UNBLOCK, &signals, nullptr);
  std::fprintf(stderr, "mote: stopping\n");
  server->stop(kDrain);
  return 0;
}

}  // namespace mote::cli
