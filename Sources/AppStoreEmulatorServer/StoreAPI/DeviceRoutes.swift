import AppStoreEmulator
import Foundation
import Hummingbird
import StoreModel
import WebSupport

/// The routes of the device API, `POST /device/v1/NAME`, which OpenStoreKit calls. ``DeviceAPI`` has the calls.
struct DeviceRoutes: Sendable {
  let store: EmulatedAppStore

  func add(to router: Router<EmulatorRequestContext>) {
    let group = router.group(RouterPath(DeviceAPI.path))
    for call in DeviceAPI.calls { add(call, to: group) }
  }

  private func add<Call: StoreCall>(_ call: Call.Type, to group: RouterGroup<EmulatorRequestContext>) {
    group.post(RouterPath(call.verb.rawValue)) { [store] request, context in
      let message = try await request.decoded(
        DeviceAPI.Request<Call>.self, upTo: call.hasLongRequest ? BodyLimit.list : BodyLimit.form)
      return try await context.response {
        try await store.send(message.call, for: message.installationID, caller: context.caller)
      } sending: { result in
        do {
          return try Response.json(try result.get())
        } catch let refusal as StoreRefusal {
          context.logger.info("Refused", metadata: ["verb": "\(call.verb)", "code": "\(refusal.code)"])
          throw ErrorResponse(Self.status(of: refusal), refusal)
        }
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
