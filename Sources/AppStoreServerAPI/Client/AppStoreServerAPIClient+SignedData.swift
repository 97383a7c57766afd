import SignedData
import StoreModel

extension AppStoreServerAPIClient {
  /// Returns a transaction, verified (``GetTransactionInfo``).
  ///
  /// - Parameter environment: the environment of the transaction; nil for the configured ones.
  /// - Throws: ``ServerAPIClientError``, as all functions of the client; `CancellationError`.
  public func transaction(
    _ id: TransactionID, in environment: StoreEnvironment? = nil
  ) async throws -> Verified<SignedTransaction> {
    let (answer, environment) = try await answer(to: GetTransactionInfo(transactionId: id), in: environment)
    return try await transactions([answer.signedTransactionInfo], in: environment)[0]
  }

  /// Returns the customer's app transaction, verified (``GetAppTransactionInfo``).
  public func appTransaction(of id: TransactionID) async throws -> Verified<SignedAppTransaction> {
    let (answer, environment) = try await answer(to: GetAppTransactionInfo(anyTransactionId: id))
    return try await verified(in: environment) { (expectation) throws(VerificationFailure) in
      try await verifier.verifyAppTransaction(answer.signedAppTransactionInfo, expecting: expectation)
    }
  }

  /// Returns the transactions of an order, verified (``LookUpOrderID``); nil if the order is not valid. Production only.
  public func transactions(ofOrder orderID: String) async throws -> [Verified<SignedTransaction>]? {
    let (answer, environment) = try await answer(to: LookUpOrderID(orderId: orderID))
    guard answer.status == .valid else { return nil }
    return try await transactions(answer.signedTransactions ?? [], in: environment)
  }

  /// Returns the customer's subscriptions, verified (``GetAllSubscriptionStatuses``).
  ///
  /// - Parameters:
  ///   - statuses: only subscriptions with one of these statuses; empty for all.
  ///   - environment: the environment of the transaction; nil for the configured ones.
  public func subscriptions(
    of id: TransactionID, statuses: [SubscriptionStatus] = [], in environment: StoreEnvironment? = nil
  ) async throws -> [VerifiedSubscription] {
    let call = GetAllSubscriptionStatuses(anyTransactionId: id, statuses: statuses)
    let (answer, environment) = try await answer(to: call, in: environment)
    var subscriptions: [VerifiedSubscription] = []
    for group in answer.data {
      for item in group.lastTransactions {
        subscriptions.append(
          try await verified(in: environment) { (expectation) throws(VerificationFailure) in
            VerifiedSubscription(
              groupID: group.subscriptionGroupIdentifier, status: item.status,
              transaction: try await verifier.verifyTransaction(item.signedTransactionInfo, expecting: expectation),
              renewalInfo: try await verifier.verifyRenewalInfo(item.signedRenewalInfo, expecting: expectation))
          })
      }
    }
    return subscriptions
  }

  /// Returns a test notification and its deliveries, verified (``GetTestNotificationStatus``).
  public func testNotification(_ token: String) async throws -> DeliveredNotification {
    let (answer, environment) = try await answer(to: GetTestNotificationStatus(testNotificationToken: token))
    return try await notification(answer, in: environment)
  }

  /// Verifies a notification that the store posted to this server, and all signed data in it.
  ///
  /// - Parameter notification: the body of the request.
  public func verify(_ notification: SignedNotification) async throws -> VerifiedNotification {
    let environments: Set<StoreEnvironment> =
      switch configuration.environments {
      case .production: [.production]
      case .sandbox: [.sandbox]
      case .productionThenSandbox: [.production, .sandbox]
      }
    return try await self.notification(notification.signedPayload, in: environments)
  }

  func transactions(
    _ signed: [String], in environment: StoreEnvironment
  ) async throws -> [Verified<SignedTransaction>] {
    var transactions: [Verified<SignedTransaction>] = []
    for jws in signed {
      transactions.append(
        try await verified(in: environment) { (expectation) throws(VerificationFailure) in
          try await verifier.verifyTransaction(jws, expecting: expectation)
        })
    }
    return transactions
  }

  func notification(
    _ item: NotificationHistoryItem, in environment: StoreEnvironment
  ) async throws -> DeliveredNotification {
    DeliveredNotification(
      notification: try await notification(item.signedPayload, in: [environment]), attempts: item.sendAttempts ?? [])
  }

  private func notification(
    _ signedPayload: String, in environments: Set<StoreEnvironment>
  ) async throws -> VerifiedNotification {
    do throws(VerificationFailure) {
      return try await verifier.verifyNotification(
        signedPayload, expecting: Expectation(bundleID: configuration.bundleID, environments: environments),
        appAppleID: configuration.appAppleID)
    } catch {
      throw ServerAPIClientError.unverified(error)
    }
  }

  private func verified<Value>(
    in environment: StoreEnvironment,
    _ verify: (Expectation) async throws(VerificationFailure) -> Value
  ) async throws -> Value {
    do throws(VerificationFailure) {
      return try await verify(Expectation(bundleID: configuration.bundleID, environments: [environment]))
    } catch {
      throw ServerAPIClientError.unverified(error)
    }
  }
}

/// A subscription with its verified data.
public struct VerifiedSubscription: Sendable {
  public let groupID: SubscriptionGroupID
  public let status: OpenEnum<SubscriptionStatus>
  /// The last period.
  public let transaction: Verified<SignedTransaction>
  public let renewalInfo: Verified<SignedRenewalInfo>
}

/// A notification of the history, with each try to deliver it.
public struct DeliveredNotification: Sendable {
  public let notification: VerifiedNotification
  public let attempts: [SendAttempt]
}
