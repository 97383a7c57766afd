import AppStoreServerAPI
import SignedData
import StoreModel

extension GetAllSubscriptionStatuses: ServerAPIRule {
  func answer(for backend: BackendScope) throws -> UnsignedAnswer<StatusResponse> {
    let customer = try backend.customer(of: anyTransactionId)
    var entries = try backend.work.customerSubscriptions(of: customer)
    if !statuses.isEmpty { entries = entries.filter { statuses.contains($0.status) } }
    let unsigned = try entries.map { entry in
      UnsignedStatus(
        status: entry.status, groupID: entry.row.groupID, transaction: try backend.signable(entry.last),
        renewalInfo: try backend.work.renewalInfo(
          of: entry.row, for: entry.last, signedDate: backend.work.takeSignedDate()))
    }
    let (app, appAppleID, environment) = (backend.app, backend.appAppleID, backend.environment)
    return { signer in
      let signed = try await TransactionSigner.onAllCores(unsigned) { ($0.groupID, try $0.signed(by: signer)) }
      var groups: [SubscriptionGroupStatus] = []
      var places: [SubscriptionGroupID: Int] = [:]
      for (group, last) in signed {
        if let place = places[group] {
          groups[place].lastTransactions.append(last)
        } else {
          places[group] = groups.count
          groups.append(SubscriptionGroupStatus(subscriptionGroupIdentifier: group, lastTransactions: [last]))
        }
      }
      return StatusResponse(
        environment: OpenEnum(environment), bundleId: app.bundleID, appAppleId: appAppleID, data: groups)
    }
  }
}

/// The status of a subscription before its data are signed.
private struct UnsignedStatus: Sendable {
  let status: SubscriptionStatus
  let groupID: SubscriptionGroupID
  let transaction: SignedTransaction
  let renewalInfo: SignedRenewalInfo

  func signed(by signer: TransactionSigner) throws -> LastTransaction {
    LastTransaction(
      status: OpenEnum(status), originalTransactionId: transaction.originalTransactionID,
      signedTransactionInfo: try signer.sign(transaction), signedRenewalInfo: try signer.sign(renewalInfo))
  }
}

// MARK: Extensions of renewal dates

extension ExtendSubscriptionRenewalDate: ServerAPIRule {
  func answer(for backend: BackendScope) throws -> UnsignedAnswer<ExtendRenewalDateResponse> {
    let stored = try backend.original(originalTransactionId)
    let id = originalTransactionId
    guard stored.sharedTransactionID == nil else {
      throw ServerAPIRefusal(
        .familySharedSubscriptionExtensionIneligible,
        "transaction \(id) is a family member's share; extend the purchaser's")
    }
    guard stored.record.originalTransactionID == id else {
      throw ServerAPIRefusal(
        .originalTransactionIdNotFound,
        "transaction \(id) is not original; its original is \(stored.record.originalTransactionID)")
    }
    guard let row = try backend.work.subscriptions.find(stored.record) else {
      throw ServerAPIRefusal(
        .subscriptionExtensionIneligible, "transaction \(id) is not one of a subscription that renews")
    }
    let extended = try backend.work.renewalExtensions.extend(row, byDays: content.extendByDays)
    return { _ in
      ExtendRenewalDateResponse(
        originalTransactionId: id, webOrderLineItemId: extended.record.webOrderLineItemID, success: true,
        effectiveDate: extended.record.expiresDate)
    }
  }
}

extension ExtendRenewalDatesForAllActiveSubscribers: ServerAPIRule {
  func answer(for backend: BackendScope) throws -> UnsignedAnswer<MassExtendRenewalDateResponse> {
    let identifier = try backend.work.massExtensions.begin(content, backend.app.bundleID, backend.environment)
      .requestIdentifier
    return { _ in MassExtendRenewalDateResponse(requestIdentifier: identifier) }
  }
}

extension GetStatusOfRenewalDateExtensions: ServerAPIRule {
  func answer(for backend: BackendScope) throws -> UnsignedAnswer<MassExtendRenewalDateStatusResponse> {
    let row = try backend.work.massExtensions.find(requestIdentifier, backend.app.bundleID, backend.environment)
    guard let row, row.productID == productId else {
      throw ServerAPIRefusal(
        .statusRequestNotFound, "no extension of \(productId) has the requestIdentifier \(requestIdentifier)")
    }
    return { _ in
      guard let completeDate = row.completeDate else {
        return MassExtendRenewalDateStatusResponse(requestIdentifier: row.requestIdentifier, complete: false)
      }
      return MassExtendRenewalDateStatusResponse(
        requestIdentifier: row.requestIdentifier, complete: true, completeDate: completeDate,
        succeededCount: row.succeededCount, failedCount: row.failedCount)
    }
  }
}
