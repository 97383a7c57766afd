import AppStoreServerAPI
import Crypto
import Foundation
import GRDB
import SignedData
import StoreModel

/// A row of a snapshot that checks its values against those that a store writes. ``SnapshotValues`` checks the values
/// of each type, and ``SnapshotRule`` compares rows with one another.
protocol SnapshotRow: FetchableRecord, TableRecord {
  /// The reason for which no store has this row; nil if there is none.
  ///
  /// - Parameter identity: that of the snapshot's store.
  func fault(_ identity: InventedIdentity) -> String?
}

extension SnapshotRow {
  func fault(_ identity: InventedIdentity) -> String? { nil }
}

extension InterruptedPurchase: SnapshotRow {}
extension Refund: SnapshotRow {}
extension Redelivery: SnapshotRow {}
extension OperatorPurchaseRow: SnapshotRow {}
extension SubscriptionStepRow: SnapshotRow {}
extension StoredCustomer: SnapshotRow {}
extension OfferNonceRow: SnapshotRow {}

extension StoreApp: SnapshotRow {
  func fault(_ identity: InventedIdentity) -> String? {
    if appAppleID < 1 { return "its Apple ID is \(appAppleID)" }
    if sharedSecret.wholeMatch(of: /[0-9a-f]{32}/) == nil { return "its shared secret is not 32 hexadecimal digits" }
    if UUID(uuidString: issuerID) == nil { return "its issuer id is not a UUID" }
    if case .seconds(let seconds) = renewalRules?.gracePeriod, !RenewalRules.graceSeconds.contains(seconds) {
      return "its grace period has \(seconds) seconds"
    }
    if let offerKey, (try? P256.Signing.PublicKey(x963Representation: offerKey.publicKey)) == nil {
      return "its key of promotional offers is not a P-256 key"
    }
    return nil
  }
}

extension ProductRow: SnapshotRow {
  func fault(_ identity: InventedIdentity) -> String? {
    if definition.productID != productID { return "its definition is that of \(definition.productID)" }
    return definition.prices.keys.first { Territory(countryCode: $0) == nil }
      .map { "it has a price for \($0), which is not a storefront known here" }
  }
}

extension Installation: SnapshotRow {
  func fault(_ identity: InventedIdentity) -> String? {
    UUID(uuidString: deviceID)?.uuidString == deviceID ? nil : "its device id is not an upper-case UUID"
  }
}

extension PaymentRow: SnapshotRow {
  func fault(_ identity: InventedIdentity) -> String? {
    if request.paymentID != paymentID { return "its request is that of payment \(request.paymentID)" }
    if let quote, quote.payment != request || quote.account != account { return "its quote is for another payment" }
    return nil
  }
}

extension StoredTransaction: SnapshotRow {
  func fault(_ identity: InventedIdentity) -> String? {
    let itemID =
      record.environment == .production ? identity.itemID(record.productID, of: record.bundleID) : 0
    if record.itemID != itemID { return "its item id is not that of its product" }
    if record.appTransactionID != identity.appTransactionID(of: Scope(self)) {
      return "its app transaction id is not that of its customer"
    }
    if let order = record.webOrderLineItemID, order != identity.webOrderLineItemID(of: record.transactionID) {
      return "its order id is not that of its period"
    }
    if record.storefrontID != Territory(countryCode: record.storefrontCountryCode)?.identifier {
      return "the number of its storefront is not that of \(record.storefrontCountryCode)"
    }
    if finishRevision != nil, finishedDate == nil { return "its finish has a number and no date" }
    // The developer's server can set another token, and cannot remove one.
    if record.appAccountToken == nil, TransactionRecord.accountToken(of: record.applicationUsername) != nil {
      return "its account token is missing"
    }
    return nil
  }
}

extension Charge: SnapshotRow {
  func fault(_ identity: InventedIdentity) -> String? {
    orderID == identity.orderID(of: transactionID) ? nil : "its order is not that of its transaction"
  }
}

extension DeviceChangeRow: SnapshotRow {
  func fault(_ identity: InventedIdentity) -> String? {
    if let offer, kind != .promotedPurchase || offer.kind != .winBack {
      return "a change of the kind \(kind) has no offer of the kind \(offer.kind.rawValue)"
    }
    switch kind {
    case .promotedPurchase, .entitlementsRevoked: return nil
    case .transactionsWaiting, .paymentDecided, .storefrontChanged, .settingsChanged:
      return productIDs.isEmpty ? nil : "a change of the kind \(kind) has no products"
    default: return "\(kind) is not a kind of change"
    }
  }
}

extension StoreEventRow: SnapshotRow {
  /// A row of an unknown kind or of a newer version is not checked, because nothing reads it.
  func fault(_ identity: InventedIdentity) -> String? {
    if kind.isEmpty || version < 1 { return "it has no kind or version" }
    guard let known = knownKind else { return nil }
    guard let content = try? StoreEventContent(json: content) else { return "its content cannot be read" }
    if let fault = known.fault(in: self, content) { return fault }
    let places = [known.place(), known.place(isPaid: false)].map { $0?.rawValue }
    guard places.contains(place), (place == nil) == (recordNumber == nil) else {
      return "its place in the timeline is not that of \(kind)"
    }
    do {
      try SnapshotValues.check(content, path: "its content")
      return nil
    } catch {
      return "\(error)"
    }
  }
}

extension StoreEventKind {
  fileprivate func fault(in row: StoreEventRow, _ content: StoreEventContent) -> String? {
    let isOfTransaction = row.originalTransactionID != nil
    guard isOfTransaction == (subject == .transaction), isOfTransaction || row.transactionID == nil else {
      return "it has a transaction, or lacks one"
    }
    if !row.isFilledIn, !isComplete(content) { return "its content lacks a value of \(rawValue)" }
    switch subject {
    case .transaction: return row.account == nil || row.bundleID == nil ? "it has no customer or app" : nil
    case .payment:
      return content.paymentID == nil || content.installationID == nil ? "it has no payment" : nil
    case .app: return row.account != nil || row.bundleID == nil ? "it is not of an app" : nil
    case .customer: return row.account == nil || row.bundleID != nil ? "it is not of a customer" : nil
    case .installation:
      return row.account != nil || row.bundleID == nil || content.installationID == nil
        ? "it is not of an installation" : nil
    }
  }
}

extension StoreEventKind {
  /// Whether the content has the values that the store records with each event of this kind.
  fileprivate func isComplete(_ content: StoreEventContent) -> Bool {
    switch self {
    case .refunded:
      content.revocationReason != nil && content.revocationType != nil && content.percentage != nil
    case .shareRevoked: content.revocationReason != nil && content.revocationType != nil
    case .upgraded: content.percentage != nil
    case .extended: content.expiresDate != nil
    case .refundRequested: content.refundRequestReason != nil
    case .resumed: content.installationID != nil
    case .promotedPurchase, .productsLost: content.productIDs?.isEmpty == false
    default: true
    }
  }
}

extension APIKeyRow: SnapshotRow {
  func fault(_ identity: InventedIdentity) -> String? {
    guard let key = try? P256.Signing.PublicKey(x963Representation: publicKey) else { return "it is not a P-256 key" }
    if UUID(uuidString: issuerID) == nil { return "its issuer id is not a UUID" }
    return keyID == IssuingAuthority.apiKeyID(of: key) ? nil : "its identifier is not that of the key"
  }
}

extension RefundRequestRow: SnapshotRow {
  func fault(_ identity: InventedIdentity) -> String? {
    if ConsumptionRequestReason(rawValue: reason) == nil { return "\(reason.prefix(80)) is no reason" }
    guard let outcome else { return decisionDate == nil && percentage == nil ? nil : "it was decided, or was not" }
    guard let known = RequestedRefund.Outcome(rawValue: outcome) else { return "\(outcome.prefix(80)) is no outcome" }
    if let decisionDate, decisionDate < date { return "it was decided before it was made" }
    let isWhole = percentage == Percentage.whole
    return decisionDate != nil && (known == .declined) == (percentage == nil) && (known == .full) == isWhole
      ? nil : "its decision lacks a value, or has one of another kind"
  }
}

extension ConsumptionInformationRow: SnapshotRow {
  func fault(_ identity: InventedIdentity) -> String? {
    let request = ServerAPIRequest(parameters: ["transactionId": transactionID.rawValue], body: Data(content.utf8))
    let isValid =
      switch version {
      case 1: (try? SendConsumptionInformationV1(request)) != nil
      case 2: (try? SendConsumptionInformation(request)) != nil
      default: false
      }
    return isValid ? nil : "it is no consumption information"
  }
}

extension MassExtensionRow: SnapshotRow {
  func fault(_ identity: InventedIdentity) -> String? {
    guard let storefronts = try? storefrontCountryCodes() ?? [], (dueDate == nil) == (completeDate != nil) else {
      return "it is complete and due, or neither, or its storefronts cannot be read"
    }
    guard ExtendReasonCode.days.contains(days), ExtendReasonCode(rawValue: reason) != nil,
      UUID(uuidString: requestIdentifier) != nil, storefronts.allSatisfy({ Territory(countryCode: $0) != nil }),
      cursor.isEmpty || TransactionID(rawValue: cursor) != nil
    else { return "it has values that no request can have" }
    return nil
  }
}

extension SubscriptionRow: SnapshotRow {
  func fault(_ identity: InventedIdentity) -> String? {
    if state.isRunning, state.dueDate == nil { return "it has no date at which its state ends" }
    if (state.state == .expired) != (state.expirationReason != nil) { return "its reason of expiration is wrong" }
    // A later date, if the event could not be settled.
    guard let due = state.dueDate else { return dueDate == nil ? nil : "it is due although it has ended" }
    return dueDate.map { $0 >= due } == true ? nil : "it is not due when its state ends"
  }
}
