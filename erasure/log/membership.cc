#include "erasure/log/membership.h"

#include "erasure/base/check.h"
#include "erasure/log/log_format.h"

namespace mote::erasure {
namespace {

constexpr std::uint16_t kConfigurationVersion = 1;

Configuration successor(const Configuration& last, CommitSeq seq) {
  MOTE_CHECK(seq.epoch == last.seq.epoch && seq > last.seq);
  Configuration next = last;
  next.seq = seq;
  return next;
}

bool is_sound(const Configuration& c) {
  const bool disjoint =
      (c.current & c.healing).empty() && ((c.current | c.healing) & c.away).empty();
  return disjoint && !c.current.empty() && c.seq.epoch > 0 && c.seq.n > 0 &&
         c.end.epoch < c.seq.epoch;
}

}  // namespace

std::string to_string(SlotSet slots) {
  std::string text = "{";
  for (Slot slot = 0; slot < kSlotsMax; ++slot) {
    if (slots.has(slot)) {
      text += (text.size() > 1 ? "," : "") + std::to_string(slot);
    }
  }
  return text + "}";
}

std::string to_string(const Configuration& configuration) {
  return "cfg " + to_string(configuration.seq) + " end " + to_string(configuration.end) +
         " current " + to_string(configuration.current) + " healing " +
         to_string(configuration.healing) + " away " + to_string(configuration.away);
}

std::string encode(const Configuration& configuration) {
  std::string out;
  ByteWriter writer(out);
  writer.put(kConfigurationVersion);
  writer.put(static_cast<std::uint16_t>(configuration.current.bits()));
  writer.put(static_cast<std::uint16_t>(configuration.healing.bits()));
  writer.put(static_cast<std::uint16_t>(configuration.away.bits()));
  writer.put(configuration.seq.epoch);
  writer.put(configuration.end.epoch);
  writer.put(configuration.seq.n);
  writer.put(configuration.end.n);
  writer.put(std::uint64_t{0});
  MOTE_CHECK(out.size() == kConfigurationBytes);
  return out;
}

Result<Configuration> decode_configuration(ByteView bytes) {
  ByteReader reader(bytes);
  const auto version = reader.take<std::uint16_t>();
  if (reader.ok() && version != kConfigurationVersion) {
    return Error{Errc::unsupported, 0, "cfg.version"};
  }
  Configuration c;
  c.current = SlotSet(reader.take<std::uint16_t>());
  c.healing = SlotSet(reader.take<std::uint16_t>());
  c.away = SlotSet(reader.take<std::uint16_t>());
  c.seq.epoch = reader.take<std::uint32_t>();
  c.end.epoch = reader.take<std::uint32_t>();
  c.seq.n = reader.take<std::uint64_t>();
  c.end.n = reader.take<std::uint64_t>();
  if (reader.take<std::uint64_t>() != 0 || !reader.done() || !is_sound(c)) {
    return Error{Errc::corrupt, 0, "cfg.decode"};
  }
  return c;
}

Configuration first_configuration(SetGeometry geometry) {
  MOTE_CHECK(is_valid(geometry));
  Configuration first;
  first.seq = {1, 1};
  first.current = SlotSet::first(geometry.drives());
  return first;
}

bool may_expel(SetGeometry geometry, const Configuration& configuration, Slot slot) {
  SlotSet current = configuration.current;
  SlotSet members = configuration.members();
  if (!members.has(slot)) {
    return false;
  }
  members.remove(slot);
  current.remove(slot);
  return members.size() >= write_quorum(geometry) && !current.empty();
}

Configuration next_configuration_expel(const Configuration& last, CommitSeq seq, Slot slot) {
  MOTE_CHECK(last.members().has(slot));
  Configuration next = successor(last, seq);
  next.current.remove(slot);
  next.healing.remove(slot);
  next.away.add(slot);
  return next;
}

Configuration next_configuration_join(const Configuration& last, CommitSeq seq, Slot slot) {
  MOTE_CHECK(last.away.has(slot));
  Configuration next = successor(last, seq);
  next.away.remove(slot);
  next.healing.add(slot);
  return next;
}

Configuration next_configuration_promote(const Configuration& last, CommitSeq seq, Slot slot) {
  MOTE_CHECK(last.healing.has(slot));
  Configuration next = successor(last, seq);
  next.healing.remove(slot);
  next.current.add(slot);
  return next;
}

}  // namespace mote::erasure
