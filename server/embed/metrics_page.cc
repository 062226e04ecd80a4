#include "server/embed/metrics_page.h"

#include "server/admin/metrics_text.h"

#include "mote/server.h"

namespace mote {
namespace {

void add_net(admin::MetricsText& page, const net::NetStats& net) {
  const std::uint64_t opened = net.connections_opened.sum();
  const std::uint64_t closed = net.connections_closed.sum();
  page.counter("mote_connections_total", "Connections accepted", opened);
  page.gauge("mote_connections_open", "Connections open now", static_cast<double>(opened - closed));
  page.counter("mote_connections_refused_total", "Connections over the limit",
               net.connections_refused.sum());
  page.counter("mote_http_requests_total", "Requests whose head was read", net.requests.sum());
  page.counter("mote_http_requests_fast_total", "Requests answered from memory without a task",
               net.requests_fast.sum());
  page.counter("mote_http_requests_refused_total", "Requests refused for their framing",
               net.requests_refused.sum());
  page.counter("mote_http_timeouts_total", "Connections ended for being too slow",
               net.timeouts.sum());
  page.counter("mote_tls_handshakes_total", "TLS handshakes done", net.tls_handshakes.sum());
  page.counter("mote_tls_handshakes_failed_total", "TLS handshakes that did not end well",
               net.tls_failures.sum());
  page.counter("mote_received_bytes_total", "Bytes received", net.bytes_received.sum());
  page.counter("mote_sent_bytes_total", "Bytes sent", net.bytes_sent.sum());
}

void add_requests(admin::MetricsText& page, const RequestLog::Counters& counters) {
  constexpr const char* kName = "mote_requests_total";
  constexpr const char* kHelp = "Requests answered, by outcome";
  page.counter(kName, kHelp, counters.successes.sum(), {{"outcome", "success"}});
  page.counter(kName, kHelp, counters.client_errors.sum(), {{"outcome", "client_error"}});
  page.counter(kName, kHelp, counters.server_errors.sum(), {{"outcome", "server_error"}});
  for (std::size_t i = 0; i < counters.reads.size(); ++i) {
    page.counter("mote_reads_total", "GETs and HEADs, by the way they took or why not the fast one",
                 counters.reads[i].sum(), {{"path", s3::to_string(static_cast<s3::ReadPath>(i))}});
  }
}

void add_cache(admin::MetricsText& page, const metacache::CacheStats& cache) {
  page.counter("mote_cache_hits_total", "Reads answered from the object cache", cache.hits);
  page.counter("mote_cache_negative_hits_total", "Hits that said that a key is absent",
               cache.negative_hits);
  page.counter("mote_cache_misses_total", "Reads that went to the store", cache.misses);
  page.counter("mote_cache_fills_total", "Images published", cache.fills);
  page.counter("mote_cache_fills_refused_total",
               "Images not published: a write came between, or too large", cache.fills_refused);
  page.counter("mote_cache_joined_total", "Reads that waited for another's read", cache.joined);
  page.counter("mote_cache_evictions_total", "Images evicted", cache.evictions);
  page.gauge("mote_cache_bytes", "Bytes held", static_cast<double>(cache.bytes));
  page.gauge("mote_cache_entries", "Images held", static_cast<double>(cache.entries));
}

void add_store(admin::MetricsText& page, const StoreStatus& store) {
  page.gauge("mote_ready", "1 when reads and writes are served", store.ready ? 1 : 0);
  page.gauge("mote_readable", "1 when reads are served", store.readable ? 1 : 0);
  page.gauge("mote_degraded", "1 when some drive is not current", store.degraded ? 1 : 0);
  page.counter("mote_commits_total", "Commits decided", store.commits);
  page.counter("mote_log_syncs_total", "Syncs of commit logs, all drives", store.log_syncs);
  page.counter("mote_corruption_detected_total", "Shards that did not verify",
               store.corruption_found);
  page.counter("mote_corruption_healed_total", "Of these, rebuilt", store.corruption_healed);
  for (const DriveStatus& drive : store.drives) {
    for (const DriveState state :
         {DriveState::current, DriveState::healing, DriveState::faulty, DriveState::offline}) {
      page.gauge("mote_drive_state", "1 for the state a drive is in", drive.state == state ? 1 : 0,
                 {{"drive", drive.path}, {"state", to_string(state)}});
    }
  }
  for (const DriveStatus& drive : store.drives) {
    page.gauge("mote_drive_free_bytes", "Free space", static_cast<double>(drive.free_bytes),
               {{"drive", drive.path}});
  }
  for (const DriveStatus& drive : store.drives) {
    page.counter("mote_drive_heal_keys_total", "Keys compared or rebuilt by healing",
                 drive.heal_keys_done, {{"drive", drive.path}});
  }
}

}  // namespace

std::string metrics_page(const MetricsSource& source) {
  admin::MetricsText page;
  page.gauge("mote_info", "1, with the version as a label", 1, {{"version", version()}});
  add_net(page, source.net);
  add_requests(page, source.requests.counters());
  add_cache(page, source.cache);
  add_store(page, source.store);
  return page.text();
}

}  // namespace mote
