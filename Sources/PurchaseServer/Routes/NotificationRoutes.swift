import AppStoreServerAPI
import Foundation
import HTTPTypes
import Hummingbird
import PurchaseLedger
import SignedData
import StoreModel
import WebSupport

/// The endpoint to which the App Store posts notifications.
struct NotificationRoutes: Sendable {
  let receiver: NotificationReceiver
  let allowance: NotificationAllowance

  /// The maximum size of a body, in bytes. Apple's notifications have about 12 KiB.
  private static let bodyLimit = 64 << 10

  func add(to router: Router<ServiceContext>) {
    let allowance = allowance
    router.serve(raw: ServiceEndpoints.receiveNotification) { request, context in
      do {
        let outcome = try await outcome(of: request, context)
        if outcome == .known { allowance.charge(context.caller) }
        return try ServiceEndpoints.receiveNotification.response(with: NotificationResultView(outcome))
      } catch let failure as RequestBodyFailure {
        allowance.charge(context.caller)
        throw failure
      } catch {
        guard let refusal = Self.refusal(error) else { throw error }
        if refusal.status.kind == .clientError { allowance.charge(context.caller) }
        throw refusal
      }
    }
  }

  private func outcome(of request: Request, _ context: ServiceContext) async throws -> NotificationOutcome {
    let app = BundleID(try context.pathParameter("bundleId"))
    try receiver.ledger.check(app)
    let body = Data(buffer: try await request.collectedBody(upTo: Self.bodyLimit))
    return try await receiver.receive(try Self.signedPayload(in: body), of: app, from: .sent, context.logger)
  }

  /// Reads the body. Members that are not known are ignored, because Apple may add some.
  private static func signedPayload(in body: Data) throws(ErrorResponse) -> String {
    do {
      _ = try JSONBody.document(in: body)
      return try JSONDecoder().decode(SignedNotification.self, from: body).signedPayload
    } catch {
      throw ErrorResponse(
        .badRequest, "malformedRequest", "The body is not a notification: {\"signedPayload\": \"…\"}.")
    }
  }

  /// The response to a failed request; nil if the cause is not the request.
  private static func refusal(_ error: any Error) -> ErrorResponse? {
    switch error {
    case let refusal as ErrorResponse: refusal
    case let refusal as ProofRefusal: refusal.notificationResponse
    case let error as LedgerError: error.errorResponse
    default: nil
    }
  }
}
