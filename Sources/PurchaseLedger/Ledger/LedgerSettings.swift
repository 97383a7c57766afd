import StoreModel

/// What an operator decides about an app.
public struct LedgerSettings: Hashable, Sendable {
  /// What happens to refunded credits that were spent already.
  public enum RefundPolicy: String, Hashable, Codable, Sendable, CaseIterable {
    /// The balance goes below zero; purchases pay it off.
    case debt
    /// The balance ends at zero; the rest is written off to the account `shortfall`.
    case shortfall
    /// As `shortfall`, and nothing can be spent until an operator lifts that or the refund is taken back.
    case block
  }

  public var refundPolicy: RefundPolicy
  /// How long after a proof was last verified the store is asked about it again; nil for never, as it must be where
  /// there is no store to ask.
  public var reverificationSeconds: Int64?
  /// How long a proof is asked about, from when it was stated; nil for ever.
  public var reverificationEndsAfterSeconds: Int64?
  /// Whether a purchase's `appAccountToken` is the id of a customer here. An app that puts something else there says no.
  public var accountTokensNameCustomers: Bool

  /// Who may redeem what was bought in the sandbox, where nothing is paid: customers' ids, and what the identity system
  /// calls people (issuer and subject). Nil for everybody whose proof is accepted.
  public var sandboxCustomers: Set<String>?

  public init(
    refundPolicy: RefundPolicy = .debt, reverificationSeconds: Int64? = nil,
    reverificationEndsAfterSeconds: Int64? = nil, accountTokensNameCustomers: Bool = true,
    sandboxCustomers: Set<String>? = nil
  ) {
    self.refundPolicy = refundPolicy
    self.reverificationSeconds = reverificationSeconds
    self.reverificationEndsAfterSeconds = reverificationEndsAfterSeconds
    self.accountTokensNameCustomers = accountTokensNameCustomers
    self.sandboxCustomers = sandboxCustomers
  }
}
