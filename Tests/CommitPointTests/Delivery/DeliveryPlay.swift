import SampleModel

@testable import CommandLineTool

/// The customer of a ``DeliveryJourney``, who after an interruption looks what is there, and buys what is not.
final class DeliveryPlay: JourneyPlay {
  private let stage: Stage
  private let customer: SampleCustomer
  /// What a sheet was shown for.
  private var sheets: Set<String> = []

  private static let titles = [DeliveryJourney.book: "The Small Print", DeliveryJourney.pages: "50 pages"]

  init(_ stage: Stage) {
    self.stage = stage
    customer = SampleCustomer(stage)
    // Receipts that are made in one second and overtake each other: the app fetches a new one by itself.
    customer.mayBeKept = { $0 == "The proof does not contain this purchase." }
    customer.didHear = { [unowned self] in
      if case .sheet(let title, _, _, _) = $0 { sheets.insert(title) }
    }
  }

  let parties = [Party.store, .server, .app]

  func start(_ party: Party) async throws {
    var arguments: [String] = []
    if party == .app { arguments = ["--server", try await customer.shop.purchaseServer().absoluteString] }
    try await customer.start(party, appArguments: arguments)
  }

  // MARK: What happens

  func play() async throws {
    try await customer.waitUntilNothingIsLeft()
    stage.begin(DeliveryScene.book.rawValue)
    try await buy(DeliveryJourney.book)
    expect(try await canRead(), "the book is not there after it was bought")
    stage.begin(DeliveryScene.pages.rawValue)
    try await buy(DeliveryJourney.pages)
    expect(try await pages() == 50, "the pages are not there after they were bought")
    for party in [Party.app, .server, .store] { try await stage.quit(party) }
  }

  func settle() async throws {
    try await customer.waitUntilNothingIsLeft()
    if try await !canRead() { try await buyAgain(DeliveryJourney.book) }
    expect(try await canRead(), "the book is not there in the end")
    if try await pages() == 0 { try await buyAgain(DeliveryJourney.pages) }
    let pages = try await pages()
    expect(pages == 50, "in the end there are \(pages) pages")
  }

  private func buy(_ product: String) async throws {
    try customer.press(.addAnyway(product: product))
    try await customer.waitUntilNothingIsLeft()
  }

  private func buyAgain(_ product: String) async throws {
    let title = Self.titles[product] ?? product
    expect(!sheets.contains(title), "the customer had to buy \(title) again, although the sheet had been shown")
    try await buy(product)
  }

  /// Opens the book, and reads all of it.
  private func canRead() async throws -> Bool {
    try customer.shop.tell(.openBook(product: DeliveryJourney.book))
    while true {
      switch try await customer.next() {
      case .opened(_, _, let digest):
        expect(digest == DeliveryJourney.digest, "what is read is not what was published")
        return true
      case .notOpened(let reason):
        expect(reason == BookError.notOwned(DeliveryJourney.book).description, "the book does not open: \(reason)")
        return false
      default: continue
      }
    }
  }

  private func pages() async throws -> Int {
    try customer.shop.tell(.showPages)
    while true {
      switch try await customer.next() {
      case .pages(let count): return count
      case .pagesUnknown(let reason):
        expect(false, "the server does not say how many pages there are: \(reason)")
        return -1
      default: continue
      }
    }
  }

  private func expect(_ holds: Bool, _ otherwise: @autoclosure () -> String) {
    if !holds { customer.problems.append(otherwise()) }
  }

  // MARK: The books

  func landmark(of party: Party) throws -> String? { try DeliveryBooks(stage).landmark(of: party) }

  func check() throws -> [String] { try customer.problems + DeliveryBooks(stage).check() }
}
