import GRDB
import StoreModel

extension EmulatedAppStore {
  /// All that the store knows of one purchase, in the order in which it happened.
  ///
  /// The books know it for ever; the requests are those that the journal still has. Refunds are in the books in whole seconds:
  /// within a second they stand after everything else.
  ///
  /// - Parameter id: its own, or one under which it was delivered once more.
  /// - Throws: ``AppStoreEmulatorError/unknownTransaction(_:)``.
  public func timeline(of id: TransactionID) async throws -> [TimelineEntry] {
    let sources = try await database.read { database in
      let details = try Self.details(id, in: database)
      return PurchaseSources(
        details: details,
        payment: try Self.payment(details.stored.paymentID, details.stored.installationID, in: database),
        redelivered: try details.redeliveries.map {
          try Self.payment($0.paymentID, $0.installationID, in: database)?.decisionDate
        })
    }
    return sources.timeline(requests: requests())
  }

  private static func payment(
    _ id: PaymentID?, _ installation: InstallationID?, in database: Database
  ) throws -> PaymentRow? {
    guard let id, let installation else { return nil }
    return try PaymentRow.fetch(id, of: installation, in: database)
  }
}
