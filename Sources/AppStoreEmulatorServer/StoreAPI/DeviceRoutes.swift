import AppStoreEmulator
import Foundation
import Hummingbird
import StoreModel
import WebSupport

/// The routes of the device API, `POST /device/v1/NAME`, which OpenStoreKit calls.
struct DeviceRoutes: Sendable {
  let store: EmulatedAppStore

  func add(to router: Router<EmulatorRequestContext>) {
    let group = router.group(RouterPath(DeviceAPI.path))
    add(RegisterCall.self, to: group)
    add(SignInCall.self, to: group)
    add(SignOutCall.self, to: group)
    add(ProductsCall.self, to: group)
    add(QuoteCall.self, to: group)
    add(ConfirmCall.self, to: group)
    add(UnfinishedCall.self, to: group)
    add(FinishCall.self, to: group)
    add(RestoreCall.self, to: group)
    add(RefreshReceiptCall.self, to: group)
    add(ChangesCall.self, to: group)
    add(SubscriptionsCall.self, to: group)
    add(ChangeSubscriptionCall.self, to: group)
  }

  private func add<Call: StoreCall>(_ call: Call.Type, to group: RouterGroup<EmulatorRequestContext>) {
    let store = store
    group.post(RouterPath(call.verb.rawValue)) { request, context in
      let message = try await request.decoded(
        DeviceAPI.Request<Call>.self, upTo: call.verb == .products ? BodyLimit.list : BodyLimit.form)
      do {
        return try Response.json(
          try await store.send(message.call, for: message.installationID, caller: context.caller))
      } catch let refusal as StoreRefusal {
        context.logger.info("Refused", metadata: ["verb": "\(call.verb)", "code": "\(refusal.code)"])
        throw ErrorResponse(Self.status(of: refusal), refusal)
      }
    }
  }

  private static func status(of refusal: StoreRefusal) -> HTTPResponse.Status {
    switch refusal.code {
    case .malformedRequest, .paymentInvalid: .badRequest
    case .signInRequired, .signInRefused: .unauthorized
    case .paymentNotAllowed: .forbidden
    case .paymentDeclined: HTTPResponse.Status(code: 402, reasonPhrase: "Payment Required")
    case .unknownApp, .unknownInstallation, .productNotAvailable, .unknownTransaction: .notFound
    case .temporarilyUnavailable: .serviceUnavailable
    default: .conflict
    }
  }
}
