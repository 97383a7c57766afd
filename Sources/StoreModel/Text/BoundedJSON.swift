import Foundation

/// Reads JSON (RFC 8259) from outside in time and memory in proportion to its size.
///
/// Foundation's readers are not: they hash the names of objects, which is quadratic in runs of combining marks, and make
/// hundreds of bytes of a value that is two bytes long. So the bytes are looked at first, without building anything, and
/// are refused where they exceed ``Bounds``. Every JSON document that another program wrote is decoded by this type.
package enum BoundedJSON {
  package struct Bounds: Sendable {
    /// How many objects and lists may enclose a value.
    package var depth = 64
    /// Of the name of a member, in bytes as it is written.
    package var nameBytes = 256
    /// Of a number, in bytes.
    package var numberBytes = 256
    /// All values of the document, those in other values included.
    package var values: Int

    package init(values: Int = 100_000) { self.values = values }

    /// What a request may be.
    package static let request = Bounds()
    /// Files that are read at the start, and what a server answers, which its own limit bounds.
    package static let file = Bounds(values: .max)
  }

  /// Why a document is refused.
  package struct Fault: Error, CustomStringConvertible {
    package let description: String
  }

  /// Decodes a document.
  ///
  /// - Throws: `DecodingError`; `dataCorrupted` without a path where the document exceeds `bounds`.
  package static func decode<Value: Decodable>(
    _ type: Value.Type, from data: Data, within bounds: Bounds = .request, by decoder: JSONDecoder = JSONDecoder()
  ) throws -> Value {
    do {
      try check(data, within: bounds)
    } catch {
      throw DecodingError.dataCorrupted(.init(codingPath: [], debugDescription: error.description))
    }
    return try decoder.decode(type, from: data)
  }

  /// The document as Foundation's dictionaries, arrays, strings and numbers; `fragmentsAllowed` also takes a lone one.
  ///
  /// - Throws: ``Fault``, or what `JSONSerialization` throws.
  package static func object(
    from data: Data, within bounds: Bounds = .request, options: JSONSerialization.ReadingOptions = []
  ) throws -> Any {
    try check(data, within: bounds)
    return try JSONSerialization.jsonObject(with: data, options: options)
  }

  /// Checks bounds only. The decoder finds out whether the text is JSON.
  ///
  /// - Throws: ``Fault``.
  package static func check(_ data: Data, within bounds: Bounds = .request) throws(Fault) {
    let fault = data.withUnsafeBytes { bytes -> Fault? in
      var scan = JSONBoundsScan(bytes: bytes.bindMemory(to: UInt8.self), bounds: bounds)
      do throws(Fault) { try scan.document() } catch { return error }
      return nil
    }
    if let fault { throw fault }
  }
}
