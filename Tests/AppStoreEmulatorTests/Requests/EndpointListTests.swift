import Foundation
import StoreModel
import Testing

@testable import AppStoreEmulator

@Suite("The lists of calls and endpoints", .timeLimit(.minutes(30)))
struct EndpointListTests {
  @Test("every call and every endpoint of the lists has a rule, and a name of its own")
  func rules() {
    for call in DeviceAPI.calls { #expect(call is any DeviceCall.Type, "\(call) has no rule") }
    for endpoint in BackendAPI.endpoints { #expect(endpoint is any BackendCall.Type, "\(endpoint) has no rule") }
    let names = RequestKind.allCases.map(\.rawValue)
    #expect(names.count == DeviceAPI.calls.count + BackendAPI.endpoints.count + 2)
    #expect(Set(names).count == names.count)
    for name in names { #expect(RequestKind(rawValue: name)?.rawValue == name) }
    #expect(RequestKind(rawValue: "buy") == nil)
  }

  @Test("a call's subject has products exactly if its declaration says so")
  func products() {
    let payment = PaymentRequest(paymentID: "p", productID: "tea")
    let quote = PaymentQuote(
      payment: payment, account: "ada", displayName: "Tea", unitPrice: Price(amount: .zero, currency: "USD"),
      total: Price(amount: .zero, currency: "USD"), storefrontCountryCode: "USA", localeIdentifier: "en_US",
      epoch: StoreEpoch("1"), authenticationCode: Data())
    let registration = InstallationRegistration(
      installationID: "phone", bundleID: "com.example.tea", environment: .sandbox, deviceID: UUID(),
      applicationVersion: "1.0")
    let calls: [any StoreCall] = [
      RegisterCall(registration: registration), SignInCall(credentials: SignInCredentials(account: "ada")),
      SignOutCall(), ProductsCall(productIDs: ["tea"]), QuoteCall(payment: payment), ConfirmCall(quote: quote),
      UnfinishedCall(), FinishCall(transactionID: TransactionID(7)), RestoreCall(after: nil, applicationUsername: nil),
      RefreshReceiptCall(), ChangesCall(after: ChangeCursor(rawValue: 0), waitSeconds: 0), SubscriptionsCall(),
      ChangeSubscriptionCall(originalTransactionID: TransactionID(7), setting: .autoRenew(isOn: true)),
      TransactionsCall(after: nil), AppTransactionCall(),
      RequestRefundCall(transactionID: TransactionID(7), reason: .other),
    ]
    let verbs = DeviceAPI.calls.map { $0.verb }
    #expect(calls.map { type(of: $0).verb } == verbs, "the examples here, in the order of DeviceAPI.calls")
    for call in calls { #expect(!call.subject.productIDs.isEmpty == type(of: call).hasProducts, "\(call)") }
  }
}
