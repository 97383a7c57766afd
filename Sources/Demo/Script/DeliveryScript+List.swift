import Foundation
import SampleModel

// Requirement A3: the server provides the list of products, and the store provides their prices.
extension DeliveryScript {
  func showTheList(on phone: SampleAppPhone, _ servers: PurchaseServerGroup) async throws {
    beginChapter("The developer's server lists the books")
    try phone.launch()
    let before = try await books(on: phone, after: .refreshBooks)
    check("no book is listed, and none is shown, although the store sells three", before.titles.isEmpty)

    try await publish(book, servers)
    _ = try await books(on: phone, after: .refreshBooks)
    try await phone.waitForPrice(of: book)
    let first = try await books(on: phone).titles
    check("one book is listed, and shown with the store's price: \(first[book] ?? "")", first == [book: "Buy $4.99"])
    check(
      "the app has not requested unlisted books from the store",
      phone.asked.contains(book) && phone.asked.isDisjoint(with: [encyclopedia, almanac]))

    try await publish(encyclopedia, servers)
    try await servers.operators.list(unsold)
    try await servers.operators.publish(content: texts[book] ?? [], of: unsold)
    _ = try await books(on: phone, after: .refreshBooks)
    try await phone.waitForPrice(of: encyclopedia)
    try await phone.waitForButton(unsold) { $0.hasPrefix("Not for sale") }
    let all = try await books(on: phone).titles
    check(
      "two more books are listed, and shown: \(all[encyclopedia] ?? "")", Set(all.keys) == [book, encyclopedia, unsold])
    check("one of them is not sold by the store: \(all[unsold] ?? "")", all[unsold]?.hasPrefix("Not for sale") == true)

    try await servers.operators.list(unsold, isListed: false)
    let fewer = try await books(on: phone, after: .refreshBooks).titles
    check("a book that is removed from the list is not shown", Set(fewer.keys) == [book, encyclopedia])
    try await phone.quit()

    servers.proxy.cut()
    try phone.launch(isOffline: true)
    let offline = try await books(on: phone).titles
    check("without a network the stored list is shown, without prices", Set(offline.keys) == [book, encyclopedia])
    check("nothing can be bought: \(offline[book] ?? "")", ["Loading…", "Network down?"].contains(offline[book]))
    servers.proxy.restore()
    try phone.send(.goOffline(false))
    try await phone.waitForPrice(of: book)
    check("with a network the prices are loaded automatically", phone.buttons[book] == "Buy $4.99")
    try await phone.quit()
  }

  func buyWhatIsNew(on phone: SampleAppPhone, _ servers: PurchaseServerGroup) async throws {
    beginChapter("A book is published that is not built into this version of the app")
    try await publish(almanac, servers)
    _ = try await books(on: phone, after: .refreshBooks)
    try await buy(almanac, on: phone)
    try await takeDelivery(of: almanac, on: phone)
    try await checkReading(almanac, on: phone, "after the purchase the book opens, and its text is the published one")
  }

  /// A product on the server's list that the store does not sell.
  private var unsold: String { "com.xamarin.storekit.testing.book.unsold" }
}
