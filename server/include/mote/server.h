#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

// mote's public interface: an S3 server inside your process, for tests or as the product. Standard
// headers only; link mote::server.
//
//   mote::Options options;
//   options.memory = true;
//   options.address = "127.0.0.1:0";
//   mote::StartError error;
//   std::unique_ptr<mote::Server> server = mote::Server::start(options, error);
//   ... use server->endpoint(), "http://127.0.0.1:41233", with "mote" / "mote-secret" ...
//   server->stop(std::chrono::seconds(5));
namespace mote {

struct Options {
  /// Drives (directories). Each may hold ranges: "/data/d{1...4}". Empty with `memory`.
  std::vector<std::string> drives;
  bool memory = false;  ///< store in RAM; lost at stop

  std::string address =
      "127.0.0.1:9000";       ///< HOST:PORT; port 0 picks a free one; ":9000" is all interfaces
  std::string admin_address;  ///< HOST:PORT of metrics and health; empty: off
  unsigned threads = 0;       ///< I/O threads; 0: one per core

  std::string access_key = "mote";  ///< root user
  std::string secret_key = "mote-secret";
  /// JSON file of further users, each owning their own buckets; empty: none (README.md, "Users").
  std::string users_file;
  /// PEM files of the S3 port's certificate with its chain, and of its key; both or neither.
  std::string tls_certificate;
  std::string tls_key;
  std::string region;                ///< empty: any region is accepted, "us-east-1" is reported
  std::vector<std::string> domains;  ///< for virtual-host style, beside "localhost"
  std::string external_url;          ///< used in Location; empty: as the client addressed us
  std::vector<std::string> buckets;  ///< created at start if they are not there

  int parity = -1;  ///< drives per set that may be lost; -1: by drive count
  std::uint64_t inline_bytes_max = 128 * 1024;           ///< bytes; larger objects are streamed
  std::uint64_t inline_versioned_bytes_max = 16 * 1024;  ///< the same in versioned buckets
  std::uint64_t memory_bytes_max = 0;  ///< cap of the memory store; 0: half of the memory limit
  std::int64_t cache_bytes = -1;       ///< object cache; 0: off; -1: a quarter of the memory limit
  unsigned connections_max = 20'000;
  bool accept_log_loss = false;  ///< single drive with a damaged log: start without what is lost
  std::string access_log;        ///< file of JSON lines, "-" for stdout; empty: off
  /// Takes lines for the operator while the server runs, on any of its threads; may be empty.
  std::function<void(const std::string& line)> notice;
};

/// Why a server did not start, with the exit code the command line uses (sysexits.h).
struct StartError {
  int exit_code = 0;    ///< 78 configuration, 74 I/O, 75 drive locked by another process
  std::string message;  ///< one line for the operator
};

/// A running server. Thread-safe; several may run in one process, each on its own drives.
class Server {
 public:
  /// Recovers the drives and listens. Null on failure with `error` set; nothing is left running
  /// then.
  static std::unique_ptr<Server> start(const Options& options, StartError& error);
  /// Stops at once if stop() was not called.
  ~Server();
  Server(const Server&) = delete;
  Server& operator=(const Server&) = delete;

  /// "http://127.0.0.1:9000", with the port that was bound; "https://..." with TLS.
  [[nodiscard]] std::string endpoint() const;
  /// Same for the admin port; empty if it is off.
  [[nodiscard]] std::string admin_endpoint() const;
  /// Reads the users file and the TLS files again. Empty if all is well; else one line that says
  /// what is wrong, and what it is about stays as it was. The TLS files are also read again within
  /// two seconds of a change.
  [[nodiscard]] std::string reload();
  /// Refuses new work, lets requests in flight end until the deadline, makes everything durable,
  /// releases the drives. Idempotent; blocks.
  void stop(std::chrono::milliseconds deadline);

 private:
  class Impl;
  explicit Server(std::unique_ptr<Impl> impl);
  std::unique_ptr<Impl> impl_;
};

/// "0.1.0"
const char* version() noexcept;

}  // namespace mote
