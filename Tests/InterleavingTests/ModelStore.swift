import StoreModel

/// What a store must do with confirmations, in as few words as possible, and independent of the real one: the tests
/// compare every answer and, in the end, all the books with it.
struct ModelStore {
  struct PaymentKey: Hashable {
    let installation: InstallationID
    let payment: PaymentID
  }

  struct Sale: Hashable {
    let key: PaymentKey
    let account: AccountName
    let product: ProductID
    let quantity: Int
    let amount: Int64
  }

  enum Answer: Equatable {
    case charged, refused, waiting, stale
    /// The customer was deleted since the quote. Nothing is remembered.
    case gone
  }

  var unitPrices: [ProductID: Int64]
  var declined: Set<AccountName> = []
  var supervised: Set<AccountName> = []
  private var decided: [PaymentKey: Answer] = [:]
  private var waiting: [PaymentKey: Sale] = [:]
  private(set) var sales: [Sale] = []

  init(unitPrices: [ProductID: Int64]) { self.unitPrices = unitPrices }

  /// - Parameter isGone: whether the quote is of a customer who was deleted since.
  mutating func confirm(_ sale: Sale, isGone: Bool) -> Answer {
    if let before = decided[sale.key] { return before }
    if isGone { return .gone }
    if unitPrices[sale.product, default: 0] * Int64(sale.quantity) != sale.amount { return .stale }
    if supervised.contains(sale.account) {
      waiting[sale.key] = sale
      decided[sale.key] = .waiting
    } else {
      settle(sale, isApproved: true)
    }
    return decided[sale.key] ?? .refused
  }

  mutating func decide(_ key: PaymentKey, isApproved: Bool) {
    guard let sale = waiting.removeValue(forKey: key) else { return }
    settle(sale, isApproved: isApproved)
  }

  private mutating func settle(_ sale: Sale, isApproved: Bool) {
    let isCharged = isApproved && !declined.contains(sale.account)
    decided[sale.key] = isCharged ? .charged : .refused
    if isCharged { sales.append(sale) }
  }

  /// The credits that an installation must have been given.
  func credits(of installation: InstallationID, each: [ProductID: Int]) -> Int {
    sales.filter { $0.key.installation == installation }.reduce(0) { $0 + each[$1.product, default: 0] * $1.quantity }
  }
}
