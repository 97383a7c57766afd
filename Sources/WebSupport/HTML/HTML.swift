/// HTML, written as a string literal. What is interpolated into it is escaped, unless it is HTML itself:
///
/// ```swift
/// let row: HTML = "<td title=\"\(product.title)\">\(product.title)</td>"
/// ```
///
/// Attributes are written in double quotes, and nothing is interpolated where HTML has other rules than in text and in such an attribute:
/// not into a tag's name, an attribute's name, a script or a style. An address is made with ``AddressText``.
///
/// It is our own because what the template libraries at hand escape is characters as people see them: a quotation mark with a combining
/// accent is another character to them and stays as it is, and ends the attribute.
package struct HTML: Hashable, Sendable {
  /// The HTML itself.
  package let text: String

  private init(verbatim text: String) { self.text = text }

  /// What another program of ours made, which has escaped what is in it. For nothing else.
  package init(madeByOurOwn text: String) { self.init(verbatim: text) }

  package static let empty: HTML = ""

  package var isEmpty: Bool { text.isEmpty }
}

extension HTML: ExpressibleByStringInterpolation {
  package init(stringLiteral value: String) { self.init(verbatim: value) }

  package init(stringInterpolation: Interpolation) { self.init(verbatim: stringInterpolation.text) }

  /// Collects the pieces of a literal.
  package struct Interpolation: StringInterpolationProtocol {
    fileprivate var text = ""

    package init(literalCapacity: Int, interpolationCount: Int) {
      text.reserveCapacity(literalCapacity + 16 * interpolationCount)
    }

    package mutating func appendLiteral(_ literal: String) { text += literal }

    // Disfavoured, so that a literal in an interpolation is HTML: `\(words.map { "<p>\($0)</p>" } ?? "")`.

    /// Text, which is escaped.
    @_disfavoredOverload
    package mutating func appendInterpolation(_ text: some StringProtocol) { self.text.appendEscaped(text) }

    /// Text, which is escaped; nothing for nil.
    @_disfavoredOverload
    package mutating func appendInterpolation(_ text: String?) { if let text { self.text.appendEscaped(text) } }

    package mutating func appendInterpolation(_ number: some BinaryInteger) { text += String(number) }

    package mutating func appendInterpolation(_ html: HTML) { text += html.text }

    /// Nothing for nil.
    package mutating func appendInterpolation(_ html: HTML?) { if let html { text += html.text } }

    /// One after the other.
    package mutating func appendInterpolation(_ pieces: [HTML]) { for piece in pieces { text += piece.text } }

    /// The HTML, where the condition holds: `<option\(" selected", if: isChosen)>`.
    package mutating func appendInterpolation(_ html: HTML, if condition: Bool) { if condition { text += html.text } }
  }
}

extension HTML {
  /// One after the other.
  package init(_ pieces: [HTML]) { self.init(verbatim: pieces.map(\.text).joined()) }
}

extension String {
  /// Appends text as HTML shows it and attributes in quotes hold it. It works on bytes: what follows a character in the text must not
  /// change what becomes of it.
  fileprivate mutating func appendEscaped(_ text: some StringProtocol) {
    var bytes: [UInt8] = []
    bytes.reserveCapacity(text.utf8.count + 16)
    for byte in text.utf8 {
      switch byte {
      case UInt8(ascii: "&"): bytes += "&amp;".utf8
      case UInt8(ascii: "<"): bytes += "&lt;".utf8
      case UInt8(ascii: ">"): bytes += "&gt;".utf8
      case UInt8(ascii: "\""): bytes += "&quot;".utf8
      case UInt8(ascii: "'"): bytes += "&#39;".utf8
      case 0x09, 0x0A, 0x0D, 0x20...0x7E, 0x80...: bytes.append(byte)
      // Controls are no characters of HTML.
      default: bytes += "\u{FFFD}".utf8
      }
    }
    self += String(decoding: bytes, as: UTF8.self)
  }
}
