import StoreModel

/// An operator's settings for an app.
public struct LedgerSettings: Hashable, Sendable {
  /// What happens if a customer has already spent refunded credits.
  public enum RefundPolicy: String, Hashable, Codable, Sendable, CaseIterable {
    /// The balance becomes negative; later purchases pay the debt off.
    case debt
    /// The balance becomes zero; the missing credits are written off to the account `shortfall`.
    case shortfall
    /// As `shortfall`; in addition, spending is blocked until an operator lifts the block or the refund is reversed.
    case block
  }

  public var refundPolicy: RefundPolicy
  /// The interval at which the store is asked again about a stored proof, in seconds; nil if it is never asked again.
  /// With offline verification, it must be nil.
  public var reverificationSeconds: Int64?
  /// How long a stored proof is verified again, in seconds; nil for no limit. The time begins at the
  /// ``VerifiedProof/statedDate`` of the proof's last redemption.
  public var reverificationEndsAfterSeconds: Int64?
  /// Whether a purchase's `appAccountToken` is the id of a customer of this ledger. Set it to false if the app uses other values.
  public var accountTokensNameCustomers: Bool

  /// How the store's requests for information about consumption are answered.
  public var consumption: ConsumptionSettings

  /// The customers who may redeem sandbox purchases, which cost nothing, and to whom an operator can move them: customer ids, and
  /// subjects of the identity system (issuer and subject). Nil to allow all customers.
  public var sandboxCustomers: Set<CustomerName>?

  public init(
    refundPolicy: RefundPolicy = .debt, reverificationSeconds: Int64? = nil,
    reverificationEndsAfterSeconds: Int64? = nil, accountTokensNameCustomers: Bool = true,
    sandboxCustomers: Set<CustomerName>? = nil, consumption: ConsumptionSettings = ConsumptionSettings()
  ) {
    self.refundPolicy = refundPolicy
    self.reverificationSeconds = reverificationSeconds
    self.reverificationEndsAfterSeconds = reverificationEndsAfterSeconds
    self.accountTokensNameCustomers = accountTokensNameCustomers
    self.sandboxCustomers = sandboxCustomers
    self.consumption = consumption
  }
}

extension LedgerSettings {
  /// The id of a customer, or a subject of the identity system. Names are compared as bytes: subjects that are canonically equivalent
  /// in Unicode are different customers.
  public struct CustomerName: StringIdentifier {
    public let rawValue: String
    public init(rawValue: String) { self.rawValue = rawValue }
  }
}

/// How the store's requests for information about consumption are answered (Documentation/app-store-updates.md).
public struct ConsumptionSettings: Hashable, Sendable {
  public enum Policy: String, Hashable, Sendable, CaseIterable {
    /// Requests are not recorded, and not answered.
    case off
    /// An operator, or the team's backend, answers each request.
    case ask
    /// The server answers with what the ledger knows.
    case automatic
  }

  public var policy: Policy
  /// The refund that automatic answers prefer; nil to state none.
  public var refundPreference: ConsumptionValues.Preference?
  /// Whether customers could try the content before the purchase.
  public var sampleContentProvided: Bool

  public init(
    policy: Policy = .off, refundPreference: ConsumptionValues.Preference? = nil, sampleContentProvided: Bool = false
  ) {
    self.policy = policy
    self.refundPreference = refundPreference
    self.sampleContentProvided = sampleContentProvided
  }
}
