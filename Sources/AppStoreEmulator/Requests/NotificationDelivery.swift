/// How one attempt to send a notification is made. The policy and the faults change it.
struct NotificationDelivery: Hashable, Sendable {
  /// How often it is sent: once, twice, or not at all although the store takes it as sent.
  var copies = 1
  /// A wait before it is sent, in milliseconds of the machine's time.
  var delayMilliseconds = 0
  /// Whether only the first half of its body is sent.
  var isTruncated = false
  /// Whether it waits until a later notification was sent to the same server.
  var isOvertaken = false
}
