#pragma once

#include <cstddef>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

namespace mote::xml {

/// Elements nested deeper than this are refused; S3's own documents need six.
inline constexpr std::size_t kDepthMax = 32;

/// True if `text` is a document that may be parsed at all: well-formed UTF-8, no DOCTYPE or other
/// declaration, exactly one root with nothing but blanks, comments and processing instructions
/// around it, elements nested at most kDepthMax and closed in order, no control characters, and no
/// references but the five named ones and characters that XML 1.0 allows. pugixml accepts what this
/// refuses, and reads `<Key>x&#0;y</Key>` as "x" (reliability.md 3.2).
[[nodiscard]] bool is_acceptable(std::string_view text) noexcept;

/// One element of a parsed document. A handle: valid while its Document lives.
class Element {
 public:
  /// Local name, any prefix taken off.
  [[nodiscard]] std::string_view name() const noexcept;
  /// All character data of an element without child elements (comments between pieces do not cut it
  /// short); nullopt if it has child elements.
  [[nodiscard]] std::optional<std::string> text() const;
  /// First child element of that local name.
  [[nodiscard]] std::optional<Element> child(std::string_view name) const;
  /// text() of that child; nullopt if there is no such child or it is not a scalar.
  [[nodiscard]] std::optional<std::string> child_text(std::string_view name) const;
  /// Calls `visit(Element)` for each child element in order; false stops.
  template <class F>
  void for_each(F&& visit) const {
    for (std::optional<Element> at = first(); at; at = at->next()) {
      if (!visit(*at)) {
        return;
      }
    }
  }

 private:
  friend class Document;
  explicit Element(void* node) noexcept : node_(node) {}
  [[nodiscard]] std::optional<Element> first() const noexcept;
  [[nodiscard]] std::optional<Element> next() const noexcept;

  void* node_;  // pugi's node; its header stays out of ours
};

/// A parsed document.
class Document {
 public:
  /// nullopt unless is_acceptable(text) and well-formed. The caller bounds the size.
  [[nodiscard]] static std::optional<Document> parse(std::string_view text);
  [[nodiscard]] Element root() const noexcept;

  Document(Document&&) noexcept;
  Document& operator=(Document&&) noexcept;
  ~Document();

 private:
  struct Tree;
  explicit Document(std::unique_ptr<Tree> tree) noexcept;
  std::unique_ptr<Tree> tree_;
};

}  // namespace mote::xml
