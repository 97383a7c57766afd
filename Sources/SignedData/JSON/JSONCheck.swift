import Foundation
import StoreModel

/// Checks JSON that another decoder reads.
///
/// Foundation's decoders accept a comma after the last member, and repeated names, of which they use one value. They also consider
/// names equal that are canonically equivalent in Unicode, such as `é` as one character, and as `e` with a combining mark. So these
/// names count as repeated.
package enum JSONCheck {
  /// Throws unless `data` is exactly one value (RFC 8259), in which no object has a name twice.
  ///
  /// A byte order mark before the value is ignored, as Foundation ignores it.
  package static func check(_ data: Data) throws {
    if let fault = fault(in: data) { throw fault }
  }

  /// Describes, for the sender of the document, why ``check(_:)`` would throw, or what cannot be kept: a number that is too large for
  /// a double, or a text with U+0000, which PostgreSQL cannot store. Nil if there is no such problem.
  ///
  /// - Parameter allowsNull: whether a text may have U+0000.
  package static func problem(in data: Data, allowsNull: Bool = false) -> String? {
    fault(in: data, limitsNumbers: true, allowsNull: allowsNull).map {
      $0.isJSON ? $0.reason : "it is not valid JSON \($0)"
    }
  }

  /// A name that an object in the document has twice, cut after 80 characters; nil if there is none, or the document is no JSON.
  package static func repeatedName(in data: Data) -> String? { fault(in: data)?.repeatedName }

  private static func fault(in data: Data, limitsNumbers: Bool = false, allowsNull: Bool = true) -> JSONFault? {
    let mark: [UInt8] = [0xEF, 0xBB, 0xBF]
    do throws(JSONFault) {
      try Array(data.starts(with: mark) ? data.dropFirst(mark.count) : data).withBuffer { (bytes) throws(JSONFault) in
        try JSONReader.read(bytes) { (reader) throws(JSONFault) in
          try skipValue(&reader, limitsNumbers: limitsNumbers)
          guard allowsNull || !reader.hasNull else {
            throw JSONFault(offset: 0, reason: "a text has the character U+0000, which cannot be kept", isJSON: true)
          }
        }
      }
      return nil
    } catch {
      return error
    }
  }

  /// Checks and skips one value of any kind.
  private static func skipValue(_ reader: inout JSONReader, limitsNumbers: Bool) throws(JSONFault) {
    switch reader.next() {
    case UInt8(ascii: "{"):
      // The reader itself compares the bytes of names. A set of strings compares them as Foundation does.
      var names: Set<String> = []
      try reader.members { (reader, key) throws(JSONFault) in
        let name = key.text
        guard name.isStreamSafe else { throw reader.fault("a name has too many combining marks in a row") }
        guard names.insert(name).inserted else { throw reader.repeated(key) }
        try skipValue(&reader, limitsNumbers: limitsNumbers)
      }
    case UInt8(ascii: "["):
      try reader.elements { (reader) throws(JSONFault) in try skipValue(&reader, limitsNumbers: limitsNumbers) }
    case UInt8(ascii: "-"), UInt8(ascii: "0")...UInt8(ascii: "9"):
      let range = try reader.skipValue()
      guard limitsNumbers, reader.slice(range).contains(where: { $0 | 0x20 == UInt8(ascii: "e") }) else { return }
      let text = String(decoding: reader.slice(range), as: UTF8.self)
      guard Double(text)?.isFinite == true else {
        throw JSONFault(
          offset: range.lowerBound, reason: "the number \(text.prefix(80)) is out of range", isJSON: true)
      }
    default: try reader.skipValue()
    }
  }
}
