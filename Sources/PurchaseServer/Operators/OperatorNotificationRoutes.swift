import APIDescription
import Hummingbird
import PurchaseLedger
import WebSupport

/// The operators' endpoints for notifications that were received.
struct OperatorNotificationRoutes: Sendable {
  let receiver: NotificationReceiver
  let authentication: OperatorAuthentication

  func add(to router: Router<ServiceContext>) {
    let (ledger, receiver) = (receiver.ledger, receiver)
    router.serve(ServiceEndpoints.notificationsOfApp, for: authentication) { request, _ in
      let query = request.query
      let page = try await ledger.notifications(
        of: request.path.bundleId,
        ReceivedNotificationFilter(state: query.state, type: query.type, from: query.from, until: query.until),
        after: query.after?.key, limit: query.count)
      return NotificationList(notifications: page.elements, next: page.next.map(PageCursor.init))
    }
    router.serve(ServiceEndpoints.notification, for: authentication) { request, _ in
      try await ledger.notification(request.path.uuid, app: request.path.bundleId)
    }
    router.serve(ServiceEndpoints.notificationContents, for: authentication) { request, _ in
      let path = request.path
      guard let payload = try await ledger.signedPayload(ofNotification: path.uuid, app: path.bundleId) else {
        throw ErrorResponse(
          .notFound, "notSetAside",
          "The notification is recorded. Only of a notification that is set aside, the contents are kept.")
      }
      return try NotificationContentsView(signedPayload: payload)
    }
    router.serve(ServiceEndpoints.replayNotification, for: authentication) { request, identity in
      try OperatorReason.check(request.body.reason)
      do {
        return NotificationResultView(
          try await receiver.replay(
            request.path.uuid, of: request.path.bundleId, by: identity.name, reason: request.body.reason,
            request.context.logger))
      } catch let refusal as ProofRefusal {
        throw refusal.notificationResponse
      }
    }
  }
}
