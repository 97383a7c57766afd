import Foundation

/// A call of a device to a store. Each call is a type.
public protocol StoreCall: Codable, Sendable {
  associatedtype Answer: Codable & Sendable

  static var verb: DeviceAPI.Verb { get }

  /// What the call is about; nothing, unless the type says more.
  var subject: CallSubject { get }
}
