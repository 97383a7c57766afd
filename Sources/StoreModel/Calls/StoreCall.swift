import Foundation

/// A call of a device to a store. Each call is a type.
public protocol StoreCall: Codable, Sendable {
  associatedtype Answer: Codable & Sendable

  static var verb: DeviceAPI.Verb { get }

  /// The identifiers in the call. Empty by default.
  var subject: CallSubject { get }
}
