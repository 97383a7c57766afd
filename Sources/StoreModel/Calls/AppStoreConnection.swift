import Foundation

/// Sends a device's calls to a store: over HTTP, or to an emulator in the same process. `StoreCalls.swift` has the calls.
public protocol AppStoreConnection: Sendable {
  /// Sends `call` on behalf of an installation, and returns the store's answer.
  ///
  /// Every call may be sent again: no call charges a payment twice, or finishes a transaction twice. A repeated
  /// ``RestoreCall`` delivers the purchases again, with new transaction ids.
  ///
  /// - Throws: ``StoreRefusal`` if the store refuses the call, and ``StoreConnectionFailure`` if no valid answer
  ///   arrived.
  func send<Call: StoreCall>(_ call: Call, for installation: InstallationID) async throws -> Call.Answer
}

/// Sends a device's calls to a store in the same process, and blocks the calling thread until the answer is there. It uses no
/// thread of Swift's concurrency pool.
package protocol SynchronousStoreConnection: Sendable {
  /// See ``AppStoreConnection/send(_:for:)``. Not all calls are possible.
  func send<Call: StoreCall>(_ call: Call, for installation: InstallationID) throws -> Call.Answer
}

/// Thrown when the device received no valid answer from the store.
public enum StoreConnectionFailure: DescribedError {
  /// The device could not connect. Nothing was sent.
  case unreachable(reason: String)
  /// The request may have arrived, but no answer came.
  case noAnswer(reason: String)
  /// The answer does not follow the protocol of ``DeviceAPI``.
  case unintelligible(reason: String)

  public var description: String {
    switch self {
    case .unreachable(let reason): "Cannot reach the store: \(reason)"
    case .noAnswer(let reason): "The store did not answer: \(reason)"
    case .unintelligible(let reason): "What answered is not a store this app understands: \(reason)"
    }
  }
}
