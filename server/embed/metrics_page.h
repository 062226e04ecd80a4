#pragma once

#include <string>

#include "erasure/store.h"
#include "metacache/object_cache.h"
#include "server/embed/request_log.h"
#include "server/net/counter.h"

namespace mote {

/// What the metrics page is made of, gathered when it is asked for.
struct MetricsSource {
  const net::NetStats& net;
  const RequestLog& requests;
  StoreStatus store;
  metacache::CacheStats cache;
};

/// The page of /metrics in Prometheus' text format.
std::string metrics_page(const MetricsSource& source);

}  // namespace mote
