import AppStoreEmulator
import Foundation
import StoreModel
import Testing

@testable import OpenStoreKit

/// Documentation/storekit2.md: nothing is sent for StoreKit 2 before an app uses it.
@Suite("The requests of an app of StoreKit 1", .timeLimit(.minutes(10)))
struct StoreKit1RequestTests {
  /// A connection that notes the calls of a device: the name and the JSON of each.
  private final class NotedCalls: AppStoreConnection {
    private let base: any AppStoreConnection
    private let noted = LockedValue<[String]>([])

    init(_ base: any AppStoreConnection) { self.base = base }

    var texts: [String] { noted.value }

    func send<Call: StoreCall>(_ call: Call, for installation: InstallationID) async throws -> Call.Answer {
      let text = String(decoding: try DeviceAPI.encoder().encode(call), as: UTF8.self)
      noted.withLock { $0.append("\(Call.verb.rawValue) \(text)") }
      return try await base.send(call, for: installation)
    }
  }

  @Test("B4 a purchase, a finish, a restore and the taking in of changes send no calls and no members of StoreKit 2")
  func members() async throws {
    let test = try await TestStore.lasting()
    let calls = NotedCalls(test.store)
    let device = try test.device(through: calls)
    let observer = RecordingObserver(finishesEverything: true)
    device.paymentQueue.add(observer)
    device.paymentQueue.add(.of(TestStore.sepia))
    _ = try await observer.next(.purchased)
    while try await test.store.transactions().contains(where: { $0.finishedDate == nil }) { await Task.yield() }
    device.paymentQueue.restoreCompletedTransactions()
    _ = try await observer.next(.restored)
    try await device.takeInTransactions()
    while !calls.texts.contains(where: { $0.hasPrefix("changes ") }) { await Task.yield() }
    let texts = calls.texts
    let verbs = Set(texts.map { String($0.prefix { $0 != " " }) })
    #expect(verbs.isSuperset(of: ["quote", "confirm", "finish", "restore", "changes", "transactions"]), "\(verbs)")
    #expect(verbs.isDisjoint(with: ["appTransaction", "requestRefund"]))
    for member in ["introductoryEligibility", "compactJWS", "withStatuses", "follows", "groupID"] {
      #expect(!texts.contains { $0.contains("\"\(member)\"") }, "\(member)")
    }
    let quote = try #require(texts.first { $0.hasPrefix("quote ") }).dropFirst("quote ".count)
    let sent = try JSONSerialization.jsonObject(with: Data(quote.utf8)) as? [String: [String: Any]]
    #expect(sent?["payment"].map { Set($0.keys) } == ["paymentID", "productID", "quantity"])
    #expect(try !device.journal.usesStoreKit2())
    #expect(try device.journal.transactions(limit: 9).allSatisfy { $0.announcement == nil })
    #expect(try device.journal.statuses().isEmpty)
  }
}
