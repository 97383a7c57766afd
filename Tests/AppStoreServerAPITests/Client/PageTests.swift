import AppStoreServerAPI
import Foundation
import StoreModel
import Testing

@Suite("The pages of histories", .timeLimit(.minutes(30)))
struct PageTests {
  static let id = TransactionID(7)

  private func page(
    _ revision: String, hasMore: Bool, _ ids: [UInt64], in environment: StoreEnvironment = .sandbox
  ) throws -> ScriptedTransport.Answer {
    try .json(
      HistoryResponse(
        revision: revision, hasMore: hasMore, bundleId: Samples.bundleID, environment: OpenEnum(environment),
        signedTransactions: try ids.map { try Samples.transaction($0, in: environment) }))
  }

  @Test("a history is read page by page with the same filters, and goes on from a stored revision")
  func history() async throws {
    let scripted = try ScriptedClient([
      page("r1", hasMore: true, [1, 2]), page("r2", hasMore: true, []), page("r3", hasMore: false, [3]),
    ])
    var query = TransactionHistoryQuery()
    query.productIds = ["credits.5"]
    query.revision = "r0"
    var ids: [TransactionID] = []
    var last: TransactionPage?
    for try await page in scripted.client.transactionHistory(of: Self.id, query) {
      ids += page.transactions.map(\.value.transactionID)
      last = page
    }
    #expect(ids == [1, 2, 3].map { TransactionID($0) })
    #expect(last?.revision == "r3" && last?.hasMore == false && last?.environment == .sandbox)
    #expect(
      scripted.urls.map { $0.split(separator: "?").last } == [
        "revision=r0&productId=credits.5", "revision=r1&productId=credits.5", "revision=r2&productId=credits.5",
      ])
  }

  @Test("a history that never ends is limited by its reader, and no page is requested before it is read")
  func endless() async throws {
    let scripted = try ScriptedClient([
      page("r1", hasMore: true, [1]), page("r2", hasMore: true, [2]), page("r3", hasMore: true, [3]),
      page("r4", hasMore: true, [4]),
    ])
    var count = 0
    for try await _ in scripted.client.transactionHistory(of: Self.id).prefix(2) { count += 1 }
    #expect(count == 2 && scripted.urls.count == 2)
  }

  @Test("a store that gives the same page again is an error, not an endless loop")
  func standstill() async throws {
    let scripted = try ScriptedClient([page("r1", hasMore: true, [1])])
    var count = 0
    let error = try await scripted.error { client in
      for try await _ in client.transactionHistory(of: Self.id) { count += 1 }
    }
    guard case .pagesDoNotAdvance(token: "r1")? = error else {
      Issue.record("\(String(describing: error))")
      return
    }
    #expect(count == 1 && scripted.urls.count == 2)
  }

  @Test("the pages after the first come from the environment that answered the first")
  func environments() async throws {
    let scripted = try ScriptedClient(
      [.error(.transactionIdNotFound), page("r1", hasMore: true, [1]), page("r2", hasMore: false, [2])],
      environments: .productionThenSandbox)
    for try await page in scripted.client.transactionHistory(of: Self.id) { #expect(page.environment == .sandbox) }
    #expect(scripted.urls.map { $0.contains("sandbox") } == [false, true, true])
    let stored = try ScriptedClient([page("r3", hasMore: false, [])], environments: .productionThenSandbox)
    for try await _ in stored.client.transactionHistory(of: Self.id, in: .sandbox) {}
    #expect(stored.urls.map { $0.contains("sandbox") } == [true])
  }

  @Test("refunds have pages, too")
  func refunds() async throws {
    let scripted = try ScriptedClient([
      .json(RefundHistoryResponse(signedTransactions: [try Samples.transaction(1)], revision: "r1", hasMore: true)),
      .json(RefundHistoryResponse(signedTransactions: [], revision: "r1b", hasMore: false)),
    ])
    var pages: [TransactionPage] = []
    for try await page in scripted.client.refundHistory(of: Self.id) { pages.append(page) }
    #expect(pages.map(\.transactions.count) == [1, 0])
    #expect(scripted.urls.map { $0.split(separator: "/").last } == ["7", "7?revision=r1"])
  }

  @Test("notifications have pages with the same body, and are verified with their deliveries")
  func notifications() async throws {
    let item = NotificationHistoryItem(
      signedPayload: try Samples.notification(try Samples.renewal()),
      sendAttempts: [SendAttempt(attemptDate: Samples.date, sendAttemptResult: OpenEnum(rawValue: "ECLIPSE"))])
    let scripted = try ScriptedClient([
      .json(NotificationHistoryResponse(notificationHistory: [item], hasMore: true, paginationToken: "p1")),
      .json(NotificationHistoryResponse(notificationHistory: [], hasMore: false)),
    ])
    let request = NotificationHistoryRequest(startDate: Samples.date, endDate: Samples.date.adding(seconds: 1))
    var deliveries: [DeliveredNotification] = []
    for try await page in scripted.client.notificationHistory(request) { deliveries += page.notifications }
    #expect(deliveries.count == 1 && deliveries[0].notification.type == .didRenew)
    #expect(deliveries[0].notification.transaction?.value.transactionID == TransactionID(7))
    #expect(deliveries[0].attempts.map(\.sendAttemptResult.rawValue) == ["ECLIPSE"])
    #expect(Set(scripted.transport.requests.map(\.body)).count == 1)
    #expect(scripted.urls[1].hasSuffix("history?paginationToken=p1"))
    let broken = try ScriptedClient([.json(NotificationHistoryResponse(notificationHistory: [], hasMore: true))])
    let error = try await broken.error { client in for try await _ in client.notificationHistory(request) {} }
    guard case .unreadableAnswer? = error else {
      Issue.record("\(String(describing: error))")
      return
    }
  }
}
