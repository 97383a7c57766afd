import StoreModel

/// All data that the ledger stores about a customer: the document that ``CustomerExportReader`` writes as JSON.
///
/// Documentation/purchase-ledger.md lists what is left out, and why.
public struct CustomerExport: Codable, Sendable {
  public let customer: CustomerID
  /// Issuer and name in the operator's identity system; nil for an anonymous customer.
  public let subject: String?
  public let created: StoreDate
  /// The ids of customers who were joined to this one.
  public let formerIds: [CustomerID]
  public let installations: [Installation]
  public let purchases: [Purchase]
  /// The periods of the customer's auto-renewable subscriptions.
  public let periods: [Period]
  /// Purchases that the customer received from another customer, or lost to one.
  public let transfers: [Transfer]
  public let entitlements: [OwnedProduct]
  public let deliveries: [Delivery]
  public let accounts: [Account]
  public let movements: [Movement]
  public let receipts: [Receipt]
  /// What the customer has consented to, in each app.
  public let consents: [Consent]
  /// The App Store's requests for information about the consumption of the customer's purchases.
  public let consumptionRequests: [RequestedConsumption]
  /// What operators changed for the customer.
  public let operatorActions: [OperatorAction]

  public struct Installation: Codable, Sendable {
    public let app: BundleID
    public let device: String?
    public let issued: StoreDate
    /// The date of the registration by the store's clock.
    public let storeDate: StoreDate?
    public let revoked: StoreDate?
  }

  public struct Purchase: Codable, Sendable {
    public let app: BundleID
    public let environment: StoreEnvironment
    public let claim: TransactionID
    public let product: ProductID
    public let type: ProductType
    public let quantity: Int64
    public let ownership: OwnershipType
    public let purchased: StoreDate
    public let claimed: StoreDate
    public let accessUntil: StoreDate?
    public let accessDays: Int64?
    /// The credits that the purchase gave; nil for other products.
    public let credits: Credits?
    /// What the customer has paid; nil if it is unknown. The price of a subscription is that of each period.
    public let price: PurchasePrice?
    /// Whether the proof was issued for the device that showed it.
    public let byDevice: Bool
    /// The digest of the purchase's receipt, if the receipt is stored.
    public let receipt: String?
    public let refund: Refund?
    public let renewal: Renewal?
  }

  public struct Credits: Codable, Sendable {
    public let unit: CreditUnit
    public let given: Int64
    /// The credits that a refund has removed.
    public let taken: Int64
    /// The refunded credits that were already spent, and were written off.
    public let shortfall: Int64
    /// Whether the shortfall blocks spending.
    public let blocks: Bool
  }

  /// Whether the store has refunded or revoked a purchase or a period, as it was last stated.
  public struct Refund: Codable, Sendable {
    public let isRevoked: Bool
    public let date: StoreDate?
    public let reason: Int64?
    /// The refunded part, in thousandths of a percent.
    public let percentage: Int64
    public let stated: StoreDate
    /// The date at which the ledger was notified.
    public let learnt: StoreDate
  }

  /// How a subscription continues after a period.
  public struct Renewal: Codable, Sendable {
    public let period: TransactionID
    public let product: ProductID
    public let isAutoRenewOn: Bool
    public let isInBillingRetry: Bool
    public let gracePeriodEnd: StoreDate?
    public let expirationIntent: Int64?
    /// Whether the customer has agreed to a price increase: 0 or 1; nil if none was announced.
    public let priceIncrease: Int64?
    public let stated: StoreDate
  }

  public struct Period: Codable, Sendable {
    public let app: BundleID
    public let environment: StoreEnvironment
    public let claim: TransactionID
    public let transaction: TransactionID
    public let product: ProductID
    public let purchased: StoreDate
    public let accessUntil: StoreDate
    public let stated: StoreDate
    /// What the customer has paid; nil if it is unknown.
    public let price: PurchasePrice?
    public let periodType: PurchasePeriodType?
    public let refund: Refund?
  }

  public struct Transfer: Codable, Sendable {
    public enum Direction: String, CaseIterable, Codable, Sendable {
      /// From another customer to this one.
      case received
      /// From this customer to another one.
      case given
    }

    public let app: BundleID
    public let environment: StoreEnvironment
    public let claim: TransactionID
    public let date: StoreDate
    public let direction: Direction
    /// The id of this customer at that time: the present or a former one.
    public let id: CustomerID
    /// Whether the previous customer had shown a proof that was issued for their device.
    public let byDevice: Bool
  }

  public struct OwnedProduct: Codable, Sendable {
    public let app: BundleID
    public let entitlement: LedgerEntitlement
  }

  public struct Delivery: Codable, Sendable {
    public let id: String
    public let app: BundleID
    public let product: ProductID
    public let source: String
    public let begun: StoreDate
    public let ended: StoreDate?
  }

  public struct Account: Codable, Sendable {
    public let app: BundleID
    public let unit: CreditUnit
    public let balance: Int64
    /// The number of movements.
    public let movements: Int64
    /// The date since which spending is blocked.
    public let blocked: StoreDate?
  }

  public struct Movement: Codable, Sendable {
    public let app: BundleID
    public let unit: CreditUnit
    public let movement: CreditMovement
  }

  public struct Receipt: Codable, Sendable {
    public let app: BundleID
    public let environment: StoreEnvironment
    public let digest: String
    public let kind: String
    public let stated: StoreDate
    /// The date at which the store is asked about it again.
    public let due: StoreDate
    /// The receipt in base64.
    public let data: String
  }

  public struct Consent: Codable, Sendable {
    public let app: BundleID
    public let consent: CustomerConsent
  }

  public struct RequestedConsumption: Codable, Sendable {
    public let app: BundleID
    public let environment: StoreEnvironment
    public let claim: TransactionID
    public let transaction: TransactionID
    public let type: ProductType
    public let uuid: String
    public let reason: String?
    public let requested: StoreDate
    public let received: StoreDate
    public let deadline: StoreDate
    public let state: ConsumptionState
    public let settled: StoreDate?
    public let problem: String?
    /// In the state `answered`: what was sent. Otherwise what an operator has chosen.
    public let values: ConsumptionValues
    /// The date of the consent with which it was sent; nil if nothing was sent.
    public let consented: StoreDate?
  }

  public struct OperatorAction: Codable, Sendable {
    public let id: String
    public let date: StoreDate
    public let action: String
    /// The id of this customer at that time: the present or a former one.
    public let customer: CustomerID
    public let detail: String
  }
}
