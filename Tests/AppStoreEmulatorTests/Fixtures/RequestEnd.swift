import Foundation
import StoreModel

@testable import AppStoreEmulator

/// How a request ended, for whoever sent it.
enum RequestEnd: Equatable {
  case answered
  case refused(StoreRefusal.Code)
  case noAnswer
  case unreachable
  case serverError(Int)
  case cancelled
}

/// How the request that `body` makes ends. Other errors pass through.
func end(of body: () async throws -> Void) async throws -> RequestEnd {
  do {
    try await body()
    return .answered
  } catch let refusal as StoreRefusal {
    return .refused(refusal.code)
  } catch StoreConnectionFailure.noAnswer {
    return .noAnswer
  } catch StoreConnectionFailure.unreachable {
    return .unreachable
  } catch let failure as VerifyReceiptServerError {
    return .serverError(failure.httpStatus)
  } catch is CancellationError {
    return .cancelled
  }
}

/// A caller that leaves when the test says so.
final class LeavingCaller: StoreCaller {
  private let leaving = AsyncStream.makeStream(of: Void.self)

  func leave() { leaving.continuation.finish() }
  func untilGone() async { for await _ in leaving.stream {} }
}

extension TeaShop {
  /// How a purchase ends.
  func endOfPurchase(
    _ product: ProductID = TeaShop.oolong, as payment: PaymentID = "payment 1", on phone: Phone
  ) async throws -> RequestEnd {
    try await end { try await buy(product, as: payment, on: phone) }
  }
}
