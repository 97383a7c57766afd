import Foundation
import StoreModel
import Testing

@testable import OpenStoreKit

/// What happens to two phones, two accounts and a store, in a random order that follows from a seed.
///
/// The seed decides what is done; how the tasks of one run interleave is the scheduler's, so a failure may need several
/// runs of its seed to show again.
@Suite("Random interleavings", .timeLimit(.minutes(30)))
struct InterleavingTests {
  /// `INTERLEAVINGS` in the environment: how many seeds; `INTERLEAVING_SEED`: the first of them.
  private static let seeds: [UInt64] = {
    let environment = ProcessInfo.processInfo.environment
    let first = environment["INTERLEAVING_SEED"].flatMap { UInt64($0) } ?? 1
    let count = environment["INTERLEAVINGS"].flatMap { UInt64($0) } ?? 100
    return Array(first..<first + count)
  }()

  @Test(
    """
    B4 B5 B6 B9 C1 C3 C4 two phones, two accounts, outages, lost answers, held lists, restores, stale quotes, deleted \
    customers, declined cards, approvals, kills: the books of store and apps agree with the model
    """
  )
  func interleavings() async throws {
    for seed in Self.seeds {
      let world = try await World(seed: seed)
      try await world.run(steps: 40)
      let problems = try await world.settleAndCompare()
      #expect(
        problems.isEmpty, "seed \(seed): \(problems.joined(separator: "; "))\n\(world.story.joined(separator: "\n"))")
      if !problems.isEmpty { return }
    }
  }
}

private final class World {
  private let modelled: ModelledStore
  private let phones: [Phone]
  private let folder: URL
  private let events = AsyncStream.makeStream(of: Void.self, bufferingPolicy: .bufferingNewest(1))
  private var generator: SeededGenerator
  private(set) var story: [String] = []

  init(seed: UInt64) async throws {
    generator = SeededGenerator(seed: seed)
    let folder = FileManager.default.temporaryDirectory.appending(path: "interleaving-\(UUID().uuidString)")
    self.folder = folder
    let modelled = try await ModelledStore(seed: seed)
    self.modelled = modelled
    let continuation = events.continuation
    phones = try ["left", "right"].map {
      try Phone($0, modelled: modelled, in: folder) { continuation.yield() }
    }
  }

  deinit { try? FileManager.default.removeItem(at: folder) }

  func run(steps: Int) async throws {
    for _ in 0..<steps {
      try await step()
      for _ in 0..<Int.random(in: 0...30, using: &generator) { await Task.yield() }
    }
  }

  private func step() async throws {
    let index = Int.random(in: 0...1, using: &generator)
    let phone = phones[index]
    let account = ModelledStore.accounts.randomElement(using: &generator) ?? "ada"
    let product = Bool.random(using: &generator) ? ModelledStore.five : ModelledStore.ten
    switch Int.random(in: 0..<124, using: &generator) {
    case 0..<35:
      let quantity = Int.random(in: 1...3, using: &generator)
      story.append("phone \(index) buys \(quantity) × \(product)")
      phone.buy(product, quantity: quantity)
    case 35..<45:
      story.append("phone \(index) is killed and launched")
      try await phone.killAndLaunch()
    case 45..<53:
      story.append("phone \(index) loses its network")
      phone.set(up: false)
    case 53..<66:
      story.append("phone \(index) has a network")
      phone.set(up: true)
    case 66..<74:
      let count = Int.random(in: 1...3, using: &generator)
      story.append("phone \(index) will lose \(count) answers")
      phone.loseAnswers(count)
    case 74..<79:
      story.append("phone \(index) signs in as \(account)")
      await phone.switchAccount(to: account)
    case 79..<81:
      story.append("phone \(index) will fail between a grant and its finish")
      phone.shaky.add()
    case 81..<84:
      story.append("phone \(index) will cancel a sheet")
      phone.customer.cancelNext()
    case 84..<89:
      let price = Int64.random(in: 1...5, using: &generator) * 1000 - 10
      story.append("\(product) costs \(price)")
      try await modelled.setPrice(price, of: product)
    case 89..<93:
      let isDeclined = Bool.random(using: &generator)
      story.append("\(account)'s card is \(isDeclined ? "declined" : "good")")
      try await modelled.setDeclined(isDeclined, for: account)
    case 93..<96:
      let isSupervised = Bool.random(using: &generator)
      story.append("\(account) \(isSupervised ? "needs" : "does not need") approval")
      try await modelled.setSupervised(isSupervised, for: account)
    case 96..<105:
      story.append("phone \(index) comes to the foreground, and its list is held")
      phone.holdNextList()
    case 105..<109:
      story.append("phone \(index)'s held lists arrive")
      phone.releaseLists()
    case 118..<124:
      let isDeleted = try await modelled.replaceCustomer(account)
      story.append("\(account) \(isDeleted ? "is deleted, and another has the name" : "cannot be deleted")")
    case 109..<114:
      story.append("phone \(index) restores")
      phone.restore()
    default:
      let isApproved = Bool.random(using: &generator)
      story.append("a parent says \(isApproved ? "yes" : "no")")
      _ = try await modelled.decideOne(isApproved: isApproved)
    }
  }

  /// Mends everything, waits until nothing is under way, and says what does not agree.
  func settleAndCompare() async throws -> [String] {
    for phone in phones {
      phone.shaky.clear()
      try await phone.killAndLaunch()
      phone.retry.goOnForGood()
      phone.set(up: true)
    }
    var iterator = events.stream.makeAsyncIterator()
    while try await !isSettled() { _ = await iterator.next() }
    var problems = await modelled.disagreements
    let model = await modelled.model
    let transactions = try await modelled.store.transactions()
    let charges = try await modelled.store.charges()
    let amounts = Dictionary(uniqueKeysWithValues: charges.map { ($0.transactionID, $0.amount.rawValue) })
    let sold = transactions.map { stored in
      ModelStore.Sale(
        key: ModelStore.PaymentKey(installation: stored.installationID ?? "", payment: stored.paymentID ?? ""),
        account: stored.account, product: stored.record.productID, quantity: stored.record.quantity,
        amount: amounts[stored.record.transactionID] ?? -1)
    }
    if charges.count != transactions.count {
      problems.append("\(charges.count) charges, \(transactions.count) transactions")
    }
    if Set(sold) != Set(model.sales) || sold.count != model.sales.count {
      problems.append("the store sold \(sold), the model \(model.sales)")
    }
    for phone in phones {
      let installation = phone.installation ?? ""
      let expected = model.credits(of: installation, each: ModelledStore.creditsForProduct)
      let balance = try phone.balance
      if balance != expected { problems.append("\(installation) has \(balance) credits, the model \(expected)") }
      if !phone.findings.isEmpty { problems.append("\(installation)'s vault found \(phone.findings)") }
      let sales = model.sales.filter { $0.key.installation == installation }
      if sales.count > phone.presses { problems.append("\(sales.count) sales for \(phone.presses) presses") }
      if phone.ended.count != phone.presses {
        problems.append("\(phone.presses) presses, and the app was reported the end of \(phone.ended.count)")
      }
      try await phone.close()
    }
    return problems
  }

  private func isSettled() async throws -> Bool {
    if try await modelled.decideOne(isApproved: Bool.random(using: &generator)) { return false }
    guard phones.allSatisfy(\.isQueueEmpty) else { return false }
    return try await modelled.store.transactions().allSatisfy { $0.finishedDate != nil }
  }
}
