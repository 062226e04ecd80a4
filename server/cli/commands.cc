#include "server/cli/commands.h"

#include <CLI/CLI.hpp>

#include <cstdio>
#include <cstdlib>
#include <string>

#include "server/cli/http_get.h"
#include "server/cli/serve.h"
#include "server/cli/server_flags.h"
#include "server/http/uri.h"

namespace mote::cli {
namespace {

constexpr int kExitUsage = 64;
constexpr int kExitUnavailable = 69;
const std::string kLocalAddress = "://127.0.0.1:9000";

int healthcheck(const std::string& url) {
  // As the server of the same environment would serve.
  const bool tls = std::getenv("MOTE_TLS_CERT") != nullptr;  // NOLINT(concurrency-mt-unsafe)
  const std::string base = !url.empty() ? url : (tls ? "https" : "http") + kLocalAddress;
  const HttpAnswer answer = http_request("GET", base + "/_mote/health/ready");
  if (answer.status == 200) {
    return 0;
  }
  std::fprintf(stderr, "mote: not ready: %s\n",
               answer.error.empty() ? ("status " + std::to_string(answer.status)).c_str()
                                    : answer.error.c_str());
  return 1;
}

int show_drives(const std::string& admin, bool json) {
  const HttpAnswer answer =
      http_request("GET", admin + (json ? "/_mote/drives" : "/_mote/drives?format=text"));
  if (answer.status != 200) {
    std::fprintf(stderr, "mote: %s\n",
                 answer.error.empty() ? answer.body.c_str() : answer.error.c_str());
    return kExitUnavailable;
  }
  std::fputs(answer.body.c_str(), stdout);
  return 0;
}

int replace_drive(const std::string& admin, const std::string& path) {
  const HttpAnswer answer = http_request(
      "POST", admin + "/_mote/drives/replace?path=" + http::uri_encode(path, http::Slash::encode));
  if (answer.status != 200) {
    std::fprintf(stderr, "mote: %s\n",
                 answer.error.empty() ? answer.body.c_str() : answer.error.c_str());
    return kExitUnavailable;
  }
  std::printf("mote: %s: %s", path.c_str(), answer.body.c_str());
  return 0;
}

}  // namespace

int run(int argc, char** argv) {
  CLI::App app{"mote: an S3 server for small objects"};
  app.require_subcommand(1);

  ServerFlags flags;
  CLI::App* server = app.add_subcommand("server", "Serve S3");
  add_server_flags(*server, flags);

  std::string health_url;
  CLI::App* health = app.add_subcommand("healthcheck", "Exit 0 if a server is ready");
  health->add_option(
      "URL", health_url,
      "Of the S3 endpoint (default http://127.0.0.1:9000, https with MOTE_TLS_CERT)");

  std::string admin = "http://127.0.0.1:9001";
  std::string new_drive;
  bool json = false;
  CLI::App* drives = app.add_subcommand("drives", "Show the drives of a running server");
  drives->add_flag("--json", json, "As JSON");
  drives->add_option("--admin", admin, "URL of the admin port")
      ->envname("MOTE_ADMIN_URL")
      ->capture_default_str();
  CLI::App* replace = drives->add_subcommand(
      "replace", "Adopt a blank drive in place of a missing one and heal it");
  replace->add_option("DRIVE", new_drive, "Its directory")->required();

  CLI::App* version_command = app.add_subcommand("version", "Print the version");

  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    return app.exit(error) == 0 ? 0 : kExitUsage;
  }
  if (server->parsed()) {
    return serve(flags);
  }
  if (health->parsed()) {
    return healthcheck(health_url);
  }
  if (replace->parsed()) {
    return replace_drive(admin, new_drive);
  }
  if (drives->parsed()) {
    return show_drives(admin, json);
  }
  if (version_command->parsed()) {
    std::printf("mote %s\n", version());
  }
  return 0;
}

}  // namespace mote::cli
