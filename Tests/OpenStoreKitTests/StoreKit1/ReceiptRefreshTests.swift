import AppStoreEmulator
import Foundation
import StoreModel
import Testing

@testable import OpenStoreKit

@Suite("SKReceiptRefreshRequest", .timeLimit(.minutes(30)))
struct ReceiptRefreshTests {
  @Test("B2 a refresh has the customer sign in, and brings a receipt where nothing was bought yet")
  func first() async throws {
    let test = try await TestStore()
    let customer = ScriptedCustomer()
    let device = try test.device(customer: customer)
    let properties: [String: Any] = [SKReceiptPropertyIsExpired: true, SKReceiptPropertyIsRevoked: NSNumber(0)]
    let request = SKReceiptRefreshRequest(receiptProperties: properties, device: device)
    #expect(request.receiptProperties?.keys.sorted() == properties.keys.sorted())
    #expect(!FileManager.default.fileExists(atPath: device.receiptURL.path))
    #expect(await RefreshAnswer.of(request) == nil)
    #expect(customer.askedToSignIn == [.notSignedIn])
    #expect(try await listed(device.receiptURL, in: test.store) == [])
    // The customer is signed in now, and is not asked again.
    #expect(await RefreshAnswer.of(SKReceiptRefreshRequest(device: device)) == nil)
    #expect(customer.askedToSignIn.count == 1)
  }

  @Test("a consumable is in the receipt until it was finished and the receipt refreshed, also at the next launch")
  func consumable() async throws {
    let test = try await TestStore()
    let folder = TemporaryFolder()
    let connection = ScriptedConnection(test.store)
    var device = try test.device(through: connection, storage: .directory(folder.url))
    let observer = RecordingObserver()
    device.paymentQueue.add(observer)
    device.paymentQueue.add(.of(TestStore.five))
    let paid = try await observer.next(.purchased)
    #expect(try await listed(device.receiptURL, in: test.store) == [TestStore.five])
    device.paymentQueue.finishTransaction(paid)
    await connection.nextFinish()
    #expect(try await listed(device.receiptURL, in: test.store) == [TestStore.five])
    #expect(await RefreshAnswer.of(SKReceiptRefreshRequest(device: device)) == nil)
    #expect(try await listed(device.receiptURL, in: test.store) == [])

    try await device.close()
    try FileManager.default.removeItem(at: device.receiptURL)
    device = try test.device(storage: .directory(folder.url))
    #expect(try await listed(device.receiptURL, in: test.store) == [])
  }

  @Test("C1 a customer who will not sign in fails the refresh with paymentCancelled, and there is no receipt")
  func cancelledSignIn() async throws {
    let test = try await TestStore()
    let device = try test.device(customer: ScriptedCustomer(signIns: [.cancel]))
    let error = try #require(await RefreshAnswer.of(SKReceiptRefreshRequest(device: device)))
    #expect((error as? SKError)?.code == .paymentCancelled)
    #expect(!FileManager.default.fileExists(atPath: device.receiptURL.path))
  }

  @Test("C2 a store that cannot be reached fails the refresh in NSURLErrorDomain")
  func unreachable() async throws {
    let test = try await TestStore()
    let connection = ScriptedConnection(test.store)
    let device = try test.device(through: connection)
    #expect(await RefreshAnswer.of(SKReceiptRefreshRequest(device: device)) == nil)
    connection.script(.refreshReceipt, .unreachable, .answerLost)
    for code in [URLError.Code.cannotConnectToHost, .networkConnectionLost] {
      let error = try #require(await RefreshAnswer.of(SKReceiptRefreshRequest(device: device))) as NSError
      #expect(error.domain == NSURLErrorDomain)
      #expect(error.code == code.rawValue)
    }
  }

  @Test("a receipt that is not this store's for this device is refused, and the one from before stays")
  func forged() async throws {
    let test = try await TestStore()
    let forger = ReceiptForger(test.store)
    let device = try test.device(through: forger)
    #expect(await RefreshAnswer.of(SKReceiptRefreshRequest(device: device)) == nil)
    let genuine = try Data(contentsOf: device.receiptURL)
    let other = try test.device()
    #expect(await RefreshAnswer.of(SKReceiptRefreshRequest(device: other)) == nil)
    forger.substitute(try Data(contentsOf: other.receiptURL))
    #expect(await RefreshAnswer.of(SKReceiptRefreshRequest(device: device)) != nil)
    #expect(try Data(contentsOf: device.receiptURL) == genuine)
  }

  @Test("a cancelled refresh calls no delegate, and a restarted one calls it once")
  func cancelled() async throws {
    let test = try await TestStore()
    let device = try test.device()
    let request = SKReceiptRefreshRequest(device: device)
    let answer = RefreshAnswer()
    request.delegate = answer
    request.start()
    request.cancel()
    request.start()
    request.start()
    #expect(await answer.next() == nil)
    // A late answer to an earlier start would come before the answer to this request.
    let marker = SKReceiptRefreshRequest(device: device)
    marker.delegate = answer
    marker.start()
    #expect(await answer.next() == nil)
    #expect(answer.requests == [request, marker])
  }

  @Test("B2 of two receipts the later made is kept, also where the earlier arrives last, and at the next launch")
  func overtaken() async throws {
    let clock = ManualClock(StoreDate(millisecondsSince1970: 1_790_000_000_000))
    let test = try await TestStore(clock: clock)
    let (forger, folder) = (ReceiptForger(test.store), TemporaryFolder())
    var device = try test.device(through: forger, storage: .directory(folder.url))
    #expect(await RefreshAnswer.of(SKReceiptRefreshRequest(device: device)) == nil)
    let earlier = try Data(contentsOf: device.receiptURL)
    clock.advance(seconds: 1)
    #expect(await RefreshAnswer.of(SKReceiptRefreshRequest(device: device)) == nil)
    let later = try Data(contentsOf: device.receiptURL)
    #expect(earlier != later)
    forger.substitute(earlier)
    #expect(await RefreshAnswer.of(SKReceiptRefreshRequest(device: device)) == nil)
    #expect(try Data(contentsOf: device.receiptURL) == later)
    try await device.close()
    device = try test.device(through: forger, storage: .directory(folder.url))
    #expect(try Data(contentsOf: device.receiptURL) == later)
    try await device.close()
  }

  /// Returns the product identifiers that `verifyReceipt` lists for the receipt in `file`.
  private func listed(_ file: URL, in store: EmulatedAppStore) async throws -> [String] {
    let receipt = try Data(contentsOf: file).base64EncodedString()
    let response = try await store.verifyReceipt(JSONEncoder().encode(["receipt-data": receipt]), at: .sandbox)
    #expect(response.status == .valid)
    let answer = try JSONDecoder().decode(VerifiedReceipt.self, from: response.body)
    return answer.receipt.purchases.map(\.productIdentifier)
  }
}

private struct VerifiedReceipt: Decodable {
  let receipt: Receipt

  struct Receipt: Decodable {
    let purchases: [Purchase]

    enum CodingKeys: String, CodingKey { case purchases = "in_app" }
  }

  struct Purchase: Decodable {
    let productIdentifier: String

    enum CodingKeys: String, CodingKey { case productIdentifier = "product_id" }
  }
}

/// Waits for the end of a request.
private final class RefreshAnswer: NSObject, SKRequestDelegate, @unchecked Sendable {
  private let reported = AsyncStream.makeStream(of: (any Error)?.self)
  private(set) var requests: [SKRequest] = []

  static func of(_ request: SKRequest) async -> (any Error)? {
    let answer = RefreshAnswer()
    defer { withExtendedLifetime(answer) {} }
    request.delegate = answer
    request.start()
    return await answer.next()
  }

  func next() async -> (any Error)? {
    for await error in reported.stream { return error }
    return CancellationError()
  }

  func requestDidFinish(_ request: SKRequest) { end(request, nil) }
  func request(_ request: SKRequest, didFailWithError error: any Error) { end(request, error) }

  private func end(_ request: SKRequest, _ error: (any Error)?) {
    dispatchPrecondition(condition: .onQueue(.main))
    requests.append(request)
    reported.continuation.yield(error)
  }
}

/// A connection that can replace the store's receipts by another one.
private final class ReceiptForger: AppStoreConnection {
  private let forgery = LockedValue<Data?>(nil)
  private let base: any AppStoreConnection

  init(_ base: any AppStoreConnection) { self.base = base }

  func substitute(_ receipt: Data) { forgery.value = receipt }

  func send<Call: StoreCall>(_ call: Call, for installation: InstallationID) async throws -> Call.Answer {
    let answer = try await base.send(call, for: installation)
    guard let forgery = forgery.value, answer is RefreshReceiptCall.Answer else { return answer }
    return RefreshReceiptCall.Answer(receipt: forgery) as? Call.Answer ?? answer
  }
}
