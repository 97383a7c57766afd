import StoreModel

/// All data that the ledger stores about a customer.
public struct CustomerExport: Codable, Sendable {
  public struct Installation: Codable, Sendable {
    public let app: BundleID
    public let device: String?
    public let issued: StoreDate
    public let revoked: StoreDate?
  }

  public struct Purchase: Codable, Sendable {
    public let app: BundleID
    public let environment: StoreEnvironment
    public let claim: TransactionID
    public let product: ProductID
    public let quantity: Int64
    public let purchased: StoreDate
    public let claimed: StoreDate
  }

  public struct Account: Codable, Sendable {
    public let app: BundleID
    public let unit: CreditUnit
    public let balance: Int64
    /// All movements of the account, oldest first.
    public let movements: [CreditMovement]
  }

  public struct OwnedProduct: Codable, Sendable {
    public let app: BundleID
    public let entitlement: LedgerEntitlement
  }

  public let customer: CustomerID
  public let subject: String?
  public let created: StoreDate
  public let installations: [Installation]
  public let purchases: [Purchase]
  public let entitlements: [OwnedProduct]
  public let accounts: [Account]
}
