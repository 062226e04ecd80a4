#include "mote/server.h"

#include <atomic>
#include <future>
#include <mutex>
#include <thread>

#include "metacache/cached_store.h"
#include "server/admin/admin_handler.h"
#include "server/admin/health.h"
#include "server/auth/authenticator.h"
#include "server/embed/address.h"
#include "server/embed/assemble.h"
#include "server/embed/credential_source.h"
#include "server/embed/drive_report.h"
#include "server/embed/file_watch.h"
#include "server/embed/metrics_page.h"
#include "server/embed/request_log.h"
#include "server/net/front_end.h"
#include "server/net/tls_context.h"
#include "server/s3/handlers/service.h"
#include "server/s3/object_headers.h"

namespace mote {
namespace {

constexpr int kExitConfig = 78;
constexpr int kExitIo = 74;
constexpr std::chrono::milliseconds kTlsLook{1000};

s3::ServiceOptions service_options(const Options& options) {
  s3::ServiceOptions service;
  if (!options.region.empty()) {
    service.region = options.region;
  }
  service.domains = options.domains;
  service.domains.emplace_back("localhost");
  service.external_url = options.external_url;
  return service;
}

auth::Authenticator::Options auth_options(const Options& options) {
  auth::Authenticator::Options auth;
  if (!options.region.empty()) {
    auth.region = options.region;
  }
  return auth;
}

/// Waits for one engine operation from a plain thread.
template <class T, class Start>
Result<T> await(Start start) {
  std::promise<Result<T>> promise;
  std::future<Result<T>> future = promise.get_future();
  start(Completion<T>([&promise](Result<T> result) { promise.set_value(std::move(result)); }));
  return future.get();
}

}  // namespace

/// Everything of one server, in construction order; stop() takes it down from the outside in.
class Server::Impl {
 public:
  explicit Impl(const Options& options)
      : options_(options),
        authenticator_(auth_options(options), credentials_, platform_.clock),
        log_(options.access_log, platform_.clock) {}

  ~Impl() { stop(std::chrono::milliseconds(0)); }
  Impl(const Impl&) = delete;
  Impl& operator=(const Impl&) = delete;

  bool start(StartError& error) {
    return check(error) && load_users(error) && load_tls(error) && open(error) &&
           create_buckets(error) && listen(error) && listen_admin(error);
  }

  std::string reload() {
    const std::string users = reload_users();
    const std::string tls = tls_ == nullptr ? std::string() : tls_->reload();
    return users + (users.empty() || tls.empty() ? "" : "; ") + tls;
  }

  void stop(std::chrono::milliseconds deadline) {
    draining_ = true;
    tls_watch_.reset();
    if (admin_front_) {
      admin_front_->stop(std::chrono::milliseconds(0));
    }
    if (front_) {
      front_->stop(deadline);
    }
    if (store_) {
      store_->close();
    }
    admin_front_.reset();
    front_.reset();
    store_.reset();
  }

  [[nodiscard]] std::string endpoint() const {
    return url(tls_ == nullptr ? "http" : "https", address_, front_);
  }
  [[nodiscard]] std::string admin_endpoint() const {
    return admin_front_ ? url("http", admin_address_, admin_front_) : std::string();
  }

 private:
  static std::string url(const char* scheme, Address address,
                         const std::unique_ptr<net::FrontEnd>& front) {
    address.port = front ? front->port() : address.port;
    return std::string(scheme) + "://" + address.authority();
  }

  std::string reload_users() {
    const std::lock_guard lock(reload_mutex_);
    LoadedCredentials loaded = load_credentials(options_);
    if (loaded.problem.empty()) {
      credentials_.replace(std::move(loaded.credentials));
    }
    return loaded.problem;
  }

  bool check(StartError& error) {
    const Result<Address> address = parse_address(options_.address);
    if (!address) {
      error = {kExitConfig, "not HOST:PORT: " + options_.address};
      return false;
    }
    address_ = *address;
    if (!log_.ok()) {
      error = {kExitConfig, "cannot open the access log " + options_.access_log};
      return false;
    }
    return true;
  }

  bool load_users(StartError& error) {
    const std::string problem = reload_users();
    if (!problem.empty()) {
      error = {kExitConfig, problem};
    }
    return problem.empty();
  }

  bool load_tls(StartError& error) {
    const net::TlsFiles files{options_.tls_certificate, options_.tls_key};
    if (files.certificate.empty() && files.key.empty()) {
      return true;
    }
    if (files.certificate.empty() || files.key.empty()) {
      error = {kExitConfig, "TLS needs both a certificate and a key"};
      return false;
    }
    std::string problem;
    tls_ = net::TlsContext::load(files, problem);
    if (tls_ == nullptr) {
      error = {kExitConfig, problem};
      return false;
    }
    tls_watch_.emplace(std::vector{files.certificate, files.key}, kTlsLook, [this] {
      const std::string still_wrong = tls_->reload();
      if (options_.notice) {
        options_.notice(still_wrong.empty() ? "TLS files changed: reloaded"
                                            : "TLS files changed, not reloaded: " + still_wrong);
      }
    });
    return true;
  }

  bool open(StartError& error) {
    std::unique_ptr<ObjectStore> store = open_store(options_, platform_, error);
    if (store == nullptr) {
      return false;
    }
    metacache::CacheOptions cache;
    cache.bytes_max = cache_budget(options_);
    cache.write_through_bytes_max = store->limits().inline_bytes_max;
    cache.render = s3::render_object_headers;
    store_ = std::make_unique<metacache::CachedStore>(std::move(store), cache);
    service_.emplace(*store_, authenticator_, service_options(options_), platform_.clock, &log_);
    health_.emplace(*service_,
                    admin::HealthSource{[this] { return !draining_ && store_->status().ready; },
                                        [this] { return store_->status().readable; }});
    return true;
  }

  bool create_buckets(StartError& error) {
    for (const std::string& name : options_.buckets) {
      const auto created = await<std::shared_ptr<const BucketInfo>>([&](auto done) {
        store_->create_bucket({name, kRootUserId, options_.region}, std::move(done));
      });
      if (!created && created.error().code != Errc::bucket_exists) {
        error = {kExitIo, "cannot create bucket " + name + ": " + describe(created.error())};
        return false;
      }
    }
    return true;
  }

  bool listen(StartError& error) {
    net::NetOptions net;
    net.host = address_.host;
    net.port = address_.port;
    net.threads =
        options_.threads > 0 ? options_.threads : std::max(1U, std::thread::hardware_concurrency());
    net.connections_max = options_.connections_max;
    net.tls = tls_;
    Result<std::unique_ptr<net::FrontEnd>> front = net::FrontEnd::start(*health_, stats_, net);
    if (!front) {
      error = {kExitIo, "cannot listen on " + options_.address + ": " + describe(front.error())};
      return false;
    }
    front_ = std::move(*front);
    return true;
  }

  bool listen_admin(StartError& error) {
    if (options_.admin_address.empty()) {
      return true;
    }
    const Result<Address> address = parse_address(options_.admin_address);
    if (!address) {
      error = {kExitConfig, "not HOST:PORT: " + options_.admin_address};
      return false;
    }
    admin_address_ = *address;
    admin_.emplace(admin::AdminActions{
        [this] {
          return metrics_page({stats_, log_, store_->status(), store_->stats()});
        },
        [this] { return drives_json(store_->status()); },
        [this] { return drives_text(store_->status()); },
        [this](const std::string& path) {
          const Result<void> replaced =
              await<void>([&](auto done) { store_->replace_drive(path, std::move(done)); });
          return replaced ? std::string() : describe(replaced.error());
        }});
    net::NetOptions net;
    net.host = admin_address_.host;
    net.port = admin_address_.port;
    net.connections_max = 64;
    Result<std::unique_ptr<net::FrontEnd>> front = net::FrontEnd::start(*admin_, admin_stats_, net);
    if (!front) {
      error = {kExitIo,
               "cannot listen on " + options_.admin_address + ": " + describe(front.error())};
      return false;
    }
    admin_front_ = std::move(*front);
    return true;
  }

  const Options options_;
  Platform platform_;
  std::mutex reload_mutex_;
  auth::CredentialStore credentials_;
  auth::Authenticator authenticator_;
  RequestLog log_;
  std::shared_ptr<net::TlsContext> tls_;  // null: plain HTTP
  net::NetStats stats_;
  net::NetStats admin_stats_;
  std::atomic<bool> draining_{false};
  std::unique_ptr<metacache::CachedStore> store_;
  std::optional<s3::S3Service> service_;
  std::optional<admin::HealthHandler> health_;
  std::optional<admin::AdminHandler> admin_;
  std::unique_ptr<net::FrontEnd> front_;
  std::unique_ptr<net::FrontEnd> admin_front_;
  Address address_;
  Address admin_address_;
  std::optional<FileWatch> tls_watch_;
};

Server::Server(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}
Server::~Server() = default;

std::unique_ptr<Server> Server::start(const Options& options, StartError& error) {
  auto impl = std::make_unique<Impl>(options);
  if (!impl->start(error)) {
    return nullptr;
  }
  return std::unique_ptr<Server>(new Server(std::move(impl)));
}

std::string Server::endpoint() const {
  return impl_->endpoint();
}
std::string Server::admin_endpoint() const {
  return impl_->admin_endpoint();
}
std::string Server::reload() {
  return impl_->reload();
}
void Server::stop(std::chrono::milliseconds deadline) {
  impl_->stop(deadline);
}

const char* version() noexcept {
  return MOTE_VERSION;
}

}  // namespace mote
