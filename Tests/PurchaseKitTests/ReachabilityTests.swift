import Foundation
import OpenStoreKit
import PurchaseKit
import StoreModel
import Testing

@Suite("Prices when the network fails and returns", .timeLimit(.minutes(30)))
struct ReachabilityTests {
  private let outcomes: [Notification.Name] = [
    .InAppPurchaseManagerProductsFetchedNotification, .InAppPurchaseManagerRequestFailedNotification,
  ]

  @Test("A5 A6 B8 a request fails, buttons show Network down?; the network returns, and they are enabled")
  func outage() async throws {
    let shop = try await TestShop()
    let log = NotificationLog(shop.notifications, outcomes[0], outcomes[1])
    shop.manager.start()
    #expect(shop.manager.purchaseButton(for: TestShop.five) == .loading)
    shop.network.isUp = false
    shop.manager.requestProductData([TestShop.five, "com.example.nothing"])
    let failed = try #require(await log.next())
    #expect(failed.name == .InAppPurchaseManagerRequestFailedNotification)
    #expect((failed.error as NSError?)?.domain == NSURLErrorDomain)
    #expect(shop.manager.purchaseButton(for: TestShop.five) == .networkDown)
    // A product that was not requested is not affected.
    #expect(shop.manager.purchaseButton(for: TestShop.ten) == .loading)

    #expect(await shop.reachability.nextWait() == 1)
    shop.network.isUp = true
    #expect(shop.requests.all.count == 1)
    shop.reachability.release()
    #expect(await log.next()?.name == .InAppPurchaseManagerProductsFetchedNotification)
    #expect(shop.manager.purchaseButton(for: TestShop.five) == .price("$0.99"))
    #expect(shop.manager.purchaseButton(for: "com.example.nothing") == .invalidProduct)
    #expect(shop.requests.all == Array(repeating: [TestShop.five, "com.example.nothing"], count: 2))
    #expect(shop.reachability.count == 0)
  }

  @Test("A6 failed requests share one retry, which requests all their products at once")
  func oneLine() async throws {
    let shop = try await TestShop()
    shop.manager.start()
    shop.network.isUp = false
    for product in [TestShop.five, TestShop.ten, TestShop.unknown] {
      await #expect(throws: (any Error).self) { try await shop.manager.products([product]) }
    }
    #expect(await shop.reachability.nextWait() == 1)
    #expect(shop.reachability.count == 1)
    #expect(shop.requests.all.count == 3)
    let fetched = NotificationLog(shop.notifications, .InAppPurchaseManagerProductsFetchedNotification)
    shop.network.isUp = true
    shop.reachability.release()
    _ = await fetched.next()
    #expect(shop.requests.all.last == [TestShop.five, TestShop.ten, TestShop.unknown])
    #expect(shop.requests.all.count == 4)
    #expect(shop.manager.unansweredProductIdentifiers.isEmpty)
  }

  @Test("A6 it continues after a hundred failures, sends one request per wait, and reports the failure once")
  func manyFailures() async throws {
    let shop = try await TestShop()
    let log = NotificationLog(shop.notifications, outcomes[0], outcomes[1])
    shop.manager.start()
    shop.network.isUp = false
    shop.manager.requestProductData([TestShop.five])
    for failures in 1...100 {
      #expect(await shop.reachability.nextWait() == failures)
      #expect(shop.requests.all.count == failures)
      shop.reachability.release()
    }
    #expect(await shop.reachability.nextWait() == 101)
    shop.network.isUp = true
    shop.reachability.release()
    #expect(await log.next()?.name == .InAppPurchaseManagerRequestFailedNotification)
    #expect(await log.next()?.name == .InAppPurchaseManagerProductsFetchedNotification)
    #expect(shop.requests.all.count == 102)
  }

  @Test("A6 a request of the app replaces the wait")
  func takeOver() async throws {
    let shop = try await TestShop()
    shop.manager.start()
    shop.network.isUp = false
    await #expect(throws: (any Error).self) { try await shop.manager.products([TestShop.five]) }
    _ = await shop.reachability.nextWait()
    shop.network.isUp = true
    try await shop.manager.products([TestShop.five])
    await shop.reachability.nextEnd()
    #expect(shop.reachability.count == 0)
    #expect(shop.requests.all.count == 2)
    #expect(shop.manager.purchaseButton(for: TestShop.five).isEnabled)
  }

  @Test("A6 stop ends the retries, and start resumes them")
  func stopAndStart() async throws {
    let shop = try await TestShop()
    shop.network.isUp = false
    await #expect(throws: (any Error).self) { try await shop.manager.products([TestShop.five]) }
    #expect(shop.reachability.count == 0)
    shop.manager.start()
    #expect(await shop.reachability.nextWait() == 1)
    shop.manager.stop()
    await shop.reachability.nextEnd()
    #expect(shop.reachability.count == 0)
    #expect(shop.requests.all.count == 1)
    shop.network.isUp = true
    let fetched = NotificationLog(shop.notifications, .InAppPurchaseManagerProductsFetchedNotification)
    shop.manager.start()
    #expect(await shop.reachability.nextWait() == 1)
    shop.reachability.release()
    _ = await fetched.next()
    #expect(shop.manager.purchaseButton(for: TestShop.five).isEnabled)
  }

  @Test("A6 stop cancels a retry's request, and reports nothing about it")
  func stopWhileAsking() async throws {
    let hanging = HangingRequests()
    let shop = try await TestShop()
    let log = NotificationLog(shop.notifications, outcomes[0], outcomes[1])
    let manager = hanging.manager(of: shop)
    manager.start()
    manager.requestProductData([TestShop.five])
    await hanging.nextStart()
    hanging.failAll()
    #expect(await log.next()?.name == .InAppPurchaseManagerRequestFailedNotification)
    _ = await shop.reachability.nextWait()
    shop.reachability.release()
    await hanging.nextStart()
    manager.stop()
    await hanging.nextCancel()
    #expect(manager.unansweredProductIdentifiers == [TestShop.five])
    manager.start()
    // The wait begins when the cancelled request has ended.
    _ = await shop.reachability.nextWait()
    manager.stop()
    // An earlier notification would come before this one.
    shop.notifications.post(name: outcomes[0], object: nil, userInfo: ["last": true])
    #expect(await log.next()?.userInfo["last"] as? Bool == true)
  }

  @Test("A6 a request that the app cancels is not reported, and its products are requested again")
  func cancelled() async throws {
    let hanging = HangingRequests()
    let shop = try await TestShop()
    let manager = hanging.manager(of: shop)
    manager.start()
    manager.requestProductData([TestShop.five])
    await hanging.nextStart()
    let log = NotificationLog(shop.notifications, outcomes[0], outcomes[1])
    hanging.failAll()
    // The wait may begin before the notification is posted.
    #expect(await log.next()?.name == .InAppPurchaseManagerRequestFailedNotification)
    #expect(await shop.reachability.nextWait() == 1)
    let request = Task { try await manager.products([TestShop.five, TestShop.ten]) }
    await hanging.nextStart()
    await shop.reachability.nextEnd()
    request.cancel()
    await #expect(throws: CancellationError.self) { try await request.value }
    #expect(await shop.reachability.nextWait() != nil)
    #expect(manager.unansweredProductIdentifiers == [TestShop.five])
    shop.notifications.post(name: outcomes[0], object: nil, userInfo: ["last": true])
    #expect(await log.next()?.userInfo["last"] as? Bool == true)
    manager.stop()
  }

  @Test("A7 prices that are known or requested already are not requested again when a screen appears")
  func pricesOnce() async throws {
    let shop = try await TestShop()
    let fetched = NotificationLog(shop.notifications, .InAppPurchaseManagerProductsFetchedNotification)
    #expect(shop.manager.requestMissingProductData([TestShop.five]) == [TestShop.five])
    #expect(shop.manager.requestMissingProductData([TestShop.five, TestShop.ten]) == [TestShop.ten])
    _ = await fetched.next()
    _ = await fetched.next()
    #expect(shop.manager.requestMissingProductData([TestShop.five, TestShop.ten]).isEmpty)
    #expect(Set(shop.requests.all) == [[TestShop.five], [TestShop.ten]])
    // A product that the store does not know is requested again, because the store may have it later.
    #expect(shop.manager.requestMissingProductData(["com.example.nothing"]) == ["com.example.nothing"])
    _ = await fetched.next()
    #expect(shop.manager.requestMissingProductData(["com.example.nothing"]) == ["com.example.nothing"])
    _ = await fetched.next()
  }

  @Test("A6 the default waits 1, 2, 4 … 30 seconds")
  func pauses() {
    let pauses = [Int.min, 0, 1, 2, 3, 4, 5, 6, 7, 1000, Int.max]
      .map(RetryPauses.upToHalfAMinute.pause(afterFailures:))
    #expect(pauses == [1, 1, 1, 2, 4, 8, 16, 30, 30, 30, 30].map(Duration.seconds))
  }
}

/// Creates product requests that end when the test says so.
private final class HangingRequests: Sendable {
  private let starts = AsyncStream.makeStream(of: Void.self)
  private let cancels = AsyncStream.makeStream(of: Void.self)
  private let open = LockedValue<[Request]>([])

  func manager(of shop: TestShop) -> InAppPurchaseManager {
    InAppPurchaseManager(
      deliveries: [], queue: shop.device.paymentQueue, notifications: shop.notifications,
      makeProductsRequest: { _ in
        let request = Request()
        request.owner = self
        return request
      }, retry: shop.reachability)
  }

  func nextStart() async { _ = await starts.stream.first { _ in true } }
  func nextCancel() async { _ = await cancels.stream.first { _ in true } }

  func failAll() {
    let requests = open.withLock { open in
      defer { open = [] }
      return open
    }
    for request in requests {
      request.delegate?.request(request, didFailWithError: URLError(.notConnectedToInternet))
    }
  }

  private final class Request: SKProductsRequest, @unchecked Sendable {
    var owner: HangingRequests?

    override func start() {
      owner?.open.withLock { $0.append(self) }
      owner?.starts.continuation.yield()
    }

    override func cancel() { owner?.cancels.continuation.yield() }
  }
}
