import OpenStoreKit
import StoreModel

/// The customer who uses a test's device. By default the customer signs in and confirms every payment.
///
/// ```swift
/// device.customer.confirms = false          // the customer taps Cancel from now on
/// device.customer.sheets.last?.total        // the amount on the last confirmation sheet
/// ```
public final class TestCustomer: StoreCustomer {
  /// The account with which the customer signs in.
  public let account: AccountName

  private struct State: Sendable {
    var confirms = true
    var signsIn = true
    var waits = true
    var refundReason: RefundReason? = .unintendedPurchase
    var refundRequests: [TransactionID] = []
    var waitedFor: [PaymentRequest] = []
    var sheets: [PaymentQuote] = []
    var held: [HeldSheet] = []
    var notices: [StoreNotice] = []
  }

  private let state = LockedValue(State())

  /// - Parameter account: an account of the store. A new store has `customer`; `EmulatedAppStore.addCustomer(_:)` adds
  ///   others.
  public init(account: AccountName = "customer") { self.account = account }

  /// Whether the customer confirms payments. If false, the customer cancels the confirmation sheet, and the payment
  /// fails with `SKError.paymentCancelled`.
  public var confirms: Bool {
    get { state.withLock { $0.confirms } }
    set { state.withLock { $0.confirms = newValue } }
  }

  /// Whether the customer signs in when the store asks. If false, the customer cancels the sign-in sheet.
  public var signsIn: Bool {
    get { state.withLock { $0.signsIn } }
    set { state.withLock { $0.signsIn = newValue } }
  }

  /// Whether the customer waits while the store does not answer. If false, the customer cancels the payment as soon as
  /// the wait is shown, and it fails with `SKError.paymentCancelled`.
  public var waits: Bool {
    get { state.withLock { $0.waits } }
    set { state.withLock { $0.waits = newValue } }
  }

  /// The reason that the customer gives on the sheet on which a refund is requested
  /// (`StoreKitDevice.beginRefundRequest(for:)`). If nil, the customer cancels the sheet.
  public var refundReason: RefundReason? {
    get { state.withLock { $0.refundReason } }
    set { state.withLock { $0.refundReason = newValue } }
  }

  /// The transactions for which that sheet was shown, oldest first.
  public var refundRequests: [TransactionID] { state.withLock { $0.refundRequests } }

  /// The payments that the customer saw waiting for the store, oldest first.
  public var waitedFor: [PaymentRequest] { state.withLock { $0.waitedFor } }

  /// The confirmation sheets that were shown, oldest first.
  public var sheets: [PaymentQuote] { state.withLock { $0.sheets } }

  /// The alerts that were shown, oldest first.
  public var notices: [StoreNotice] { state.withLock { $0.notices } }

  public func signIn(_ reason: SignInReason) async -> SignInAnswer {
    // If the store has refused the account, it would refuse the same account again.
    guard signsIn, reason == .notSignedIn else { return .cancel }
    return .credentials(SignInCredentials(account: account))
  }

  /// The customer's account, unless ``signsIn`` is false.
  public func accountOfDevice() async -> SignInCredentials? {
    signsIn ? SignInCredentials(account: account) : nil
  }

  /// Makes the next confirmation sheet stay up until the test answers it. Each call is for one more sheet.
  public func holdNextSheet() -> HeldSheet {
    let sheet = HeldSheet()
    state.withLock { $0.held.append(sheet) }
    return sheet
  }

  public func confirm(_ quote: PaymentQuote) async -> ConfirmationAnswer {
    let (held, confirms) = state.withLock { state in
      state.sheets.append(quote)
      return (state.held.isEmpty ? nil : state.held.removeFirst(), state.confirms)
    }
    if let held { return await held.show(quote) }
    return confirms ? .confirm : .cancel
  }

  public func waitForStore(_ payment: PaymentRequest) async -> StoreWaitEnd {
    let waits = state.withLock {
      $0.waitedFor.append(payment)
      return $0.waits
    }
    return waits ? await AutomaticCustomer(credentials: nil).waitForStore(payment) : .cancelled
  }

  public func requestRefund(_ productID: ProductID, _ transactionID: TransactionID) async -> RefundAnswer {
    state.withLock {
      $0.refundRequests.append(transactionID)
      return $0.refundReason.map { .request($0) } ?? .cancel
    }
  }

  public func inform(_ notice: StoreNotice) async { state.withLock { $0.notices.append(notice) } }
}
