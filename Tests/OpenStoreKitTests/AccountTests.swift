import AppStoreEmulator
import Foundation
import ShopFixtures
import StoreModel
import Testing

@testable import OpenStoreKit

@Suite("Accounts that change, and devices side by side", .timeLimit(.minutes(30)))
struct AccountTests {
  @Test(
    "B2 B9 a confirmed payment is charged to the account that confirmed it, whoever is signed in when it is sent again")
  func switchUnderWay() async throws {
    let test = try await TestStore()
    try await test.store.addCustomer(Customer(environment: .sandbox, name: "ada"))
    let connection = ScriptedConnection(test.store)
    connection.script(.confirm, .unreachable)
    let retry = ManualRetry()
    let device = try test.device(through: connection, retry: retry)
    let observer = RecordingObserver()
    device.paymentQueue.add(observer)
    device.paymentQueue.add(.of(TestStore.five))
    #expect(await retry.nextWait() == 1)
    try await device.signIn(SignInCredentials(account: "ada"))
    retry.release()
    _ = try await observer.next(.purchased)
    #expect(try await test.store.charges().map(\.account) == ["customer"])
    device.paymentQueue.add(.of(TestStore.ten))
    let second = try await observer.next(.purchased)
    #expect(second.payment.productIdentifier == TestStore.ten)
    #expect(try await test.store.charges().map(\.account) == ["ada", "customer"])
  }

  @Test(
    "B2 C3 C4 a confirmed payment whose account was deleted fails, and what is behind it goes on",
    arguments: [false, true])
  func accountDeleted(isNameTakenAgain: Bool) async throws {
    let test = try await TestStore()
    try await test.store.addCustomer(Customer(environment: .sandbox, name: "ada"))
    let connection = ScriptedConnection(test.store)
    // The device may retry several times before the account is deleted.
    for _ in 0..<20 { connection.script(.confirm, .unreachable) }
    let (customer, retry) = (ScriptedCustomer(), ManualRetry())
    let device = try test.device(through: connection, customer: customer, retry: retry)
    let observer = RecordingObserver()
    device.paymentQueue.add(observer)
    device.paymentQueue.add(.of(TestStore.five))
    #expect(await retry.nextWait() == 1)
    _ = try await test.store.removeCustomer("customer", .sandbox)
    if isNameTakenAgain { try await test.store.addCustomer(Customer(environment: .sandbox, name: "customer")) }
    try await device.signIn(SignInCredentials(account: "ada"))
    connection.endScript(of: .confirm)
    // Adding a payment wakes the queue, which then sends the earlier payment again.
    device.paymentQueue.add(.of(TestStore.ten))
    retry.release()
    let failed = try await observer.next(.failed)
    #expect(failed.payment.productIdentifier == TestStore.five)
    let error = try #require(failed.error as NSError?)
    #expect((error as? SKError)?.code == .clientInvalid)
    #expect((error.userInfo[NSUnderlyingErrorKey] as? NSError)?.localizedDescription.contains("accountGone") == true)
    // The customer was not asked to sign in to the deleted account.
    #expect(customer.askedToSignIn == [.notSignedIn])
    #expect(try await observer.next(.purchased).payment.productIdentifier == TestStore.ten)
    #expect(try await test.store.charges().map(\.account) == ["ada"])
  }

  @Test("B4 an unfinished consumable comes to the installation that paid, also when another account is signed in there")
  func unfinishedAfterSwitch() async throws {
    let test = try await TestStore()
    try await test.store.addCustomer(Customer(environment: .sandbox, name: "ada"))
    let folder = TemporaryFolder()
    var device = try test.device(storage: .directory(folder.url))
    var observer = RecordingObserver()
    device.paymentQueue.add(observer)
    device.paymentQueue.add(.of(TestStore.five))
    let bought = try await observer.next(.purchased)
    try await device.signIn(SignInCredentials(account: "ada"))
    try await device.close()

    let other = try test.device()
    try await other.signIn(SignInCredentials(account: "customer"))
    let elsewhere = RecordingObserver()
    other.paymentQueue.add(elsewhere)
    other.paymentQueue.add(.of(TestStore.ten))
    #expect(try await elsewhere.next(.purchased).payment.productIdentifier == TestStore.ten)

    device = try test.device(storage: .directory(folder.url))
    observer = RecordingObserver()
    device.paymentQueue.add(observer)
    #expect(try await observer.next(.purchased).transactionIdentifier == bought.transactionIdentifier)
  }

  @Test("B2 signed out, the next purchase asks for a sign-in again")
  func signOut() async throws {
    let test = try await TestStore()
    let customer = ScriptedCustomer()
    let device = try test.device(customer: customer)
    let observer = RecordingObserver()
    device.paymentQueue.add(observer)
    device.paymentQueue.add(.of(TestStore.five))
    _ = try await observer.next(.purchased)
    try await device.signOut()
    device.paymentQueue.add(.of(TestStore.ten))
    while try await observer.next(.purchased).payment.productIdentifier != TestStore.ten {}
    #expect(customer.askedToSignIn == [.notSignedIn, .notSignedIn])
  }

  @Test("B5 B9 two devices of one account that buy the same consumable at once are each charged and each served")
  func twoDevices() async throws {
    let test = try await TestStore()
    let devices = try [test.device(), test.device()]
    let observers = [RecordingObserver(), RecordingObserver()]
    for (device, observer) in zip(devices, observers) { device.paymentQueue.add(observer) }
    for device in devices { device.paymentQueue.add(.of(TestStore.five)) }
    let first = try await observers[0].next(.purchased)
    let second = try await observers[1].next(.purchased)
    #expect(first.transactionIdentifier != second.transactionIdentifier)
    #expect(try await test.store.charges().count == 2)
    #expect(Set(try await test.store.transactions().compactMap(\.installationID)).count == 2)
  }

  @Test("C5 C6 purchases that are restricted while the app runs stop the next payment, and not what was confirmed")
  func restrictedLater() async throws {
    let test = try await TestStore()
    let connection = ScriptedConnection(test.store)
    connection.loseAnswer(to: .confirm)
    let retry = ManualRetry()
    let device = try test.device(through: connection, retry: retry)
    let observer = RecordingObserver()
    device.paymentQueue.add(observer)
    device.paymentQueue.add(.of(TestStore.five))
    #expect(await retry.nextWait() == 1)
    device.paymentsAllowed = false
    let sent = connection.sent.count
    device.paymentQueue.add(.of(TestStore.ten))
    connection.endScript(of: .confirm)
    retry.release()
    #expect(try await observer.next(.purchased).payment.productIdentifier == TestStore.five)
    let failed = try await observer.next(.failed)
    #expect(failed.payment.productIdentifier == TestStore.ten)
    #expect((failed.error as? SKError)?.code == .paymentNotAllowed)
    #expect(!connection.sent.dropFirst(sent).contains(.quote))
    #expect(try await test.store.charges().count == 1)
  }
}
