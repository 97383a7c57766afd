import AppStoreServerAPI
import StoreModel

extension EmulatedAppStore {
  // MARK: Keys for tokens

  /// The keys for tokens of the App Store Server API. The first is the store's own.
  public func apiKeys() async throws -> [APIKey] { try await database.read { try $0.apiKeys.all() } }

  /// Adds a key for tokens of the App Store Server API, of an app's issuer.
  ///
  /// - Returns: the key, and its private part as PKCS#8 in PEM. The store does not keep the private part.
  /// - Throws: ``AppStoreEmulatorError/unknownApp(_:known:)``, ``AppStoreEmulatorError/tooManyKeys``.
  public func addAPIKey(for bundleID: BundleID) async throws -> (key: APIKey, privateKey: String) {
    try await database.write { try $0.apiKeys.add(for: bundleID) }
  }

  /// Removes a key. Its tokens are refused from now on.
  ///
  /// - Throws: ``AppStoreEmulatorError/unknownKey(_:)``, ``AppStoreEmulatorError/keyNotRemovable(_:)``.
  @discardableResult
  public func removeAPIKey(_ keyID: String) async throws -> APIKey {
    try await database.write { try $0.apiKeys.remove(keyID) }
  }

  // MARK: Refunds that customers ask for

  /// A customer asks for a refund. Nothing is refunded before ``decideRefundRequest(_:of:_:percentage:)``.
  ///
  /// - Throws: ``AppStoreEmulatorError`` if there is no such transaction, it cannot be refunded, or an earlier request waits.
  @discardableResult
  public func requestRefund(
    of id: TransactionID, reason: ConsumptionRequestReason = .other
  ) async throws -> RequestedRefund {
    try await database.write { try $0.refundRequests.ask(id, reason: reason) }
  }

  /// Decides a customer's request for a refund.
  ///
  /// - Parameter percentage: the refunded share of the price, in thousandths of a percent, from 1 to 99,999. It belongs to
  ///   ``RequestedRefund/Outcome/prorated``, and only to that.
  /// - Throws: ``AppStoreEmulatorError``.
  @discardableResult
  public func decideRefundRequest(
    _ number: Int64, of id: TransactionID, _ outcome: RequestedRefund.Outcome, percentage: Int? = nil
  ) async throws -> RequestedRefund {
    try await database.write { try $0.refundRequests.decide(number, of: id, outcome, percentage: percentage) }
  }

  /// The newest requests for a refund of a transaction, oldest first, with what the developer's server told.
  ///
  /// - Throws: ``AppStoreEmulatorError/unknownTransaction(_:)``.
  public func refundRequests(of id: TransactionID) async throws -> [RequestedRefund] {
    try await database.read { try $0.refundRequests.list(id) }
  }
}
