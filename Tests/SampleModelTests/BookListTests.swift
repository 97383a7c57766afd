import AppStoreEmulator
import Foundation
import PurchaseKit
import SharedFixtures
import ShopFixtures
import Testing

@testable import SampleModel

@Suite("The server's list of books", .timeLimit(.minutes(30)))
struct BookListTests {
  private let smallPrint = SampleCatalog.smallPrint
  private let encyclopedia = SampleCatalog.encyclopedia

  @Test("A3 the screen shows the server's list in its order, and requests only these products from the store")
  func listed() async throws {
    let folder = try ScratchFolder()
    let phone = try BookPhone(try await BookPhone.store(), folder: folder.url)
    phone.server.list([smallPrint])
    #expect(phone.screen.productIdentifiers.isEmpty)
    try await phone.appear()
    #expect(phone.screen.productIdentifiers == [smallPrint])
    #expect(try phone.title(smallPrint) == "Buy $4.99")
    #expect(phone.asked.all == [smallPrint])
    phone.server.list([encyclopedia, "com.example.unsold", smallPrint])
    try await phone.appear()
    #expect(phone.screen.productIdentifiers == [encyclopedia, "com.example.unsold", smallPrint])
    #expect(try phone.title(encyclopedia) == "Buy $19.99")
    #expect(try phone.title("com.example.unsold").hasPrefix("Not for sale"))
    phone.server.list([encyclopedia])
    #expect(await phone.screen.refreshList())
    #expect(phone.screen.productIdentifiers == [encyclopedia])
    try await phone.close()
  }

  @Test("A3 a bought book stays on the screen after it was removed from the list")
  func bought() async throws {
    let folder = try ScratchFolder()
    let phone = try BookPhone(try await BookPhone.store(), folder: folder.url)
    try await phone.appear()
    try await phone.buy(smallPrint)
    phone.server.list([encyclopedia])
    #expect(await phone.screen.refreshList())
    #expect(phone.screen.productIdentifiers == [encyclopedia, smallPrint])
    #expect(try phone.title(smallPrint) == "Open")
    try await phone.close()
  }

  @Test("A7 a book whose content was withdrawn is not sold: its button is disabled and shows the reason")
  func withdrawn() async throws {
    let folder = try ScratchFolder()
    let phone = try BookPhone(try await BookPhone.store(), folder: folder.url)
    try await phone.appear()
    #expect(try phone.title(smallPrint) == "Buy $4.99")
    phone.server.withdraw(smallPrint)
    #expect(await phone.screen.refreshList())
    #expect(phone.screen.productIdentifiers.contains(smallPrint))
    #expect(try phone.title(smallPrint) == "No longer sold: its content was withdrawn")
    #expect(try !phone.screen.bookButton(for: smallPrint).isEnabled)
    #expect(throws: InAppPurchaseError.notForSale(smallPrint)) { try phone.screen.buy(smallPrint) }
    #expect(phone.screen.price(of: smallPrint) == "$4.99")
    #expect(try phone.title(encyclopedia) == "Buy $19.99")
    try await phone.close()
  }

  @Test("A3 the list is stored for the next launch, and used without an alert if the server is unreachable")
  func copy() async throws {
    let folder = try ScratchFolder()
    let store = try await BookPhone.store()
    let phone = try BookPhone(store, folder: folder.url)
    try await phone.appear()
    try await phone.close()
    let later = try BookPhone(store, folder: folder.url)
    later.server.setUp(false)
    try await later.appear()
    #expect(Set(later.screen.productIdentifiers) == SampleCatalog.books)
    #expect(await later.screen.refreshList() == false)
    #expect(later.screen.alert == nil)
    try await later.close()
  }

  @Test("A3 after a permanent refusal there is no retry, and the screen shows the reason; the stored list stays")
  func refused() async throws {
    let folder = try ScratchFolder()
    let phone = try BookPhone(try await BookPhone.store(), folder: folder.url)
    try await phone.appear()
    phone.server.setKnowsApp(false)

    #expect(await phone.screen.refreshList())
    #expect(phone.screen.alert?.contains("no such app here") == true)
    #expect(Set(phone.screen.productIdentifiers) == SampleCatalog.books)
    try await phone.close()
  }

  @Test("A6 a failed request for the list is retried, but not before the wait is over")
  func retry() async throws {
    let folder = try ScratchFolder()
    let retry = ManualRetry()
    let phone = try BookPhone(try await BookPhone.store(), folder: folder.url, retry: retry)
    phone.server.setUp(false)
    phone.screen.appear()
    #expect(await retry.nextWait() == 1)
    await MainActor.run {}
    #expect(phone.screen.alert != nil)
    retry.release()
    #expect(await retry.nextWait() == 2)
    #expect(phone.server.listRequests == 2)
    phone.server.setUp(true)
    retry.release()
    while phone.screen.productIdentifiers.isEmpty { await MainActor.run {} }
    #expect(Set(phone.screen.productIdentifiers) == SampleCatalog.books)
    try await phone.close()
  }
}
