import Foundation

/// Decodes untrusted JSON (RFC 8259) in time and memory proportional to its size.
///
/// Foundation's decoders are slower: they hash member names, which takes quadratic time for long runs of combining
/// marks, and need hundreds of bytes for a value of two bytes. So the bytes are scanned first, without building values,
/// and documents that exceed ``Bounds`` are refused. All JSON documents of other programs are decoded with this type.
package enum BoundedJSON {
  package struct Bounds: Sendable {
    /// The maximum number of nested objects and arrays.
    package var depth = 64
    /// The maximum length of a member name, in bytes of the encoded text.
    package var nameBytes = 256
    /// The maximum length of a number, in bytes.
    package var numberBytes = 256
    /// The maximum number of values and member names in the document, including nested values.
    package var values: Int

    package init(values: Int = 100_000) { self.values = values }

    /// The bounds of a request's body.
    package static let request = Bounds()
    /// The bounds of files that are read at startup, and of a server's answers, whose size the client limits.
    package static let file = Bounds(values: .max)
  }

  /// The reason why a document is refused.
  package struct Fault: Error, CustomStringConvertible {
    package let description: String
  }

  /// Decodes a document.
  ///
  /// - Throws: `DecodingError`. If the document exceeds `bounds`, the error is `dataCorrupted` without a coding path.
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

  /// Returns the document as Foundation dictionaries, arrays, strings and numbers.
  ///
  /// - Parameter options: with `fragmentsAllowed`, the document may also be a single value.
  /// - Throws: ``Fault``, or an error of `JSONSerialization`.
  package static func object(
    from data: Data, within bounds: Bounds = .request, options: JSONSerialization.ReadingOptions = []
  ) throws -> Any {
    try check(data, within: bounds)
    return try JSONSerialization.jsonObject(with: data, options: options)
  }

  /// Whether the text has only white space of JSON, so that it contains no document.
  package static func isBlank(_ data: Data) -> Bool { data.allSatisfy { [0x20, 0x09, 0x0A, 0x0D].contains($0) } }

  /// Checks the bounds only. Whether the text is JSON is checked by the decoder.
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

/// A coding key for member names that are known only at run time.
package struct AnyCodingKey: CodingKey {
  package let stringValue: String
  package var intValue: Int? { nil }

  package init(_ name: String) { stringValue = name }
  package init(stringValue: String) { self.stringValue = stringValue }
  package init?(intValue: Int) { nil }
}
