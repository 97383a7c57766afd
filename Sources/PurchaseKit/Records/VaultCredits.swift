import Foundation

/// The totals of a vault's credits. A pure value; ``PurchaseVault`` stores it.
struct VaultCredits: Hashable, Codable, Sendable {
  /// The balance: credits granted and not spent; never negative.
  private var rest = 0
  private(set) var spent = 0
  /// Identifies these credits. A restart at zero and the import of a backup begin a new lineage.
  let lineage: UUID
  /// The lineages whose credits were imported into this one or an earlier one.
  var closedLineages: Set<UUID> = []
  var freeze: CreditFreeze?

  init(lineage: UUID) { self.lineage = lineage }

  func balance() throws(CreditError) -> Int {
    if let freeze { throw .frozen(freeze) }
    return rest
  }

  mutating func grant(_ credits: Int) throws(CreditError) {
    if let freeze { throw .frozen(freeze) }
    let (sum, overflow) = rest.addingReportingOverflow(credits)
    guard credits > 0, !overflow else { throw .amountOutOfRange(credits) }
    rest = sum
  }

  mutating func spend(_ credits: Int) throws(CreditError) {
    let balance = try balance()
    guard credits > 0 else { throw .amountOutOfRange(credits) }
    guard credits <= balance else { throw .insufficient(balance: balance, requested: credits) }
    let (sum, overflow) = spent.addingReportingOverflow(credits)
    guard !overflow else { throw .amountOutOfRange(credits) }
    rest -= credits
    spent = sum
  }

  /// Adds the balance and the number of spent credits of `other`.
  mutating func add(_ other: VaultCredits) throws(CreditError) {
    let (sum, overflow) = rest.addingReportingOverflow(other.rest)
    let (spentSum, spentOverflow) = spent.addingReportingOverflow(other.spent)
    guard !overflow, !spentOverflow else { throw .amountOutOfRange(other.rest) }
    (rest, spent) = (sum, spentSum)
  }

  /// Returns frozen credits with balance zero. They stay frozen until the customer imports a backup or starts again at
  /// zero (``PurchaseVault/resetCredits(accepting:)``). Credits that are frozen already are returned unchanged.
  ///
  /// - Parameter lostBalance: the balance before; nil if it is not known.
  func frozen(_ reason: CreditFreeze.Reason, at date: Date, lostBalance: Int?) -> VaultCredits {
    if freeze != nil { return self }
    var credits = VaultCredits(lineage: lineage)
    credits.closedLineages = closedLineages
    credits.freeze = CreditFreeze(reason: reason, date: date, lostBalance: lostBalance)
    return credits
  }

  /// Returns credits at zero, of a new lineage.
  func restarted(lineage: UUID) -> VaultCredits {
    var credits = VaultCredits(lineage: lineage)
    credits.closedLineages = closedLineages
    return credits
  }
}

/// A vault's credits, as a backup contains them. `VaultCipher` encrypts this value with the vault's own key.
struct CreditBackup: Codable, Sendable {
  let lineage: UUID
  let spent: Int
  let grants: [CreditGrantEntry]
  let spends: [CreditSpendEntry]
}
