#include "server/http/date.h"

#include <algorithm>
#include <chrono>

#include "server/http/ascii.h"

namespace mote::http {

namespace {

constexpr std::array<std::string_view, 7> kDays = {"Sun", "Mon", "Tue", "Wed", "Thu", "Fri", "Sat"};
constexpr std::array<std::string_view, 7> kLongDays = {"Sunday",   "Monday", "Tuesday", "Wednesday",
                                                       "Thursday", "Friday", "Saturday"};
constexpr std::array<std::string_view, 12> kMonths = {"Jan", "Feb", "Mar", "Apr", "May", "Jun",
                                                      "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"};
constexpr std::int64_t kSecondsMin = -62'135'596'800;  // 0001-01-01
constexpr std::int64_t kSecondsMax = 253'402'300'799;  // 9999-12-31T23:59:59
constexpr std::int64_t kDaySeconds = 86'400;

struct Civil {
  int year = 0;
  unsigned month = 0;
  unsigned day = 0;
  unsigned hour = 0;
  unsigned minute = 0;
  unsigned second = 0;
  unsigned weekday = 0;
};

Civil to_civil(std::int64_t seconds) {
  using std::chrono::days;
  using std::chrono::sys_days;
  seconds = std::clamp(seconds, kSecondsMin, kSecondsMax);
  const std::int64_t day = (seconds - (seconds < 0 ? kDaySeconds - 1 : 0)) / kDaySeconds;
  const auto rest = static_cast<unsigned>(seconds - day * kDaySeconds);
  const sys_days point{days(static_cast<int>(day))};
  const std::chrono::year_month_day date{point};
  return {static_cast<int>(date.year()),
          static_cast<unsigned>(date.month()),
          static_cast<unsigned>(date.day()),
          rest / 3600,
          rest / 60 % 60,
          rest % 60,
          std::chrono::weekday{point}.c_encoding()};
}

std::optional<std::int64_t> to_seconds(const Civil& civil) {
  const std::chrono::year_month_day date{
      std::chrono::year{civil.year}, std::chrono::month{civil.month}, std::chrono::day{civil.day}};
  // A leap second is taken as the second before it; no clock here has one.
  if (civil.year < 1 || civil.year > 9999 || !date.ok() || civil.hour > 23 || civil.minute > 59 ||
      civil.second > 60) {
    return std::nullopt;
  }
  const std::int64_t day = std::chrono::sys_days{date}.time_since_epoch().count();
  return day * kDaySeconds + civil.hour * 3600 + civil.minute * 60 + std::min(civil.second, 59U);
}

/// Writes fixed-width pieces one after another.
class Writer {
 public:
  explicit Writer(char* out) : out_(out) {}
  Writer& text(std::string_view piece) {
    out_ = std::copy(piece.begin(), piece.end(), out_);
    return *this;
  }
  Writer& number(unsigned value, unsigned width) {
    for (unsigned i = width; i > 0; --i) {
      out_[i - 1] = static_cast<char>('0' + value % 10);
      value /= 10;
    }
    out_ += width;
    return *this;
  }

 private:
  char* out_;
};

/// Reads fixed pieces; after the first misfit everything fails and ok() says so.
class Reader {
 public:
  explicit Reader(std::string_view text) : rest_(text) {}
  Reader& text(std::string_view expected) {
    ok_ = ok_ && rest_.starts_with(expected);
    skip(expected.size());
    return *this;
  }
  template <class T>
  Reader& number(T& value, std::size_t width) {
    const auto read = parse_number<T>(rest_.substr(0, width));
    ok_ = ok_ && rest_.size() >= width && read.has_value();
    value = read.value_or(T{});
    skip(width);
    return *this;
  }
  template <std::size_t N>
  Reader& name(const std::array<std::string_view, N>& names, unsigned& index) {
    for (unsigned i = 0; i < N; ++i) {
      if (rest_.starts_with(names[i])) {
        index = i;
        skip(names[i].size());
        return *this;
      }
    }
    ok_ = false;
    return *this;
  }
  [[nodiscard]] bool next_is(std::string_view expected) const {
    return rest_.starts_with(expected);
  }
  [[nodiscard]] bool done() const { return ok_ && rest_.empty(); }
  [[nodiscard]] std::string_view rest() const { return rest_; }

 private:
  void skip(std::size_t count) { rest_.remove_prefix(std::min(count, rest_.size())); }

  std::string_view rest_;
  bool ok_ = true;
};

std::optional<std::int64_t> parse_imf(std::string_view text) {
  Civil civil;
  unsigned month = 0;
  Reader in(text);
  in.name(kDays, civil.weekday)
      .text(", ")
      .number(civil.day, 2)
      .text(" ")
      .name(kMonths, month)
      .text(" ");
  in.number(civil.year, 4)
      .text(" ")
      .number(civil.hour, 2)
      .text(":")
      .number(civil.minute, 2)
      .text(":")
      .number(civil.second, 2);
  in.text(in.next_is(" +0000") ? " +0000" : " GMT");
  civil.month = month + 1;
  return in.done() ? to_seconds(civil) : std::nullopt;
}

std::optional<std::int64_t> parse_rfc850(std::string_view text, std::int64_t now_seconds) {
  Civil civil;
  unsigned month = 0;
  Reader in(text);
  in.name(kLongDays, civil.weekday)
      .text(", ")
      .number(civil.day, 2)
      .text("-")
      .name(kMonths, month)
      .text("-");
  in.number(civil.year, 2)
      .text(" ")
      .number(civil.hour, 2)
      .text(":")
      .number(civil.minute, 2)
      .text(":")
      .number(civil.second, 2);
  in.text(" GMT");
  civil.month = month + 1;
  // A year that would lie more than 50 years ahead is the most recent past year with those digits.
  const int this_year = to_civil(now_seconds).year;
  civil.year += this_year / 100 * 100;
  if (civil.year > this_year + 50) {
    civil.year -= 100;
  }
  return in.done() ? to_seconds(civil) : std::nullopt;
}

std::optional<std::int64_t> parse_asctime(std::string_view text) {
  Civil civil;
  unsigned month = 0;
  Reader in(text);
  in.name(kDays, civil.weekday).text(" ").name(kMonths, month).text(" ");
  if (in.next_is(" ")) {
    in.text(" ").number(civil.day, 1);
  } else {
    in.number(civil.day, 2);
  }
  in.text(" ")
      .number(civil.hour, 2)
      .text(":")
      .number(civil.minute, 2)
      .text(":")
      .number(civil.second, 2)
      .text(" ");
  in.number(civil.year, 4);
  civil.month = month + 1;
  return in.done() ? to_seconds(civil) : std::nullopt;
}

}  // namespace

std::array<char, kHttpDateBytes> format_http_date(std::int64_t seconds) noexcept {
  std::array<char, kHttpDateBytes> out{};
  const Civil civil = to_civil(seconds);
  Writer(out.data())
      .text(kDays[civil.weekday])
      .text(", ")
      .number(civil.day, 2)
      .text(" ")
      .text(kMonths[civil.month - 1])
      .text(" ")
      .number(static_cast<unsigned>(civil.year), 4)
      .text(" ")
      .number(civil.hour, 2)
      .text(":")
      .number(civil.minute, 2)
      .text(":")
      .number(civil.second, 2)
      .text(" GMT");
  return out;
}

std::string http_date(std::int64_t seconds) {
  const auto text = format_http_date(seconds);
  return {text.data(), text.size()};
}

std::optional<std::int64_t> parse_http_date(std::string_view text,
                                            std::int64_t now_seconds) noexcept {
  if (auto seconds = parse_imf(text)) {
    return seconds;
  }
  if (auto seconds = parse_rfc850(text, now_seconds)) {
    return seconds;
  }
  return parse_asctime(text);
}

std::array<char, kAmzDateBytes> format_amz_date(std::int64_t seconds) noexcept {
  std::array<char, kAmzDateBytes> out{};
  const Civil civil = to_civil(seconds);
  Writer(out.data())
      .number(static_cast<unsigned>(civil.year), 4)
      .number(civil.month, 2)
      .number(civil.day, 2)
      .text("T")
      .number(civil.hour, 2)
      .number(civil.minute, 2)
      .number(civil.second, 2)
      .text("Z");
  return out;
}

std::optional<std::int64_t> parse_amz_date(std::string_view text) noexcept {
  Civil civil;
  Reader in(text);
  in.number(civil.year, 4).number(civil.month, 2).number(civil.day, 2).text("T");
  in.number(civil.hour, 2).number(civil.minute, 2).number(civil.second, 2).text("Z");
  return in.done() ? to_seconds(civil) : std::nullopt;
}

std::array<char, kXmlDateBytes> format_xml_date(std::int64_t milliseconds) noexcept {
  std::array<char, kXmlDateBytes> out{};
  milliseconds = std::clamp(milliseconds, kSecondsMin * 1000, kSecondsMax * 1000 + 999);
  const std::int64_t seconds = (milliseconds - (milliseconds < 0 ? 999 : 0)) / 1000;
  const Civil civil = to_civil(seconds);
  Writer(out.data())
      .number(static_cast<unsigned>(civil.year), 4)
      .text("-")
      .number(civil.month, 2)
      .text("-")
      .number(civil.day, 2)
      .text("T")
      .number(civil.hour, 2)
      .text(":")
      .number(civil.minute, 2)
      .text(":")
      .number(civil.second, 2)
      .text(".")
      .number(static_cast<unsigned>(milliseconds - seconds * 1000), 3)
      .text("Z");
  return out;
}

std::string xml_date(std::int64_t milliseconds) {
  const auto text = format_xml_date(milliseconds);
  return {text.data(), text.size()};
}

std::optional<std::int64_t> parse_xml_date(std::string_view text) noexcept {
  Civil civil;
  Reader in(text);
  in.number(civil.year, 4)
      .text("-")
      .number(civil.month, 2)
      .text("-")
      .number(civil.day, 2)
      .text("T");
  in.number(civil.hour, 2).text(":").number(civil.minute, 2).text(":").number(civil.second, 2);
  std::int64_t milliseconds = 0;
  if (in.next_is(".")) {
    in.text(".");
    const std::string_view digits = in.rest();
    const std::size_t count = std::min(digits.find_first_not_of("0123456789"), digits.size());
    for (std::size_t i = 0; i < 3; ++i) {
      milliseconds = milliseconds * 10 + (i < count ? digits[i] - '0' : 0);
    }
    in.text(count == 0 ? "0" : digits.substr(0, count));  // no digit at all is a misfit
  }
  in.text("Z");
  const auto seconds = in.done() ? to_seconds(civil) : std::nullopt;
  return seconds ? std::optional(*seconds * 1000 + milliseconds) : std::nullopt;
}

}  // namespace mote::http
