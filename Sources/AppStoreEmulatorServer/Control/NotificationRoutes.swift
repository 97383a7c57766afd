import AppStoreEmulator
import ControlAPI
import Hummingbird
import WebSupport

/// The routes of server notifications.
struct NotificationRoutes: Sendable {
  let store: EmulatedAppStore

  func add(to control: some RouterMethods<BasicRequestContext>) {
    let store = store
    control.serve(ControlEndpoints.notificationURLs) { input in
      NotificationURLsView(try await store.notificationURLs(of: input.path.bundleId))
    }
    control.serve(ControlEndpoints.setNotificationURLs) { input in
      let urls = try input.body.urls
      try await store.setNotificationURLs(urls, of: input.path.bundleId)
      return NotificationURLsView(urls)
    }
    control.serve(ControlEndpoints.notifications) { input in
      NotificationListView(try await store.notifications(input.query.filter))
    }
    control.serve(ControlEndpoints.notification) { input in
      NotificationDetailsView(try await store.notification(input.path.uuid))
    }
    control.serve(ControlEndpoints.resendNotification) { input in
      NotificationView(try await store.resendNotification(input.path.uuid))
    }
    control.serve(ControlEndpoints.sendNotification) { input in
      let body = input.body
      return NotificationView(
        try await store.sendNotification(
          body.type, body.subtype, about: body.transactionId, to: body.bundleId, in: body.environment))
    }
    control.serve(ControlEndpoints.notificationPolicy) { _ in NotificationPolicyView(store.notificationPolicy) }
    control.serve(ControlEndpoints.changeNotificationPolicy) { input in
      let body = input.body
      return NotificationPolicyView(try store.changeNotificationPolicy { body.apply(to: &$0) })
    }
    control.serve(ControlEndpoints.settleNotifications) { input in
      NotificationCountsView(
        try await store.settleNotifications(timeoutMilliseconds: input.body.timeoutMilliseconds ?? 30_000))
    }
  }
}
