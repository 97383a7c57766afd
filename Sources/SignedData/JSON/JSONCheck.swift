import Foundation

/// Checks JSON that another decoder reads.
package enum JSONCheck {
  /// Throws unless `data` is exactly one value, in which no object has a name twice. Foundation's decoders accept
  /// repeated names, and use one of the values.
  ///
  /// A byte order mark before the value is ignored, as Foundation ignores it.
  package static func check(_ data: Data) throws {
    if let fault = fault(in: data) { throw fault }
  }

  /// A name that an object in the document has twice, cut after 80 characters; nil if there is none, or the document is no JSON.
  package static func repeatedName(in data: Data) -> String? { fault(in: data)?.repeatedName }

  private static func fault(in data: Data) -> JSONFault? {
    let mark: [UInt8] = [0xEF, 0xBB, 0xBF]
    do throws(JSONFault) {
      try Array(data.starts(with: mark) ? data.dropFirst(mark.count) : data).withBuffer { (bytes) throws(JSONFault) in
        try JSONReader.read(bytes) { (reader) throws(JSONFault) in _ = try reader.skipValue() }
      }
      return nil
    } catch {
      return error
    }
  }
}
