import Foundation
import StoreModel

/// Something that went wrong between this server and the store, for whoever operates it. The verification may still end
/// well.
public struct VerificationProblem: Hashable, Sendable, CustomStringConvertible {
  public let app: BundleID
  /// Which endpoint was asked.
  public let url: URL
  /// What happened, in words.
  public let detail: String

  public var description: String { "verifyReceipt for \(app) at \(url.absoluteString): \(detail)" }
}
