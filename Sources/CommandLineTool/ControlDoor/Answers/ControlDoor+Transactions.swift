import StoreModel

// What the door tells of transactions. Numbers of money are in thousandths of the currency.
extension ControlDoor {
  struct Transaction: Decodable, Hashable, Sendable {
    let state: String
    let transactionId: String
    let originalTransactionId: String
    let bundleId: String
    let environment: String
    let productId: String
    let type: String
    let quantity: Int
    let price: Int64
    let currency: String
    let storefront: String
    let purchaseDate: StoreDate
    let appAccountToken: String?
    let applicationUsername: String?
    let customer: String
    let installationId: String?
    let finishedDate: StoreDate?
    let sharedTransactionId: String?
    let expiresDate: StoreDate?
    let revocationDate: StoreDate?
    let revocationReason: Int?
    let revocationType: String?
    /// In thousandths of a percent.
    let revocationPercentage: Int?
  }

  struct TransactionList: Decodable, Sendable {
    let transactions: [Transaction]
    /// What to ask for as `before` to get the next page.
    let next: Int64?
    let total: Int?
  }

  struct TransactionDetails: Decodable, Sendable {
    let transaction: Transaction
    let charge: Charge?
    let redeliveries: [Redelivery]
    let refunds: [Charge]
    let shares: [Transaction]
    let timeline: [TimelineEntry]
  }

  /// A charge, or a refund; negative where a refund was taken back.
  struct Charge: Decodable, Hashable, Sendable {
    let transactionId: String
    let amount: Int64
    let currency: String
  }

  struct Redelivery: Decodable, Sendable {
    let transactionId: String
    let installationId: String
    let date: StoreDate
    let finishedDate: StoreDate?
  }

  struct TimelineEntry: Decodable, Sendable {
    let date: StoreDate
    let event: String
    let request: JournaledRequest?
    let transactionId: String?
    let installationId: String?
    let customer: String?
    let amount: Int64?
    let currency: String?
    let revocationType: String?
  }
}
