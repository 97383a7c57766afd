/// The server does not receive the notification. The attempt fails with `NO_RESPONSE`.
public struct NotificationLostFault: NotificationFault {
  public static let name = "notificationLost"
  public static let summary = "the server does not receive the notification"

  public init() {}

  func change(_ delivery: inout NotificationDelivery) { delivery.copies = 0 }
}

/// The server receives the notification twice, with the same bytes.
public struct NotificationDoubledFault: NotificationFault {
  public static let name = "notificationDoubled"
  public static let summary = "the server receives the notification twice"

  public init() {}

  func change(_ delivery: inout NotificationDelivery) { delivery.copies = 2 }
}

/// The server receives the notification later.
public struct NotificationLateFault: NotificationFault {
  public static let name = "notificationLate"
  public static let summary = "the server receives the notification later"
  public static let members = [
    FaultMember(
      "delayMilliseconds", .milliseconds(atMost: 600_000), "How much later",
      summary: "how much later, of the machine's own time", example: "3 s", isRequired: true)
  ]

  /// The delay in milliseconds of the machine's time, 1 to 600,000.
  public let delayMilliseconds: Int

  public init(delayMilliseconds: Int) { self.delayMilliseconds = delayMilliseconds }

  public var problem: String? {
    (1...600_000).contains(delayMilliseconds)
      ? nil : "delayMilliseconds is a number from 1 to 600000; it is \(delayMilliseconds)."
  }

  func change(_ delivery: inout NotificationDelivery) { delivery.delayMilliseconds += delayMilliseconds }
}

/// The server receives the notification after the next one. If there is no next one, it waits until the fault is removed.
public struct NotificationOutOfOrderFault: NotificationFault {
  public static let name = "notificationOutOfOrder"
  public static let summary = "the server receives the next notification before this one"

  public init() {}

  func change(_ delivery: inout NotificationDelivery) { delivery.isOvertaken = true }
}

/// The server receives only the first half of the notification's body, and the connection's request is complete.
public struct NotificationTruncatedFault: NotificationFault {
  public static let name = "notificationTruncated"
  public static let summary = "the server receives half of the notification"

  public init() {}

  func change(_ delivery: inout NotificationDelivery) { delivery.isTruncated = true }
}

/// A fault that changes how a notification is sent.
protocol NotificationFault: FaultKind {
  func change(_ delivery: inout NotificationDelivery)
}

extension NotificationFault {
  public static var possibleCalls: Set<RequestKind> { [.notification] }

  public func apply<Answer>(to request: FaultedRequest<Answer>) async throws -> Answer {
    try await request.answer { (delivery: inout NotificationDelivery) in change(&delivery) }
  }
}
