import Foundation
import ShopFixtures
import StoreModel
import Testing

@testable import OpenStoreKit

@Suite("Errors are NSErrors", .timeLimit(.minutes(30)))
struct ErrorCastTests {
  @Test("I2 without a configured store, every error that reaches the app is an NSError of StoreKit when cast")
  func unconfigured() async {
    await #expect(processExitsWith: .exitCode(42)) {
      for name in ["OPENSTOREKIT_URL", "OPENSTOREKIT_BUNDLE_ID"] { unsetenv(name) }
      var errors: [NSError] = []
      if let error = await RequestEnd().error(of: SKProductsRequest(productIdentifiers: ["a"])) { errors.append(error) }
      if let error = await RequestEnd().error(of: SKReceiptRefreshRequest()) { errors.append(error) }
      let (observer, restoring) = (RecordingObserver(), RestoreObserver())
      SKPaymentQueue.default().add(observer)
      SKPaymentQueue.default().add(restoring)
      SKPaymentQueue.default().add(SKPayment.of("a"))
      let failed: Any = try await observer.next(.failed).error as Any
      errors.append(failed as! NSError)
      SKPaymentQueue.default().restoreCompletedTransactions()
      let restored = await restoring.end().end
      do {
        try await SKProductStorePromotionController.default().update(promotionOrder: [])
      } catch {
        let any: Any = error
        errors.append(any as! NSError)
      }
      let isReadable = errors.allSatisfy {
        $0.domain == SKErrorDomain && $0.code == 0
          && ($0.userInfo[NSLocalizedFailureReasonErrorKey] as? String)?.contains("OPENSTOREKIT_URL") == true
      }
      exit(errors.count == 4 && isReadable && restored == .failed(domain: SKErrorDomain, code: 0) ? 42 : 1)
    }
  }

  @Test(
    "I2 whatever a request throws, the app receives an NSError with a domain and code of StoreKit",
    arguments: [
      (StoreConnectionFailure.unreachable(reason: "a"), NSURLErrorDomain, NSURLErrorCannotConnectToHost),
      (StoreConnectionFailure.noAnswer(reason: "a"), NSURLErrorDomain, NSURLErrorNetworkConnectionLost),
      (StoreConnectionFailure.unintelligible(reason: "a"), NSURLErrorDomain, NSURLErrorBadServerResponse),
      (URLError(.timedOut), NSURLErrorDomain, NSURLErrorTimedOut),
      (StoreKitDeviceError.storeRootChanged, SKErrorDomain, 0),
      (StoreRefusal(.productNotAvailable, "No."), SKErrorDomain, 5),
      (PaymentFailure.cancelled, SKErrorDomain, 2),
      (SKError(.paymentNotAllowed), SKErrorDomain, 4),
      (CancellationError(), SKErrorDomain, 0),
      (CocoaError(.fileReadNoSuchFile), SKErrorDomain, 0),
    ] as [(any Error, String, Int)])
  func mapped(error: any Error, domain: String, code: Int) throws {
    let received: Any = StoreErrors.appError(for: error)
    let cast = try #require(received as? NSError)
    #expect(cast.domain == domain && cast.code == code)
  }

  @Test("I2 an error of this package goes to NSError and back")
  func bothWays() throws {
    let error = StoreKitDeviceError.invalidSetting(name: "A", value: "b", expected: "c")
    let userInfo: [String: Any] = ["error": error]
    let cast = try #require(userInfo["error"] as? NSError)
    #expect(cast.localizedDescription == error.description)
    #expect((cast as any Error) as? StoreKitDeviceError == error)
    #expect(userInfo["error"] as? StoreKitDeviceError == error)
    #expect((cast as any Error) as? StoreRefusal == nil)
  }
}
