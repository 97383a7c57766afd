import Foundation

/// The sums of a vault's credits. A value: what is to be done, the vault does.
struct VaultCredits: Hashable, Codable, Sendable {
  /// What was granted and not spent; never negative.
  private var rest = 0
  private(set) var spent = 0
  /// Which run of the books this is.
  let lineage: UUID
  /// The runs that went into this one, or into one before it, by import.
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

  /// Takes over what is left, and what was spent, of other books.
  mutating func add(_ other: VaultCredits) throws(CreditError) {
    let (sum, overflow) = rest.addingReportingOverflow(other.rest)
    let (spentSum, spentOverflow) = spent.addingReportingOverflow(other.spent)
    guard !overflow, !spentOverflow else { throw .amountOutOfRange(other.rest) }
    (rest, spent) = (sum, spentSum)
  }

  /// Empty books that cannot be used, until somebody decides. Frozen ones stay as they are.
  ///
  /// - Parameter lostBalance: what could be spent before; nil where it is not known.
  func frozen(_ reason: CreditFreeze.Reason, at date: Date, lostBalance: Int?) -> VaultCredits {
    if freeze != nil { return self }
    var books = VaultCredits(lineage: lineage)
    books.closedLineages = closedLineages
    books.freeze = CreditFreeze(reason: reason, date: date, lostBalance: lostBalance)
    return books
  }

  /// Empty books of a new lineage.
  func anew(lineage: UUID) -> VaultCredits {
    var books = VaultCredits(lineage: lineage)
    books.closedLineages = closedLineages
    return books
  }
}
