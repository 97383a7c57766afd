/// HTML, written as a string literal. Interpolated values are escaped, unless they are ``HTML`` themselves:
///
/// ```swift
/// let row: HTML = "<td title=\"\(product.title)\">\(product.title)</td>"
/// ```
///
/// Attributes must be written in double quotes. Interpolate only into text and attribute values, never into a tag's
/// name, an attribute's name, a script or a style. Make URLs with ``AddressText``.
///
/// This package uses no template library, because the available ones escape grapheme clusters. To them, a quotation
/// mark with a combining accent is another `Character`. They do not escape it, so it ends the attribute.
package struct HTML: Hashable, Sendable {
  package let text: String

  private init(verbatim text: String) { self.text = text }

  /// Wraps HTML that another trusted program of this package has made and escaped. It must not be used for other text.
  package init(madeByOurOwn text: String) { self.init(verbatim: text) }

  package static let empty: HTML = ""

  package var isEmpty: Bool { text.isEmpty }
}

extension HTML: ExpressibleByStringInterpolation {
  package init(stringLiteral value: String) { self.init(verbatim: value) }

  package init(stringInterpolation: Interpolation) { self.init(verbatim: stringInterpolation.text) }

  /// Collects the parts of a literal.
  package struct Interpolation: StringInterpolationProtocol {
    fileprivate var text = ""

    package init(literalCapacity: Int, interpolationCount: Int) {
      text.reserveCapacity(literalCapacity + 16 * interpolationCount)
    }

    package mutating func appendLiteral(_ literal: String) { text += literal }

    // The functions for text are disfavoured, so that a literal in an interpolation is HTML:
    // `\(text.map { "<p>\($0)</p>" } ?? "")`.

    /// Appends escaped text.
    @_disfavoredOverload
    package mutating func appendInterpolation(_ text: some StringProtocol) { self.text.appendEscaped(text) }

    /// Appends escaped text, or nothing for nil.
    @_disfavoredOverload
    package mutating func appendInterpolation(_ text: String?) { if let text { self.text.appendEscaped(text) } }

    package mutating func appendInterpolation(_ number: some BinaryInteger) { text += String(number) }

    package mutating func appendInterpolation(_ html: HTML) { text += html.text }

    /// Appends HTML, or nothing for nil.
    package mutating func appendInterpolation(_ html: HTML?) { if let html { text += html.text } }

    /// Appends several parts in a row.
    package mutating func appendInterpolation(_ pieces: [HTML]) { for piece in pieces { text += piece.text } }

    /// Appends the HTML if the condition is true: `<option\(" selected", if: isChosen)>`.
    package mutating func appendInterpolation(_ html: HTML, if condition: Bool) { if condition { text += html.text } }
  }
}

extension HTML {
  /// Joins several parts.
  package init(_ pieces: [HTML]) { self.init(verbatim: pieces.map(\.text).joined()) }
}

extension String {
  /// Appends text, escaped for HTML text and quoted attributes. It escapes bytes, not characters, so that a combining
  /// mark after a character does not prevent its escaping.
  fileprivate mutating func appendEscaped(_ text: some StringProtocol) {
    // Most texts need no escape.
    if text.utf8.allSatisfy(\.isPlainInHTML) { return self += text }
    var bytes: [UInt8] = []
    bytes.reserveCapacity(text.utf8.count + 16)
    for byte in text.utf8 {
      switch byte {
      case UInt8(ascii: "&"): bytes += "&amp;".utf8
      case UInt8(ascii: "<"): bytes += "&lt;".utf8
      case UInt8(ascii: ">"): bytes += "&gt;".utf8
      case UInt8(ascii: "\""): bytes += "&quot;".utf8
      case UInt8(ascii: "'"): bytes += "&#39;".utf8
      case _ where byte.isPlainInHTML: bytes.append(byte)
      // HTML forbids control characters.
      default: bytes += "\u{FFFD}".utf8
      }
    }
    self += String(decoding: bytes, as: UTF8.self)
  }
}

extension UInt8 {
  /// Whether a byte of UTF-8 stands for itself in text and in quoted attributes.
  fileprivate var isPlainInHTML: Bool {
    switch self {
    case UInt8(ascii: "&"), UInt8(ascii: "<"), UInt8(ascii: ">"), UInt8(ascii: "\""), UInt8(ascii: "'"): false
    case 0x09, 0x0A, 0x0D, 0x20...0x7E, 0x80...: true
    default: false
    }
  }
}

extension HTML {
  /// A name from a user, in any script. It is isolated, so that it does not change the writing direction of the text
  /// around it.
  package static func name(_ text: String) -> HTML { "<bdi>\(text)</bdi>" }

  /// A name in a row of a list, shortened if it is long. ``name(_:)`` shows all of it.
  ///
  /// - Parameter limit: the maximum number of Unicode scalars. A visible character may have any number of them.
  package static func shortName(_ text: String, limit: Int = 80) -> HTML { name(shortened(text, to: limit)) }

  /// An identifier such as `com.example.app.gold`. A line that is too short for it ends after a dot, not inside a word.
  ///
  /// - Parameter limit: the maximum number of Unicode scalars. A longer identifier is shortened.
  package static func identifier(_ text: String, limit: Int = .max) -> HTML {
    let parts = shortened(text, to: limit).split(separator: ".", omittingEmptySubsequences: false)
    return "<bdi>\(parts.enumerated().map { ($0 == 0 ? "\($1)" : ".<wbr>\($1)") as HTML })</bdi>"
  }

  /// A name of Apple's in capitals, such as `DID_CHANGE_RENEWAL_STATUS`. A line that is too short for it ends after an underscore.
  package static func constant(_ name: String) -> HTML {
    let parts = name.split(separator: "_", omittingEmptySubsequences: false)
    return "\(parts.enumerated().map { ($0 == 0 ? "\($1)" : "_<wbr>\($1)") as HTML })"
  }

  private static func shortened(_ text: String, to limit: Int) -> String {
    let scalars = text.unicodeScalars
    guard let end = scalars.index(scalars.startIndex, offsetBy: limit, limitedBy: scalars.endIndex),
      end < scalars.endIndex
    else { return text }
    return "\(String.UnicodeScalarView(scalars[..<end]))…"
  }
}
