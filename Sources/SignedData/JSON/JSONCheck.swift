import Foundation

/// Checks JSON that another decoder reads.
package enum JSONCheck {
  /// Throws unless `data` is exactly one value, in which no object has a name twice. Foundation's decoders accept
  /// repeated names, and use one of the values.
  ///
  /// A byte order mark before the value is ignored, as Foundation ignores it.
  package static func check(_ data: Data) throws {
    let mark: [UInt8] = [0xEF, 0xBB, 0xBF]
    try Array(data.starts(with: mark) ? data.dropFirst(mark.count) : data).withBuffer { (bytes) throws(JSONFault) in
      try JSONReader.read(bytes) { (reader) throws(JSONFault) in _ = try reader.skipValue() }
    }
  }
}
