import Foundation
import SampleModel

// A3: the server provides the list of products, and the store their prices.
extension DeliveryStory {
  func showTheList(on phone: SampleAppPhone, _ servers: ServerStage) async throws {
    open("The developer's server says which books there are")
    try phone.launch()
    let before = try await books(on: phone, after: .refreshBooks)
    check("nothing is listed yet, and no book is shown, although the store sells three", before.titles.isEmpty)

    try await publish(book, servers)
    _ = try await books(on: phone, after: .refreshBooks)
    try await phone.waitForPrice(of: book)
    let first = try await books(on: phone).titles
    check("a book is listed, and shown at the store's price: \(first[book] ?? "")", first == [book: "Buy $4.99"])
    check(
      "the app has not asked the store about books that are not listed",
      phone.asked.contains(book) && phone.asked.isDisjoint(with: [encyclopedia, almanac]))

    try await publish(encyclopedia, servers)
    try await servers.operators.list(unsold)
    try await servers.operators.publish(content: texts[book] ?? [], of: unsold)
    _ = try await books(on: phone, after: .refreshBooks)
    try await phone.waitForPrice(of: encyclopedia)
    try await phone.waitForButton(unsold) { $0.hasPrefix("Not for sale") }
    let all = try await books(on: phone).titles
    check("two more are listed, and shown: \(all[encyclopedia] ?? "")", Set(all.keys) == [book, encyclopedia, unsold])
    check("one of them the store does not sell: \(all[unsold] ?? "")", all[unsold]?.hasPrefix("Not for sale") == true)

    try await servers.operators.list(unsold, isListed: false)
    let fewer = try await books(on: phone, after: .refreshBooks).titles
    check("taken off the list, it is not shown", Set(fewer.keys) == [book, encyclopedia])
    try await phone.quit()

    servers.line.cut()
    try phone.launch(isOffline: true)
    let offline = try await books(on: phone).titles
    check("without a network the list is there still, and no price", Set(offline.keys) == [book, encyclopedia])
    check("nothing can be bought: \(offline[book] ?? "")", ["loading…", "Network down?"].contains(offline[book]))
    servers.line.mend()
    try phone.tell(.goOffline(false))
    try await phone.waitForPrice(of: book)
    check("with the network the prices come by themselves", phone.buttons[book] == "Buy $4.99")
    try await phone.quit()
  }

  func buyWhatIsNew(on phone: SampleAppPhone, _ servers: ServerStage) async throws {
    open("A book is published that this version of the app has never heard of")
    try await publish(almanac, servers)
    _ = try await books(on: phone, after: .refreshBooks)
    try await buy(almanac, on: phone)
    try await takeDelivery(of: almanac, on: phone)
    try await checkReading(almanac, on: phone, "bought, it opens, and reads word for word as it was published")
  }

  /// A product on the server's list that the store does not sell.
  private var unsold: String { "com.xamarin.storekit.testing.book.unsold" }
}
