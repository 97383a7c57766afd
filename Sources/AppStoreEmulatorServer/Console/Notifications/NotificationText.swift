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

extension HTML {
  /// A name of Apple's in capitals, such as `DID_CHANGE_RENEWAL_STATUS`. A line that is too short for it ends after an underscore.
  static func constant(_ name: String) -> HTML {
    let parts = name.split(separator: "_", omittingEmptySubsequences: false)
    return "\(parts.enumerated().map { ($0 == 0 ? "\($1)" : "_<wbr>\($1)") as HTML })"
  }
}
