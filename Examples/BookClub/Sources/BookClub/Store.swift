import Foundation
import Observation
import StoreKit

public typealias Transaction = StoreKit.Transaction

/// The products of the book club, and what the customer has bought.
@MainActor @Observable public final class Store {
  public enum Failure: Error {
    /// The App Store's signature could not be verified, so the customer does not get what was bought.
    case failedVerification
  }

  /// The products in the order of their prices.
  public private(set) var books: [Product] = []
  public private(set) var credits: [Product] = []
  public private(set) var memberships: [Product] = []

  public private(set) var purchasedBooks: Set<Product.ID> = []
  public private(set) var membership: Product.ID?
  /// Nil if the customer was never a member.
  public private(set) var membershipState: SubscriptionRenewalState?
  public private(set) var willRenew = false

  private let ledger: CreditLedger
  @ObservationIgnored private var updates: Task<Void, Never>?

  public init(ledger: CreditLedger) {
    self.ledger = ledger
    // Transactions can arrive at any time, so the app listens from its launch.
    updates = listenForTransactions()
  }

  deinit { updates?.cancel() }

  /// For the launch of the app. What the customer has is read first, because it is known without a network, too.
  public func load() async throws {
    await updateCustomerProductStatus()
    try await requestProducts()
  }

  private func listenForTransactions() -> Task<Void, Never> {
    Task { [weak self] in
      for await result in Transaction.updates {
        guard let self else { return }
        // An unverified transaction is not delivered, and not finished.
        guard let transaction = try? self.checkVerified(result) else { continue }
        await self.deliver(transaction)
      }
    }
  }

  // MARK: Products

  public func requestProducts() async throws {
    let products = try await Product.products(for: Catalog.all).sorted { $0.price < $1.price }
    books = products.filter { $0.type == .nonConsumable }
    credits = products.filter { $0.type == .consumable }
    memberships = products.filter { $0.type == .autoRenewable }
  }

  // MARK: Purchases

  /// - Returns: the transaction; nil if the customer has cancelled, or the purchase waits for an approval.
  @discardableResult
  public func purchase(
    _ product: Product, options: Set<Product.PurchaseOption> = []
  ) async throws -> Transaction? {
    switch try await product.purchase(options: options) {
    case .success(let verification):
      let transaction = try checkVerified(verification)
      await deliver(transaction)
      return transaction
    case .userCancelled, .pending: return nil
    @unknown default: return nil
    }
  }

  /// For a button "Restore Purchases".
  public func restore() async throws {
    try await AppStore.sync()
    await updateCustomerProductStatus()
  }

  /// Gives the customer what was bought, or takes away what was refunded, then finishes the transaction.
  private func deliver(_ transaction: Transaction) async {
    if transaction.productType == .consumable { ledger.record(transaction) }
    await updateCustomerProductStatus()
    await transaction.finish()
  }

  private func checkVerified<Value>(_ result: VerificationResult<Value>) throws -> Value {
    switch result {
    case .verified(let value): value
    case .unverified: throw Failure.failedVerification
    }
  }

  // MARK: What the customer has

  public func isPurchased(_ product: Product) -> Bool {
    product.type == .autoRenewable ? membership == product.id : purchasedBooks.contains(product.id)
  }

  /// Reads from StoreKit what entitles the customer now.
  public func updateCustomerProductStatus() async {
    var books: Set<Product.ID> = []
    var membership: Product.ID?
    for await result in Transaction.currentEntitlements {
      guard let transaction = try? checkVerified(result) else { continue }
      switch transaction.productType {
      case .nonConsumable: books.insert(transaction.productID)
      case .autoRenewable where !transaction.isUpgraded: membership = transaction.productID
      default: break
      }
    }
    purchasedBooks = books
    self.membership = membership
    await updateMembershipState()
  }

  private func updateMembershipState() async {
    let statuses = try? await Product.SubscriptionInfo.status(for: Catalog.group)
    // With Family Sharing there can be several; the one with access counts.
    let status = statuses?.max { left, right in left.state.rank < right.state.rank }
    membershipState = status?.state
    willRenew = (try? status.map { try checkVerified($0.renewalInfo) })?.willAutoRenew ?? false
  }
}

/// The identifiers of App Store Connect.
public enum Catalog {
  public static let novel = "com.example.bookclub.novel"
  public static let atlas = "com.example.bookclub.atlas"
  public static let credit = "com.example.bookclub.credit"
  public static let reader = "com.example.bookclub.reader"
  public static let patron = "com.example.bookclub.patron"
  public static let group = "B00C0001"

  static let all = [novel, atlas, credit, reader, patron]
}

extension SubscriptionRenewalState {
  /// Larger for states with access.
  fileprivate var rank: Int {
    switch self {
    case .subscribed: 4
    case .inGracePeriod: 3
    case .inBillingRetryPeriod: 2
    case .expired: 1
    default: 0
    }
  }
}
