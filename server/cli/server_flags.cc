#include "server/cli/server_flags.h"

#include <cstdlib>
#include <fstream>
#include <optional>
#include <sstream>

#include "server/cli/size.h"

namespace mote::cli {
namespace {

std::vector<std::string> split(const std::string& text, char separator) {
  std::vector<std::string> parts;
  std::istringstream in(text);
  for (std::string part; std::getline(in, part, separator);) {
    if (!part.empty()) {
      parts.push_back(part);
    }
  }
  return parts;
}

/// The variable's value, removed from the environment so that children and crash dumps do not see
/// it.
std::optional<std::string> take_env(const char* name) {
  const char* value = std::getenv(name);  // NOLINT(concurrency-mt-unsafe): before any thread starts
  if (value == nullptr) {
    return std::nullopt;
  }
  std::string text(value);
  ::unsetenv(name);
  return text;
}

std::optional<std::string> take_secret(const std::string& name, std::string& error) {
  if (std::optional<std::string> value = take_env(name.c_str())) {
    return value;
  }
  const std::optional<std::string> path = take_env((name + "_FILE").c_str());
  if (!path) {
    return std::nullopt;
  }
  std::ifstream in(*path);
  std::string text;
  if (!std::getline(in, text) || text.empty()) {
    error = name + "_FILE: cannot read a value from " + *path;
  }
  return text;
}

bool read_size(const std::string& text, const char* flag, std::uint64_t& out, std::string& error) {
  if (text.empty()) {
    return true;
  }
  const std::optional<std::uint64_t> size = parse_size(text);
  if (!size) {
    error = std::string(flag) + ": not a size: " + text + " (bytes, or KiB, MiB, GiB)";
    return false;
  }
  out = *size;
  return true;
}

}  // namespace

void add_server_flags(CLI::App& command, ServerFlags& flags) {
  Options& o = flags.options;
  command.add_option("DRIVE", o.drives,
                     "Directories that hold the data; ranges as in /data/d{1...4}");
  command.add_option("--address", o.address, "HOST:PORT of the S3 endpoint; port 0 picks one")
      ->envname("MOTE_ADDRESS")
      ->capture_default_str();
  command
      .add_option("--admin-address,--console-address", flags.admin_address,
                  "HOST:PORT of metrics and drive state; \"\" turns it off")
      ->envname("MOTE_ADMIN_ADDRESS")
      ->capture_default_str();
  command.add_flag("--memory", o.memory, "Keep everything in memory; lost at exit")
      ->envname("MOTE_MEMORY");
  command
      .add_option("--memory-max", flags.memory_max,
                  "Cap of the memory store (default: half of the memory limit)")
      ->envname("MOTE_MEMORY_MAX");
  command.add_option("--parity", o.parity, "Drives that may be lost (default: by drive count)")
      ->envname("MOTE_PARITY");
  command.add_option("--durability", flags.durability, "When a write is answered")
      ->envname("MOTE_DURABILITY")
      ->capture_default_str();
  command.add_option("--threads", o.threads, "I/O threads (default: one per core)")
      ->envname("MOTE_THREADS");
  command
      .add_option("--cache-bytes", flags.cache_bytes,
                  "Object cache, 0 = off (default: a quarter of the memory limit)")
      ->envname("MOTE_CACHE_BYTES");
  command
      .add_option("--inline-max", flags.inline_max,
                  "Largest object that takes the fast path (default 128KiB)")
      ->envname("MOTE_INLINE_MAX");
  command
      .add_option("--inline-max-versioned", flags.inline_versioned_max,
                  "The same in versioned buckets (default 16KiB)")
      ->envname("MOTE_INLINE_MAX_VERSIONED");
  command
      .add_option("--region", o.region, "The only region requests may be signed for (default: any)")
      ->envname("MOTE_REGION");
  command
      .add_option("--domain", flags.domains, "Domains for virtual-host requests, comma-separated")
      ->envname("MOTE_DOMAIN");
  command.add_option("--external-url", o.external_url, "URL under which clients reach this server")
      ->envname("MOTE_EXTERNAL_URL");
  command.add_option("--buckets", flags.buckets, "Buckets to create at start, comma-separated")
      ->envname("MOTE_BUCKETS");
  command
      .add_option("--users", o.users_file,
                  "JSON file of users beside the root user; read again on SIGHUP")
      ->envname("MOTE_USERS");
  command
      .add_option("--tls-cert", o.tls_certificate,
                  "PEM file of the certificate and its chain; read again when it changes")
      ->envname("MOTE_TLS_CERT");
  command.add_option("--tls-key", o.tls_key, "PEM file of the certificate's key")
      ->envname("MOTE_TLS_KEY");
  command
      .add_option("--access-log", o.access_log,
                  "File for one JSON line per request, - for stdout (default: off)")
      ->envname("MOTE_ACCESS_LOG");
  command.add_flag("--accept-log-loss", o.accept_log_loss,
                   "Single drive with a damaged log: start without what is lost");
}

std::string finish(ServerFlags& flags) {
  Options& o = flags.options;
  std::string error;
  if (o.drives.empty() && !o.memory) {
    if (const std::optional<std::string> drives = take_env("MOTE_DRIVES")) {
      o.drives = split(*drives, ' ');
    }
  }
  if (flags.durability != "strict") {
    return "--durability: only strict is there yet: " + flags.durability;
  }
  std::uint64_t cache = 0;
  if (!read_size(flags.cache_bytes, "--cache-bytes", cache, error) ||
      !read_size(flags.inline_max, "--inline-max", o.inline_bytes_max, error) ||
      !read_size(flags.inline_versioned_max, "--inline-max-versioned", o.inline_versioned_bytes_max,
                 error) ||
      !read_size(flags.memory_max, "--memory-max", o.memory_bytes_max, error)) {
    return error;
  }
  if (!flags.cache_bytes.empty()) {
    o.cache_bytes = static_cast<std::int64_t>(cache);
  }
  o.admin_address = flags.admin_address;
  o.domains = split(flags.domains, ',');
  o.buckets = split(flags.buckets, ',');
  return {};
}

Credentials take_credentials() {
  Credentials found;
  std::optional<std::string> access = take_secret("MOTE_ACCESS_KEY", found.error);
  std::optional<std::string> secret = take_secret("MOTE_SECRET_KEY", found.error);
  std::optional<std::string> minio_access = take_secret("MINIO_ROOT_USER", found.error);
  std::optional<std::string> minio_secret = take_secret("MINIO_ROOT_PASSWORD", found.error);
  if (!access && !secret) {
    access = std::move(minio_access);
    secret = std::move(minio_secret);
  }
  if (!access && !secret) {
    return found;
  }
  if (!access || !secret || access->size() < 3 || secret->size() < 8) {
    found.error = "credentials need an access key of 3 and a secret key of 8 characters at least";
    return found;
  }
  found.given = true;
  found.access_key = std::move(*access);
  found.secret_key = std::move(*secret);
  return found;
}

}  // namespace mote::cli
