import Foundation
import SignedData
import StoreModel

/// A notification whose signatures were checked, with the verified data in it.
public struct VerifiedNotification: Sendable {
  public let payload: Verified<NotificationPayload>
  /// Nil if the notification contains no transaction.
  public let transaction: Verified<SignedTransaction>?
  /// Nil if the notification contains no renewal information.
  public let renewalInfo: Verified<SignedRenewalInfo>?
  /// Nil if the notification contains no app transaction.
  public let appTransaction: Verified<SignedAppTransaction>?

  public var type: OpenEnum<NotificationType> { payload.value.notificationType }
  public var subtype: OpenEnum<NotificationSubtype>? { payload.value.subtype }
  /// The same for all deliveries of this notification.
  public var uuid: String { payload.value.notificationUUID }
}

extension SignedDataVerifier {
  /// Verifies a notification, and all signed data in it.
  ///
  /// - Parameters:
  ///   - jws: the `signedPayload` of the request's body, at most 4 MiB.
  ///   - expectation: the required app and environments. A notification about released seats names neither, and is
  ///     accepted if its signature is valid.
  ///   - appAppleID: the required `appAppleId` of notifications in production; nil does not check it.
  /// - Throws: `VerificationFailure` with the first fault.
  nonisolated(nonsending)
    public func verifyNotification(
      _ jws: String, expecting expectation: Expectation, appAppleID: Int64? = nil
    ) async throws(VerificationFailure) -> VerifiedNotification
  {
    let payload = try await verify(jws) { (bytes) throws(VerificationFailure) in
      let payload: NotificationPayload
      do {
        payload = try BoundedJSON.decode(NotificationPayload.self, from: Data(bytes))
      } catch {
        throw VerificationFailure(fault: .structure, detail: "the notification cannot be read: \(error)")
      }
      return ReadPayload(
        value: payload, date: payload.signedDate, environment: payload.content.environment?.known)
    }
    let content = payload.value.content
    try content.check(expectation, appAppleID: appAppleID)
    var (transaction, renewalInfo): (Verified<SignedTransaction>?, Verified<SignedRenewalInfo>?) = (nil, nil)
    var appTransaction: Verified<SignedAppTransaction>?
    switch content {
    case .data(let data):
      if let jws = data.signedTransactionInfo {
        transaction = try await verifyTransaction(jws, expecting: expectation)
      }
      if let jws = data.signedRenewalInfo { renewalInfo = try await verifyRenewalInfo(jws, expecting: expectation) }
    case .appData(let data):
      if let jws = data.signedAppTransactionInfo {
        appTransaction = try await verifyAppTransaction(jws, expecting: expectation)
      }
    case .summary, .externalPurchaseToken, .unclaimInfo, .unknown: break
    }
    return VerifiedNotification(
      payload: payload, transaction: transaction, renewalInfo: renewalInfo, appTransaction: appTransaction)
  }
}

extension NotificationPayload.Content {
  fileprivate func check(_ expectation: Expectation, appAppleID: Int64?) throws(VerificationFailure) {
    if case .unclaimInfo = self { return }
    if let expected = expectation.bundleID, bundleId != expected {
      throw VerificationFailure(
        fault: .bundle,
        detail: "it is for \((bundleId?.rawValue ?? "no app").prefix(200)), expected was \(expected)")
    }
    let environment = environment
    if let expected = expectation.environments, environment?.known.map(expected.contains) != true {
      throw VerificationFailure(
        fault: .environment,
        detail: "it is from the environment \((environment?.rawValue ?? "(none)").prefix(80)), expected was "
          + expected.map(\.rawValue).sorted().joined(separator: " or "))
    }
    guard let appAppleID, environment == .some(OpenEnum(.production)), appAppleId != appAppleID else { return }
    throw VerificationFailure(
      fault: .bundle,
      detail: "it is for the app number \(appAppleId.map { "\($0)" } ?? "(none)"), expected was \(appAppleID)")
  }
}
