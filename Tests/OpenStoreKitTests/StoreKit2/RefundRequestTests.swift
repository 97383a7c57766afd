import AppStoreEmulator
import Foundation
import SharedFixtures
import StoreModel
import Testing

@testable import OpenStoreKit

@Suite("StoreKit 2: requests for a refund", .timeLimit(.minutes(30)))
struct RefundRequestTests {
  /// A customer who answers the sheet for a refund.
  private struct AskedCustomer: StoreCustomer {
    let answer: RefundAnswer
    let automatic = AutomaticCustomer(credentials: SignInCredentials(account: "customer"))

    func signIn(_ reason: SignInReason) async -> SignInAnswer { await automatic.signIn(reason) }
    func confirm(_ quote: PaymentQuote) async -> ConfirmationAnswer { .confirm }
    func requestRefund(_ productID: ProductID, _ transactionID: TransactionID) async -> RefundAnswer { answer }
  }

  @Test("a request is recorded, and decided by an operator; then the refund arrives on updates")
  func request() async throws {
    let test = try await TestStore.club()
    let device = try test.clubDevice(customer: AskedCustomer(answer: .request(.fulfillmentIssue)))
    var updates = device.transactionUpdates()
    let sepia = try await device.purchase(TestStore.sepia)
    #expect(try await device.beginRefundRequest(for: sepia.id) == Transaction.RefundRequestStatus.success)
    #expect(try await device.entitlements().map(\.id) == [sepia.id], "nothing is refunded yet")
    await #expect(throws: Transaction.RefundRequestError.duplicateRequest) {
      try await device.beginRefundRequest(for: sepia.id)
    }
    let asked = try #require(try await test.store.refundRequests(of: TransactionID(sepia.id)).first)
    _ = try await test.store.decideRefundRequest(asked.number, of: TransactionID(sepia.id), .full)
    #expect(try await updates.nextTransaction().revocationDate != nil)
    #expect(try await device.entitlements().isEmpty)
    await #expect(throws: Transaction.RefundRequestError.failed) {
      try await device.beginRefundRequest(for: sepia.id)
    }
  }

  @Test("a customer who cancels the sheet requests nothing; an unknown transaction cannot be refunded")
  func cancelled() async throws {
    let test = try await TestStore.club()
    let device = try test.clubDevice(customer: AskedCustomer(answer: .cancel))
    let sepia = try await device.purchase(TestStore.sepia)
    #expect(try await device.beginRefundRequest(for: sepia.id) == .userCancelled)
    #expect(try await test.store.refundRequests(of: TransactionID(sepia.id)).isEmpty)
    await #expect(throws: Transaction.RefundRequestError.failed) { try await device.beginRefundRequest(for: 1) }
  }

  @Test("the errors have texts")
  func texts() {
    for error in [Transaction.RefundRequestError.duplicateRequest, .failed] {
      #expect(error.errorDescription != nil && error.failureReason != nil)
    }
    #expect(Transaction.RefundRequestError.duplicateRequest.recoverySuggestion != nil)
  }
}
