import Foundation
import StoreModel

/// A problem between this server and the store, for the operator's log. The verification may still succeed.
public struct VerificationProblem: Hashable, Sendable, CustomStringConvertible {
  public let app: BundleID
  /// What was asked.
  public let api: API
  /// The endpoint that was asked; nil for an OCSP responder, whose address is in the certificate, and if it can be production or
  /// the sandbox.
  public let url: URL?
  /// What happened, as text.
  public let detail: String

  public var description: String {
    "\(api.rawValue) for \(app)\(url.map { " at \($0.absoluteString)" } ?? ""): \(detail)"
  }

  init(app: BundleID, api: API = .verifyReceipt, url: URL?, detail: String) {
    self.app = app
    self.api = api
    self.url = url
    self.detail = detail
  }

  /// What is asked about proofs. The raw value is for people.
  public enum API: String, Hashable, Sendable, CaseIterable {
    case verifyReceipt
    case serverAPI = "The App Store Server API"
    case certificateStatus = "OCSP"
  }
}
