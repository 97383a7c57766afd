import AppStoreEmulator
import WebSupport

extension StoredNotification {
  /// The state as a badge.
  var stateBadge: HTML { "<span class=\"badge \(Self.style(state))\">\(Self.title(state))</span>" }

  static func title(_ state: State) -> String {
    switch state {
    case .waiting: "waiting"
    case .sent: "delivered"
    case .failed: "failed"
    }
  }

  private static func style(_ state: State) -> String {
    switch state {
    case .waiting: "badge-wait"
    case .sent: "badge-good"
    case .failed: "badge-bad"
    }
  }
}

extension NotificationAttempt {
  /// The result, such as `SUCCESS`, and the HTTP status.
  var resultText: HTML {
    let status: HTML = httpStatus.map { "<span class=\"sub\">HTTP \($0)</span>" } ?? ""
    return "<span class=\"mono small\">\(HTML.constant(result.rawValue))</span>\(status)"
  }
}
