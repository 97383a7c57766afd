import Foundation
import StoreModel

/// A problem between this server and the store, for the operator's log. The verification may still succeed.
public struct VerificationProblem: Hashable, Sendable, CustomStringConvertible {
  public let app: BundleID
  /// The endpoint that was asked.
  public let url: URL
  /// What happened, as text.
  public let detail: String

  public var description: String { "verifyReceipt for \(app) at \(url.absoluteString): \(detail)" }
}
