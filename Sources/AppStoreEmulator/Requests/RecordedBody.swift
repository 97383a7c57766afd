import Foundation
import StoreModel

/// The body of a request or of an answer in the journal. It keeps the value in memory, and encodes the value as JSON
/// only when a caller reads ``journaled``. So recording a body does not make the request slower.
package struct RecordedBody: Sendable {
  /// The approximate size of the value in memory, in bytes.
  let heldBytes: Int
  private let encoded: @Sendable () throws -> JournaledBody

  /// - Parameter heldBytes: the approximate size of `value` in memory, in bytes.
  init(_ value: some Encodable & Sendable, heldBytes: Int) {
    self.heldBytes = heldBytes
    encoded = {
      let encoder = DeviceAPI.encoder()
      // A caller in the same process can pass values that JSON does not have.
      encoder.nonConformingFloatEncodingStrategy = .convertToString(
        positiveInfinity: "inf", negativeInfinity: "-inf", nan: "nan")
      let json = try encoder.encode(value)
      return JournaledBody(json, count: json.count)
    }
  }

  /// A body that is JSON already. Only the part that can be shown is kept.
  init(json: some Collection<UInt8>) {
    let (start, count) = (Array(json.prefix(JournaledBody.largestSize + 1)), json.count)
    heldBytes = start.count
    encoded = { JournaledBody(start, count: count) }
  }

  /// The body of the answer to a request that failed with `error`; nil if that answer has no JSON body.
  init?(of error: any Error) {
    switch error {
    case let refusal as StoreRefusal: self.init(DeviceAPI.Refused(error: refusal), heldBytes: Self.smallValue)
    case let error as any BackendError:
      guard let body = error.response.body else { return nil }
      self.init(json: body)
    default: return nil
    }
  }

  /// The size that is assumed for a value without receipts or lists, in bytes.
  static let smallValue = 1 << 10

  /// Encodes the body.
  var journaled: JournaledBody { get throws { try encoded() } }
}
