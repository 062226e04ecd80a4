#include <utility>

#include "metacache/cached_store.h"

namespace mote::metacache {
namespace {

using Head = std::shared_ptr<const ObjectHead>;

OpenedObject opened_from(const Image& image) {
  OpenedObject opened;
  opened.head = image.head;
  opened.body = image.body;
  return opened;
}

}  // namespace

std::shared_ptr<const BucketInfo> CachedStore::cacheable(std::string_view bucket,
                                                         const std::stop_token& stop) const {
  const bool usable =
      cache_.enabled() && !closed_.load(std::memory_order_acquire) && !stop.stop_requested();
  return usable ? buckets_.find(bucket) : nullptr;
}

std::optional<Flights::Flight> CachedStore::plan(Flights::What what, const BucketInfo& bucket,
                                                 const ObjectRef& object) const {
  const VersionId* version = object.version ? &*object.version : nullptr;
  const ImageKey key{bucket.id, object.key, version};
  Flights::Flight flight;
  flight.hash = ObjectCache::slot_hash(key);
  flight.what = what;
  flight.bucket_id = bucket.id;
  flight.key = object.key;
  flight.version = object.version;
  flight.bucket_revision = bucket.revision;
  flight.stripe = generations_.stripe(key.key_hash());
  flight.generation = generations_.load(flight.stripe);
  if (!GenerationTable::is_stable(flight.generation)) {
    return std::nullopt;
  }
  return flight;
}

std::shared_ptr<Image> CachedStore::new_image(const Flights::Flight& flight) const {
  auto image = std::make_shared<Image>();
  image->bucket_id = flight.bucket_id;
  image->key = flight.key;
  image->version = flight.version;
  image->bucket_revision = flight.bucket_revision;
  image->stripe = flight.stripe;
  image->generation = flight.generation;
  return image;
}

Flights::Outcome CachedStore::outcome_of(const Flights::Flight& flight, const Error& error) {
  if (error.code == Errc::cancelled) {
    return {};  // one caller's wish, not an answer
  }
  const bool absent = error.code == Errc::no_such_key || error.code == Errc::delete_marker;
  if (absent && !flight.version) {
    std::shared_ptr<Image> image = new_image(flight);
    image->absence = error.code;
    cache_.publish(image);
    return {std::move(image), std::nullopt};
  }
  return {nullptr, error};
}

Flights::Outcome CachedStore::arrive_head(const Flights::Flight& flight,
                                          const Result<Head>& result) {
  if (!result) {
    return outcome_of(flight, result.error());
  }
  std::shared_ptr<Image> image = new_image(flight);
  image->kind = Image::Kind::head;
  image->head = *result;
  image->wire_headers = render_ ? render_(**result) : std::string();
  cache_.publish(image);
  return {std::move(image), std::nullopt};
}

Flights::Outcome CachedStore::arrive_whole(const Flights::Flight& flight,
                                           const Result<OpenedObject>& result) {
  if (!result) {
    return outcome_of(flight, result.error());
  }
  std::shared_ptr<Image> image = new_image(flight);
  image->kind = result->body ? Image::Kind::object : Image::Kind::head;
  image->head = result->head;
  image->body = result->body ? *result->body : Slice{};
  image->wire_headers = render_ ? render_(*result->head) : std::string();
  cache_.publish(image);
  if (!result->body) {
    return {};  // each reader is one caller's
  }
  return {std::move(image), std::nullopt};
}

void CachedStore::land(const std::shared_ptr<const Flights::Flight>& flight,
                       const Flights::Outcome& outcome) {
  for (Flights::Waiter& waiter : flights_.land(flight)) {
    waiter(outcome);
  }
}

void CachedStore::head(ObjectRef object, std::stop_token stop, Completion<Head> done) {
  const std::shared_ptr<const BucketInfo> bucket = cacheable(object.bucket, stop);
  if (!bucket) {
    store_.head(std::move(object), std::move(stop), std::move(done));
    return;
  }
  const std::shared_ptr<const Image> image = lookup(*bucket, object.key, object.version);
  if (!image) {
    read_head(*bucket, std::move(object), std::move(stop), std::move(done));
  } else if (image->kind == Image::Kind::absent) {
    done(image->absence);
  } else {
    done(image->head);
  }
}

void CachedStore::read_head(const BucketInfo& bucket, ObjectRef object, std::stop_token stop,
                            Completion<Head> done) {
  std::optional<Flights::Flight> wanted = plan(Flights::What::head, bucket, object);
  if (!wanted) {
    store_.head(std::move(object), std::move(stop), std::move(done));
    return;
  }
  // `done` goes to whoever ends up calling it: the waiter here, or the leader below.
  auto shared_done = std::make_shared<Completion<Head>>(std::move(done));
  Flights::Waiter waiter = [this, object, stop, shared_done](const Flights::Outcome& outcome) {
    if (outcome.error) {
      (*shared_done)(*outcome.error);
    } else if (!outcome.image) {
      store_.head(object, stop, std::move(*shared_done));
    } else if (outcome.image->kind == Image::Kind::absent) {
      (*shared_done)(outcome.image->absence);
    } else {
      (*shared_done)(outcome.image->head);
    }
  };
  const Flights::Boarding boarding = flights_.board(*std::move(wanted), waiter);
  if (boarding.role == Flights::Role::waits) {
    cache_.count_joined();
    return;
  }
  store_.head(std::move(object), std::move(stop),
              [this, flight = boarding.flight, shared_done](Result<Head> result) {
                const Flights::Outcome outcome = arrive_head(*flight, result);
                (*shared_done)(std::move(result));
                land(flight, outcome);
              });
}

void CachedStore::open(ObjectRef object, std::stop_token stop, Completion<OpenedObject> done) {
  const std::shared_ptr<const BucketInfo> bucket = cacheable(object.bucket, stop);
  if (!bucket) {
    store_.open(std::move(object), std::move(stop), std::move(done));
    return;
  }
  const std::shared_ptr<const Image> image = lookup(*bucket, object.key, object.version);
  if (image && image->kind == Image::Kind::object) {
    done(opened_from(*image));
  } else if (image && image->kind == Image::Kind::absent) {
    done(image->absence);
  } else if (image && image->head->bytes > inline_bytes_max_) {
    store_.open(std::move(object), std::move(stop),
                std::move(done));  // nothing to share or to keep
  } else {
    read_whole(*bucket, std::move(object), std::move(stop), std::move(done));
  }
}

void CachedStore::read_whole(const BucketInfo& bucket, ObjectRef object, std::stop_token stop,
                             Completion<OpenedObject> done) {
  std::optional<Flights::Flight> wanted = plan(Flights::What::whole, bucket, object);
  if (!wanted) {
    store_.open(std::move(object), std::move(stop), std::move(done));
    return;
  }
  auto shared_done = std::make_shared<Completion<OpenedObject>>(std::move(done));
  Flights::Waiter waiter = [this, object, stop, shared_done](const Flights::Outcome& outcome) {
    if (outcome.error) {
      (*shared_done)(*outcome.error);
    } else if (!outcome.image) {
      store_.open(object, stop, std::move(*shared_done));
    } else if (outcome.image->kind == Image::Kind::absent) {
      (*shared_done)(outcome.image->absence);
    } else {
      (*shared_done)(opened_from(*outcome.image));
    }
  };
  const Flights::Boarding boarding = flights_.board(*std::move(wanted), waiter);
  if (boarding.role == Flights::Role::waits) {
    cache_.count_joined();
    return;
  }
  store_.open(std::move(object), std::move(stop),
              [this, flight = boarding.flight, shared_done](Result<OpenedObject> result) {
                const Flights::Outcome outcome = arrive_whole(*flight, result);
                (*shared_done)(std::move(result));
                land(flight, outcome);
              });
}

}  // namespace mote::metacache
