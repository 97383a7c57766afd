import PurchaseKit
import SampleModel

@testable import CommandLineTool

/// The customer of a ``DeliveryScenario``. After an interruption the customer checks what was delivered, and buys the rest.
final class DeliveryRun: ScenarioRun {
  private let environment: RunEnvironment
  private let customer: SampleCustomer
  /// The titles of the products whose confirmation sheet was shown.
  private var sheets: Set<String> = []

  private static let titles = [DeliveryScenario.book: "The Small Print", DeliveryScenario.pages: "50 pages"]

  init(_ environment: RunEnvironment) {
    self.environment = environment
    customer = SampleCustomer(environment)
    // Two receipts of the same second can arrive in the wrong order. Then the app requests a new one by itself.
    customer.mayStayPending = { $0 == "The proof does not contain this purchase." }
    customer.onEvent = { [unowned self] in
      if case .sheet(let title, _, _, _) = $0 { sheets.insert(title) }
    }
  }

  let roles = [ProcessRole.store, .server, .app]

  func start(_ role: ProcessRole) async throws {
    var arguments: [String] = []
    if role == .app { arguments = ["--server", try await customer.shop.purchaseServer().absoluteString] }
    try await customer.start(role, appArguments: arguments)
  }

  // MARK: Running

  func perform() async throws {
    try await customer.waitUntilAllIsFinished()
    environment.begin(DeliveryPhase.book.rawValue)
    try await buy(DeliveryScenario.book)
    expect(try await canRead(), "the book cannot be read after the purchase")
    environment.begin(DeliveryPhase.pages.rawValue)
    try await buy(DeliveryScenario.pages)
    expect(try await pages() == 50, "the pages are missing after the purchase")
    for role in [ProcessRole.app, .server, .store] { try await environment.quit(role) }
  }

  func recover() async throws {
    try await customer.waitUntilAllIsFinished()
    if try await !canRead() { try await buyAgain(DeliveryScenario.book) }
    expect(try await canRead(), "the book cannot be read in the end")
    if try await pages() == 0 { try await buyAgain(DeliveryScenario.pages) }
    let pages = try await pages()
    expect(pages == 50, "in the end there are \(pages) pages")
  }

  private func buy(_ product: String) async throws {
    try customer.press(.addAnyway(product: product))
    try await customer.waitUntilAllIsFinished()
  }

  private func buyAgain(_ product: String) async throws {
    let title = Self.titles[product] ?? product
    expect(!sheets.contains(title), "the customer had to buy \(title) again, although the sheet had been shown")
    try await buy(product)
  }

  /// Opens the book, and reads all its files.
  private func canRead() async throws -> Bool {
    try customer.shop.send(.readBook(product: DeliveryScenario.book))
    while true {
      switch try await customer.next() {
      case .opened(_, _, let digest):
        expect(digest == DeliveryScenario.digest, "the content of the book differs from the published one")
        return true
      case .notOpened(let reason):
        let product = DeliveryScenario.book
        let reasons = [BookError.notOwned(product), .onItsWay(product)].map {
          $0.customerMessage(CustomerNames(title: { Self.titles[$0] }))
        }
        expect(reasons.contains(reason), "the book does not open: \(reason)")
        return false
      default: continue
      }
    }
  }

  private func pages() async throws -> Int {
    try customer.shop.send(.showPages)
    while true {
      switch try await customer.next() {
      case .pages(let count): return count
      case .pagesUnknown(let reason):
        expect(false, "the server returns no number of pages: \(reason)")
        return -1
      default: continue
      }
    }
  }

  private func expect(_ condition: Bool, _ message: @autoclosure () -> String) {
    if !condition { customer.problems.append(message()) }
  }

  // MARK: Checking

  func diskState(of role: ProcessRole) throws -> String? { try DeliveryRecords(environment).diskState(of: role) }

  func check() throws -> [String] { try customer.problems + DeliveryRecords(environment).check() }
}
