import APIDescription
import Foundation
import HTTPTypes
import Hummingbird
import PurchaseLedger
import WebSupport

/// The operators' endpoints for webhooks, and for reading the messages that webhooks send.
struct OperatorWebhookRoutes: Sendable {
  let ledger: Ledger
  let authentication: OperatorAuthentication
  let exports: CustomerExports
  /// Whether receivers on this machine are accepted, also without TLS.
  let allowsLoopback: Bool

  /// The number of bytes that are sent together.
  private static let pieceBytes = 65_536

  func add(to router: Router<ServiceContext>) {
    addReading(to: router)
    addChanging(to: router)
    addSending(to: router)
  }

  private func addReading(to router: Router<ServiceContext>) {
    let (ledger, authentication, exports) = (ledger, authentication, exports)
    router.serve(ServiceEndpoints.webhooks, for: authentication) { request, _ in
      let page = try await ledger.webhooks(after: request.query.after?.key, limit: request.query.count)
      return WebhookList(webhooks: page.elements.map(WebhookView.init), next: page.next.map(PageCursor.init))
    }
    router.serve(ServiceEndpoints.webhook, for: authentication) { request, _ in
      WebhookView(try await ledger.webhook(request.path.id))
    }
    router.serve(raw: ServiceEndpoints.webhookEvents, for: authentication) { request, _ in
      let query = request.query
      let page = try await ledger.messages(
        after: try query.after.map { try LedgerEventCursor(key: $0.key) }, limit: query.count, app: query.app)
      return exports.stream(
        [.contentType: "application/x-ndjson", .nextCursor: page.next.text], to: request.request, request.context
      ) { send in
        var piece = Data()
        for message in page.messages {
          piece.append(try message.body)
          piece.append(UInt8(ascii: "\n"))
          guard piece.count >= Self.pieceBytes else { continue }
          try await send(piece)
          piece = Data()
        }
        if !piece.isEmpty { try await send(piece) }
      }
    }
  }

  private func addChanging(to router: Router<ServiceContext>) {
    let (ledger, authentication, allowsLoopback) = (ledger, authentication, allowsLoopback)
    router.serve(ServiceEndpoints.createWebhook, for: authentication) { request, identity in
      let body = request.body
      try OperatorReason.check(body.reason)
      try Self.check(body.url, allowsLoopback)
      let made = try await ledger.createWebhook(
        body.settings, after: try body.after.map { try LedgerEventCursor(key: $0.key) }, by: identity.name,
        reason: body.reason)
      return WebhookWithSecretView(webhook: WebhookView(made.webhook), secret: made.secret.text)
    }
    router.serve(ServiceEndpoints.changeWebhook, for: authentication) { request, identity in
      let body = request.body
      try OperatorReason.check(body.reason)
      if let url = body.url { try Self.check(url, allowsLoopback) }
      let webhook = try await ledger.changeWebhook(
        request.path.id, isEnabled: body.isDisabled.map { !$0 }, by: identity.name, reason: body.reason
      ) { settings in
        settings = body.applied(to: settings)
      }
      return WebhookView(webhook)
    }
    router.serve(ServiceEndpoints.rotateWebhookSecret, for: authentication) { request, identity in
      try OperatorReason.check(request.body.reason)
      let made = try await ledger.rotateWebhookSecret(
        request.path.id, by: identity.name, reason: request.body.reason)
      return WebhookWithSecretView(webhook: WebhookView(made.webhook), secret: made.secret.text)
    }
    router.serve(ServiceEndpoints.removeWebhook, for: authentication) { request, identity in
      try OperatorReason.check(request.query.reason)
      try await ledger.removeWebhook(request.path.id, by: identity.name, reason: request.query.reason)
      return NoContent()
    }
  }

  private func addSending(to router: Router<ServiceContext>) {
    let (ledger, authentication) = (ledger, authentication)
    router.serve(ServiceEndpoints.testWebhook, for: authentication) { request, identity in
      try OperatorReason.check(request.body.reason)
      return WebhookDeliveryView(
        try await ledger.sendTestMessage(to: request.path.id, by: identity.name, reason: request.body.reason))
    }
    router.serve(ServiceEndpoints.webhookDeliveries, for: authentication) { request, _ in
      let query = request.query
      let page = try await ledger.webhookDeliveries(
        of: request.path.id, state: query.state, after: query.after?.key, limit: query.count)
      return WebhookDeliveryList(
        deliveries: page.elements.map(WebhookDeliveryView.init), next: page.next.map(PageCursor.init))
    }
    router.serve(ServiceEndpoints.resendWebhookDelivery, for: authentication) { request, identity in
      try OperatorReason.check(request.body.reason)
      return WebhookDeliveryView(
        try await ledger.resendWebhookDelivery(
          request.path.number, of: request.path.id, by: identity.name, reason: request.body.reason))
    }
  }

  /// Checks the URL of a receiver. Where its name leads is checked at each attempt.
  ///
  /// - Throws: ``ErrorResponse``.
  private static func check(_ url: String, _ allowsLoopback: Bool) throws {
    do {
      _ = try WebhookAddress(url, allowsLoopback: allowsLoopback)
    } catch {
      throw ErrorResponse(.unprocessableContent, "invalid", error.description, member: "url")
    }
  }
}
