import Foundation
import ShopFixtures
import StoreModel
import Testing

@testable import OpenStoreKit

@Suite("Changing the plan of a subscription", .timeLimit(.minutes(30)))
struct PlanChangeTests {
  @Test(
    "A1 a downgrade ends as purchased with the current plan, which is signed, and a notice says when the new plan begins"
  )
  func downgrade() async throws {
    let test = try await TestStore.lasting()
    let customer = ScriptedCustomer()
    let device = try test.device(customer: customer)
    let observer = RecordingObserver(finishesEverything: true)
    device.paymentQueue.add(observer)
    device.paymentQueue.add(.of(TestStore.monthly))
    let first = try await observer.next(.purchased)
    let original = try #require(first.transactionIdentifier)
    device.paymentQueue.add(.of(TestStore.basic))
    let answer = try await observer.next(.purchased)
    #expect(answer.payment.productIdentifier == TestStore.monthly)
    #expect(answer.original?.transactionIdentifier == original)
    let confirmed = try #require(customer.askedToConfirm.last)
    #expect(confirmed.total.amount == .zero && confirmed.plan?.startDate != nil)
    #expect(await customer.nextNotice() == .planChangeScheduled(confirmed))
    #expect(try await test.store.charges().count == 1)
  }

  @Test("A1 an upgrade is charged at once, under the same original transaction")
  func upgrade() async throws {
    let test = try await TestStore.lasting()
    let device = try test.device(customer: ScriptedCustomer())
    let observer = RecordingObserver(finishesEverything: true)
    device.paymentQueue.add(observer)
    device.paymentQueue.add(.of(TestStore.basic))
    let first = try await observer.next(.purchased)
    let original = try #require(first.transactionIdentifier)
    device.paymentQueue.add(.of(TestStore.monthly))
    let second = try await observer.next(.purchased)
    #expect(second.payment.productIdentifier == TestStore.monthly)
    #expect(second.original?.transactionIdentifier == original)
    #expect(try await test.store.charges().count == 2)
  }

  @Test("G6 a quote whose total does not follow from its plan is never shown to the customer")
  func inconsistentTotal() async throws {
    let test = try await TestStore.lasting()
    let connection = ScriptedConnection(test.store)
    connection.rewriteQuotes { quote in
      PaymentQuote(
        payment: quote.payment, account: quote.account, displayName: quote.displayName, unitPrice: quote.unitPrice,
        total: quote.total,
        plan: SubscriptionQuote(
          period: CalendarPeriod(value: 1, unit: .month), startDate: .init(millisecondsSince1970: 0)),
        storefrontCountryCode: quote.storefrontCountryCode, localeIdentifier: quote.localeIdentifier,
        epoch: quote.epoch, authenticationCode: quote.authenticationCode)
    }
    let (customer, retry) = (ScriptedCustomer(), ManualRetry())
    let device = try test.device(through: connection, customer: customer, retry: retry)
    device.paymentQueue.add(RecordingObserver.lasting)
    device.paymentQueue.add(.of(TestStore.monthly))
    #expect(await retry.nextWait() == 1)
    #expect(customer.askedToConfirm.isEmpty)
  }
}
