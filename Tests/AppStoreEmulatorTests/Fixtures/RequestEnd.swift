import Foundation
import StoreModel

@testable import AppStoreEmulator

/// How a request ended, as its sender sees it.
enum RequestEnd: Equatable {
  case answered
  case refused(StoreRefusal.Code)
  case noAnswer
  case unreachable
  case serverError(Int)
  case cancelled
}

/// Returns how the request that `body` makes ends. Rethrows other errors.
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

/// A caller whose connection the test closes.
final class LeavingCaller: StoreCaller {
  private let leaving = AsyncStream.makeStream(of: Void.self)

  func leave() { leaving.continuation.finish() }
  func untilGone() async { for await _ in leaving.stream {} }
}

extension TeaShop {
  /// Buys a product and returns how the purchase ends.
  func endOfPurchase(
    _ product: ProductID = TeaShop.oolong, as payment: PaymentID = "payment 1", on phone: Phone
  ) async throws -> RequestEnd {
    try await end { try await buy(product, as: payment, on: phone) }
  }
}
