import AppStoreEmulator
import Foundation
import PurchaseKit
import SharedFixtures
import StoreModel
import Testing

@testable import SampleModel

@Suite("The books screen", .timeLimit(.minutes(30)))
struct BooksModelTests {
  private let smallPrint = SampleCatalog.smallPrint
  private let encyclopedia = SampleCatalog.encyclopedia

  @Test("G3 Buy becomes Open, and the book can be read")
  func buy() async throws {
    let folder = try ScratchFolder()
    let phone = try BookPhone(try await BookPhone.store(), folder: folder.url)
    try await phone.appear()
    #expect(try phone.title(smallPrint) == "Buy $4.99")
    try await phone.screen.open(smallPrint)
    #expect(phone.screen.openBook == nil)
    #expect(phone.screen.alert == "You do not own “The Small Print”. Buy it, or restore your purchases.")
    try await phone.buy(smallPrint)
    #expect(try phone.title(smallPrint) == "Open")
    #expect(throws: InAppPurchaseError.notForSale(smallPrint)) { try phone.screen.buy(smallPrint) }
    try await phone.screen.open(smallPrint)
    #expect(phone.screen.openBook?.files == ["text"])
    #expect(try await phone.screen.read("text") == BookPhone.pages[smallPrint])
    #expect(phone.screen.alert == nil)
    phone.screen.close()
    #expect(phone.screen.openBook == nil)
    try await phone.close()
  }

  @Test("G4 the large book is owned at once, and downloaded when the customer requests it")
  func later() async throws {
    let folder = try ScratchFolder()
    let phone = try BookPhone(try await BookPhone.store(), folder: folder.url)
    try await phone.appear()
    try await phone.buy(encyclopedia)
    #expect(try phone.title(encyclopedia) == "Download")
    try await phone.screen.open(encyclopedia)
    #expect(phone.screen.openBook == nil)
    await phone.screen.download(encyclopedia)
    #expect(try phone.title(encyclopedia) == "Open")
    try await phone.screen.open(encyclopedia)
    #expect(try await phone.screen.read("text") == BookPhone.pages[encyclopedia])
    try await phone.close()
  }

  @Test(
    "G5 after a failed download the button reads Try again, nothing is charged twice, and the alert shows the reason")
  func retry() async throws {
    let folder = try ScratchFolder()
    let store = try await BookPhone.store()
    let phone = try BookPhone(store, folder: folder.url)
    try await phone.appear()
    phone.server.cutDownloads(3)
    try await phone.buy(smallPrint, until: .InAppPurchaseManagerTransactionKeptNotification)
    #expect(try phone.title(smallPrint) == "Try again")
    #expect(phone.screen.alert?.contains("interrupted") == true)
    await phone.screen.download(smallPrint)
    #expect(try phone.title(smallPrint) == "Open")
    #expect(try await store.transactions().count == 1)
    try await phone.close()
  }

  @Test(
    "G4 a paused download shows Continue without an alert, also after a launch, and is charged once",
    arguments: [true, false])
  func paused(isSmall: Bool) async throws {
    let folder = try ScratchFolder()
    let store = try await BookPhone.store()
    let book = isSmall ? smallPrint : encyclopedia
    var phone = try BookPhone(store, folder: folder.url)
    try await phone.appear()
    let screen = phone.screen
    phone.server.cutDownload { await screen.pause(book) }
    // The small book is downloaded during the purchase, the large one when the customer requests it.
    if isSmall {
      try await phone.buy(book, until: .InAppPurchaseManagerTransactionKeptNotification)
    } else {
      try await phone.buy(book)
      await phone.screen.download(book)
    }
    #expect(try phone.title(book) == "Continue")
    #expect(try phone.screen.bookButton(for: book).isEnabled)
    #expect(phone.screen.alert == nil)
    try await phone.close()

    phone = try BookPhone(store, folder: folder.url)
    try await phone.appear()
    // The small book is not owned yet, so its button depends on the transaction, which the queue delivers again.
    if isSmall { while phone.manager.keptTransactions.isEmpty { await Task.yield() } }
    #expect(try phone.title(book) == "Continue")
    #expect(phone.screen.alert == nil)
    await phone.screen.download(book)
    #expect(try phone.title(book) == "Open")
    #expect(try await store.transactions().count == 1)
    try await phone.close()
  }

  @Test("A5 D2 a refunded book says so where it was, and a listed book without a fetched name shows no identifier")
  func words() async throws {
    let folder = try ScratchFolder()
    let store = try await BookPhone.store()
    let phone = try BookPhone(store, folder: folder.url)
    #expect(phone.screen.title(of: smallPrint) == "The Small Print")
    #expect(phone.screen.title(of: "com.example.newest") == "New book")
    try await phone.appear()
    try await phone.buy(smallPrint)
    #expect(try phone.screen.lossText(of: smallPrint) == nil)
    #expect(try phone.screen.lossText(of: encyclopedia) == nil)
    let bought = try #require(try await store.transactions().first).record.transactionID
    try await store.refund(bought)
    while try phone.screen.lossText(of: smallPrint) == nil { await Task.yield() }
    #expect(try phone.screen.lossText(of: smallPrint)?.hasPrefix("Refunded, or no longer shared with you, on ") == true)
    try await phone.close()
  }

  @Test("a book that was changed on the phone is not opened, and can be downloaded again")
  func damaged() async throws {
    let folder = try ScratchFolder()
    let phone = try BookPhone(try await BookPhone.store(), folder: folder.url)
    try await phone.appear()
    try await phone.buy(smallPrint)
    let files = folder.url.appending(path: "content/files")
    let name = try #require(try FileManager.default.contentsOfDirectory(atPath: files.path).first)
    try Data("other".utf8).write(to: files.appending(path: name))
    try await phone.screen.open(smallPrint)
    #expect(phone.screen.openBook == nil)
    #expect(phone.screen.alert == "A file was damaged on this device. Download it again. Nothing is charged.")
    #expect(try phone.title(smallPrint) == "Try again")
    await phone.screen.download(smallPrint)
    try await phone.screen.open(smallPrint)
    #expect(try await phone.screen.read("text") == BookPhone.pages[smallPrint])
    try await phone.close()
  }

  @Test("E5 Restore on another phone grants the small book with its files, and the large one for download")
  func restored() async throws {
    let (folder, otherFolder) = (try ScratchFolder(), try ScratchFolder())
    let store = try await BookPhone.store()
    let phone = try BookPhone(store, folder: folder.url)
    try await phone.appear()
    try await phone.buy(smallPrint)
    try await phone.buy(encyclopedia)
    let other = try BookPhone(store, folder: otherFolder.url)
    try await other.appear()
    for _ in 0..<2 {
      try await other.restore()
      #expect(other.screen.alert == "2 purchases were restored.")
      #expect(try other.title(smallPrint) == "Open")
      #expect(try other.title(encyclopedia) == "Download")
    }
    try await phone.close()
    try await other.close()
  }
}
