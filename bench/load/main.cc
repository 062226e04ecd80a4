// mote-bench: drives an S3 endpoint and reports what it did, as one JSON object on stdout.
#include <CLI/CLI.hpp>

#include <cstdio>
#include <thread>
#include <vector>

#include <boost/json.hpp>

#include "bench/load/process_stats.h"
#include "bench/load/scenario.h"
#include "bench/load/worker.h"

namespace {

using namespace mote::bench;  // NOLINT(google-build-using-namespace): main's own namespace
namespace json = boost::json;

json::object report_of(const OpResult& result, double seconds) {
  const Histogram& h = result.latency;
  const auto micros = [](std::uint64_t ns) { return static_cast<double>(ns) / 1000.0; };
  return {{"requests", h.total()},
          {"per_second", static_cast<double>(h.total()) / seconds},
          {"mib_per_second", static_cast<double>(result.bytes) / seconds / 1048576.0},
          {"errors", result.errors},
          {"not_found", result.not_found},
          {"first_error", result.first_error},
          {"latency_us", json::object{{"mean", h.mean_ns() / 1000.0},
                                      {"p50", micros(h.quantile_ns(0.5))},
                                      {"p90", micros(h.quantile_ns(0.9))},
                                      {"p99", micros(h.quantile_ns(0.99))},
                                      {"p99_9", micros(h.quantile_ns(0.999))},
                                      {"max", micros(h.max_ns())}}}};
}

bool create_bucket(const Endpoint& endpoint) {
  Connection connection;
  if (!connection.open(endpoint)) {
    std::fprintf(stderr, "mote-bench: cannot connect to %s\n", endpoint.authority().c_str());
    return false;
  }
  Signer signer(endpoint.authority(), endpoint.access_key, endpoint.secret_key, endpoint.region);
  std::string head;
  signer.append_request(head, "PUT", "/" + endpoint.bucket, "", 0);
  connection.start(std::move(head), {}, false);
  Connection::Progress progress = Connection::Progress::waiting;
  while (progress == Connection::Progress::waiting) {
    progress = connection.advance();
  }
  const int status = connection.reply().status;
  if (status != 200 && status != 409) {
    std::fprintf(stderr, "mote-bench: cannot create bucket %s: status %d\n",
                 endpoint.bucket.c_str(), status);
    return false;
  }
  return true;
}

template <class F>
void on_all(std::vector<std::unique_ptr<Worker>>& workers, F&& work) {
  std::vector<std::thread> threads;
  for (std::size_t i = 0; i < workers.size(); ++i) {
    threads.emplace_back([&, i] { work(*workers[i], i); });
  }
  for (std::thread& thread : threads) {
    thread.join();
  }
}

int run(const Scenario& scenario, const Endpoint& endpoint, int server_pid) {
  if (!create_bucket(endpoint)) {
    return 1;
  }
  const Bodies bodies(scenario.object_bytes, scenario.seed);
  std::vector<std::unique_ptr<Worker>> workers;
  for (unsigned i = 0; i < scenario.threads; ++i) {
    workers.push_back(std::make_unique<Worker>(scenario, endpoint, bodies, i));
  }
  std::vector<char> filled(workers.size(), 0);
  on_all(workers, [&](Worker& worker, std::size_t i) {
    const std::uint64_t share = scenario.objects / workers.size();
    const std::uint64_t first = share * i;
    filled[i] =
        worker.fill(first, i + 1 == workers.size() ? scenario.objects : first + share) ? 1 : 0;
  });
  for (std::size_t i = 0; i < workers.size(); ++i) {
    if (filled[i] == 0) {
      std::fprintf(stderr, "mote-bench: %s\n", workers[i]->results()[2].first_error.c_str());
      return 1;
    }
  }
  using Clock = Worker::Clock;
  const auto span = [](double s) {
    return std::chrono::duration_cast<Clock::duration>(std::chrono::duration<double>(s));
  };
  const Clock::time_point from = Clock::now() + span(scenario.warmup_seconds);
  const Clock::time_point until = from + span(scenario.seconds);
  ProcessStats before;
  std::thread sampler([&] {
    std::this_thread::sleep_until(from);
    before = read_process(server_pid);
  });
  on_all(workers, [&](Worker& worker, std::size_t) { worker.run(from, until); });
  sampler.join();
  const ProcessStats after = read_process(server_pid);

  json::object operations;
  std::uint64_t total = 0;
  std::uint64_t errors = 0;
  for (std::size_t kind = 0; kind < kOpKinds; ++kind) {
    if (scenario.weights[kind] == 0) {
      continue;
    }
    OpResult sum;
    for (const auto& worker : workers) {
      const OpResult& part = worker->results()[kind];
      sum.latency.merge(part.latency);
      sum.errors += part.errors;
      sum.not_found += part.not_found;
      sum.bytes += part.bytes;
      if (sum.first_error.empty()) {
        sum.first_error = part.first_error;
      }
    }
    total += sum.latency.total();
    errors += sum.errors;
    const std::string_view name = to_string(static_cast<OpKind>(kind));
    operations[json::string_view(name.data(), name.size())] = report_of(sum, scenario.seconds);
  }
  json::object report{{"scenario", scenario.name},
                      {"object_bytes", scenario.object_bytes},
                      {"objects", scenario.objects},
                      {"connections", scenario.connections},
                      {"threads", scenario.threads},
                      {"seconds", scenario.seconds},
                      {"loop", scenario.rate > 0 ? "open" : "closed"},
                      {"rate", scenario.rate},
                      {"bodies_checked", scenario.check_bodies},
                      {"operations", std::move(operations)}};
  if (server_pid > 0 && total > 0) {
    const double user = after.user_seconds - before.user_seconds;
    const double system = after.system_seconds - before.system_seconds;
    report["server"] =
        json::object{{"cpu_us_per_request", (user + system) * 1e6 / static_cast<double>(total)},
                     {"user_us_per_request", user * 1e6 / static_cast<double>(total)},
                     {"system_us_per_request", system * 1e6 / static_cast<double>(total)},
                     {"peak_bytes", after.peak_bytes}};
  }
  std::printf("%s\n", json::serialize(report).c_str());
  return errors == 0 ? 0 : 2;
}

}  // namespace

int main(int argc, char** argv) {
  CLI::App app{
      "mote-bench: load for an S3 endpoint; exit 0 without errors, 2 with failed requests, 1 "
      "otherwise"};
  Scenario scenario;
  Endpoint endpoint;
  std::string file;
  int server_pid = 0;
  app.add_option("--scenario", file, "JSON file (bench/scenarios); flags win over it")
      ->check(CLI::ExistingFile);
  try {
    // The file comes first, so that flags change what it says.
    for (int i = 1; i + 1 < argc; ++i) {
      if (std::string_view(argv[i]) == "--scenario") {
        const mote::Result<Scenario> read = read_scenario(argv[i + 1], scenario);
        if (!read) {
          std::fprintf(stderr, "mote-bench: %s: %s\n", argv[i + 1], describe(read.error()).c_str());
          return 1;
        }
        scenario = *read;
      }
    }
    app.add_option("--host", endpoint.host, "IPv4 address")->capture_default_str();
    app.add_option("--port", endpoint.port)->capture_default_str();
    app.add_option("--access-key", endpoint.access_key)->capture_default_str();
    app.add_option("--secret-key", endpoint.secret_key)->capture_default_str();
    app.add_option("--region", endpoint.region)->capture_default_str();
    app.add_option("--bucket", endpoint.bucket)->capture_default_str();
    app.add_option("--object-bytes", scenario.object_bytes)->capture_default_str();
    app.add_option("--objects", scenario.objects)
        ->check(CLI::PositiveNumber)
        ->capture_default_str();
    app.add_option("--connections", scenario.connections)
        ->check(CLI::PositiveNumber)
        ->capture_default_str();
    app.add_option("--threads", scenario.threads)->check(CLI::Range(1, 64))->capture_default_str();
    app.add_option("--seconds", scenario.seconds)->capture_default_str();
    app.add_option("--warmup", scenario.warmup_seconds)->capture_default_str();
    app.add_option("--rate", scenario.rate, "Requests per second (open loop); 0: closed loop")
        ->capture_default_str();
    app.add_option("--seed", scenario.seed)->capture_default_str();
    app.add_option("--server-pid", server_pid, "Report this process's CPU per request");
    app.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    return app.exit(error);
  }
  return run(scenario, endpoint, server_pid);
}
