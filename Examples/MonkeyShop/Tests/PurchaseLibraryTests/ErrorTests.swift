import PurchaseLibrary
import StoreKit
import XCTest

final class ErrorTests: XCTestCase {
  func testEveryCodeHasAMeaning() {
    let expected: [SKError.Code: PurchaseError] = [
      .paymentCancelled: .cancelled, .paymentNotAllowed: .notAllowed, .paymentInvalid: .invalid,
      .storeProductNotAvailable: .productNotAvailable, .ineligibleForOffer: .offer,
      .cloudServiceNetworkConnectionFailed: .network,
      .unsupportedPlatform: .store(domain: SKErrorDomain, code: 19),
    ]
    for (code, meaning) in expected {
      XCTAssertEqual(PurchaseError(SKError(code)), meaning)
      XCTAssertEqual(PurchaseError(NSError(domain: SKErrorDomain, code: code.rawValue)), meaning)
    }
  }

  func testTheErrorBehindAnErrorIsFound() {
    let subscribed = NSError(domain: "ASDServerErrorDomain", code: 3532)
    let error = SKError(.unknown, userInfo: [NSUnderlyingErrorKey: subscribed])
    XCTAssertEqual(PurchaseError(error), .store(domain: "ASDServerErrorDomain", code: 3532))
    XCTAssertEqual(
      PurchaseError(NSError(domain: SKErrorDomain, code: 907)), .store(domain: SKErrorDomain, code: 907))
    XCTAssertEqual(
      PurchaseError(NSError(domain: "SSServerErrorDomain", code: 5020)),
      .store(domain: "SSServerErrorDomain", code: 5020))
  }

  func testErrorsAreCaughtByPattern() {
    XCTAssertEqual(caught(SKError(.paymentCancelled)), "cancelled")
    XCTAssertEqual(caught(NSError(domain: "SKErrorDomain", code: 2)), "cancelled")
    XCTAssertEqual(caught(SKError(.paymentNotAllowed)), "not allowed")
    XCTAssertEqual(caught(SKError(.clientInvalid)), "SKError 1")
    XCTAssertEqual(caught(URLError(.timedOut)), "network")
    XCTAssertEqual(caught(NSError(domain: "SSErrorDomain", code: 110)), "SSErrorDomain 110")
  }

  func testWordsAreTheLibrarysOwn() {
    let error: Error = SKError(.paymentInvalid)
    XCTAssertEqual((error as? LocalizedError)?.errorDescription, "SKError 3")
    let worded: Error = SKError(
      _nsError: NSError(domain: SKErrorDomain, code: 0, userInfo: [NSLocalizedDescriptionKey: "W"]))
    XCTAssertEqual((worded as? LocalizedError)?.errorDescription, "W")
  }

  func testErrorsAreKeys() {
    XCTAssertEqual(Set([SKError(.unknown), SKError(.unknown), SKError(.paymentInvalid)]).count, 2)
    XCTAssertEqual([SKError(.unknown): 1][SKError(.unknown)], 1)
    XCTAssertEqual([SKError.Code.unknown: 1][SKError.unknown], 1)
  }

  private func caught(_ error: Error) -> String {
    do {
      throw error
    } catch SKError.paymentCancelled {
      return "cancelled"
    } catch let error as SKError where error.code == .paymentNotAllowed {
      return "not allowed"
    } catch let error as SKError {
      return "SKError \(error.errorCode)"
    } catch is URLError {
      return "network"
    } catch let error as NSError {
      return "\(error.domain) \(error.code)"
    }
  }
}
