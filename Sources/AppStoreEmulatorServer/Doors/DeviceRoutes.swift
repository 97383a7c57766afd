import AppStoreEmulator
import Foundation
import Hummingbird
import StoreModel

/// `POST /device/v1/NAME`: what OpenStoreKit talks to.
struct DeviceRoutes: Sendable {
  let store: EmulatedAppStore

  func add(to router: Router<BasicRequestContext>) {
    let group = router.group(RouterPath(DeviceDoor.path))
    let store = store
    add(.register, to: group) { (_, registration: InstallationRegistration) in
      try await store.register(registration)
    }
    add(.signIn, to: group) { try await store.signIn($1, on: $0) }
    add(.products, to: group) { try await store.products($1, for: $0) }
    add(.quote, to: group) { try await store.quote($1, for: $0) }
    add(.confirm, to: group) { try await store.confirm($1, for: $0) }
    add(.unfinished, to: group) { (installation, _: DeviceDoor.Nothing) in
      try await store.unfinished(for: installation)
    }
    add(.finish, to: group) { (installation, transaction: TransactionID) in
      try await store.finish(transaction, for: installation)
      return DeviceDoor.Nothing()
    }
  }

  private func add<Content: Codable & Sendable, Answer: Encodable & Sendable>(
    _ verb: DeviceDoor.Verb, to group: RouterGroup<BasicRequestContext>,
    _ answer: @escaping @Sendable (InstallationID, Content) async throws -> Answer
  ) {
    group.post(RouterPath(verb.rawValue)) { request, context in
      let message = try await request.decoded(DeviceDoor.Request<Content>.self)
      do {
        return try Response.json(try await answer(message.installationID, message.content))
      } catch let refusal as StoreRefusal {
        context.logger.info("Refused", metadata: ["verb": "\(verb)", "code": "\(refusal.code)"])
        throw DoorRefusal(Self.status(of: refusal), refusal)
      }
    }
  }

  private static func status(of refusal: StoreRefusal) -> HTTPResponse.Status {
    switch refusal.code {
    case .malformedRequest, .paymentInvalid: .badRequest
    case .signInRequired, .signInRefused: .unauthorized
    case .paymentDeclined: HTTPResponse.Status(code: 402, reasonPhrase: "Payment Required")
    case .unknownApp, .unknownInstallation, .productNotAvailable, .unknownTransaction: .notFound
    case .temporarilyUnavailable: .serviceUnavailable
    default: .conflict
    }
  }
}
