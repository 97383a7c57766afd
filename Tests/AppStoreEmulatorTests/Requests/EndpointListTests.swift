import Foundation
import StoreModel
import Testing

@testable import AppStoreEmulator

@Suite("The lists of calls and endpoints", .timeLimit(.minutes(10)))
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
    let calls: [any StoreCall] = [
      ProductsCall(productIDs: ["tea"]), QuoteCall(payment: payment), ConfirmCall(quote: quote),
      FinishCall(transactionID: TransactionID(7)),
      ChangeSubscriptionCall(originalTransactionID: TransactionID(7), setting: .autoRenew(isOn: true)),
      SignInCall(credentials: SignInCredentials(account: "ada")), UnfinishedCall(), SubscriptionsCall(),
    ]
    for call in calls { #expect(!call.subject.productIDs.isEmpty == type(of: call).hasProducts, "\(call)") }
  }
}
