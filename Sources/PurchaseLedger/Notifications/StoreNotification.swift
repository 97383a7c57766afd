import AppStoreServerAPI
import SignedData
import StoreModel

/// A notification of the App Store whose signatures this server has verified.
///
/// It can be created only by a successful verification (``ProofVerifier/verify(notification:for:)``).
public struct StoreNotification: Sendable {
  public let app: BundleID
  /// Nil if the notification does not name one, as about released seats.
  public let environment: StoreEnvironment?
  /// The `notificationUUID`, the same for all deliveries of the notification.
  public let uuid: String
  /// The `notificationType`, also if this version does not know it.
  public let type: String
  public let subtype: String?
  /// The first transaction of the purchase; nil if the notification is about no purchase.
  public let originalTransactionID: TransactionID?
  /// When the store signed it.
  public let signed: StoreDate
  let content: Content
  /// The `signedPayload`.
  let payload: String
  /// Why the customer asks for a refund, if it is a `CONSUMPTION_REQUEST` that says it.
  var consumptionReason: String?

  /// What the notification states.
  enum Content: Sendable {
    /// The status of a purchase.
    case purchase(VerifiedProof)
    /// Nothing that the ledger records, as in a test.
    case nothing
    /// The contents are genuine, but cannot be recorded.
    case unusable(problem: String)
  }
}

extension StoreNotification {
  /// The longest `notificationUUID`, type and subtype, in bytes.
  private static let longestName = 100

  /// - Parameters:
  ///   - app: the app that the verification expected.
  ///   - payload: the `signedPayload`.
  /// - Throws: ``ProofRefusal/unreadable(detail:)`` if its id or its type cannot be stored.
  init(_ notification: VerifiedNotification, of app: BundleID, payload: String) throws(ProofRefusal) {
    let value = notification.payload.value
    for name in [value.notificationUUID, value.notificationType.rawValue, value.subtype?.rawValue].compactMap(\.self) {
      guard (1...Self.longestName).contains(name.utf8.count), name.utf8.allSatisfy({ (0x21...0x7E).contains($0) })
      else { throw .unreadable(detail: "its notificationUUID, type or subtype is not 1 to 100 visible characters") }
    }
    self.app = app
    self.payload = payload
    environment = value.content.environment?.known
    uuid = value.notificationUUID
    type = value.notificationType.rawValue
    subtype = value.subtype?.rawValue
    signed = value.signedDate
    originalTransactionID = notification.transaction?.value.originalTransactionID
    content = Content(notification)
    if case .data(let data) = value.content, let reason = data.consumptionRequestReason?.rawValue,
      reason.utf8.count <= Self.longestName
    {
      consumptionReason = reason
    }
  }

  /// The request for information about consumption; nil if the notification is none.
  var consumptionNotice: ConsumptionNotice? {
    guard type == NotificationType.consumptionRequest.rawValue, case .purchase(let proof) = content,
      let purchase = proof.purchases.first, let type = purchase.type
    else { return nil }
    return ConsumptionNotice(
      claim: proof.claimKey(of: purchase, type), transaction: purchase.transactionID, type: type, uuid: uuid,
      reason: consumptionReason, requested: signed)
  }

  /// The purchase on whose refund the store has decided; nil if the notification is about something else.
  var refundDecision: (transaction: TransactionID, claim: PurchaseKey)? {
    guard [NotificationType.refund, .refundDeclined].contains(NotificationType(rawValue: type)),
      case .purchase(let proof) = content, let purchase = proof.purchases.first, let type = purchase.type
    else { return nil }
    return (purchase.transactionID, proof.claimKey(of: purchase, type))
  }
}

extension StoreNotification.Content {
  fileprivate init(_ notification: VerifiedNotification) {
    guard let transaction = notification.transaction?.value else {
      self = .nothing
      return
    }
    do throws(ProofRefusal) {
      self = .purchase(try VerifiedProof(transaction, notification))
    } catch {
      self = .unusable(problem: "\(error)")
    }
  }
}

extension VerifiedProof {
  /// Creates the proof of the purchase in a notification. The transaction and the renewal information have their own dates.
  fileprivate init(_ transaction: SignedTransaction, _ notification: VerifiedNotification) throws(ProofRefusal) {
    guard let environment = transaction.environment, case .data(let data) = notification.payload.value.content,
      let jws = data.signedTransactionInfo
    else { throw .unreadable(detail: "its transaction does not contain its environment") }
    guard data.environment == environment else {
      throw .unreadable(detail: "its transaction is from another environment than the notification")
    }
    var renewals: [TransactionID: ProvenRenewal] = [:]
    if let info = notification.renewalInfo?.value {
      guard info.originalTransactionID == transaction.originalTransactionID, info.environment == environment else {
        throw .unreadable(detail: "its renewal information is about another subscription than its transaction")
      }
      if info.isAfterLastPeriod(transaction, notification.type.known) {
        renewals[info.originalTransactionID] = ProvenRenewal(info, after: transaction.transactionID)
      }
    }
    self.init(
      proof: .signedTransaction(jws), app: transaction.bundleID, environment: environment,
      statedDate: transaction.signedDate, issuedDate: transaction.signedDate,
      purchases: [try ProvenPurchase(transaction)], renewals: renewals, isIssued: transaction.isIssued(for:))
  }
}

extension SignedRenewalInfo {
  /// Whether `transaction` is the last period of the subscription, which the renewal information follows.
  ///
  /// The notification of a refund can be about an earlier period. Then its renewal information says nothing new: what changes
  /// the renewal has a notification about the last period.
  fileprivate func isAfterLastPeriod(_ transaction: SignedTransaction, _ type: NotificationType?) -> Bool {
    guard productID == transaction.productID, !transaction.isUpgraded else { return false }
    switch type {
    case .refund, .refundReversed, .refundDeclined, .consumptionRequest, .revoke, nil:
      // The end of the last period ("renewalDate").
      return renewalDate == nil || renewalDate == transaction.expiresDate
    default: return true
    }
  }
}
