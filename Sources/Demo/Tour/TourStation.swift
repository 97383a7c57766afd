import SampleApp

/// A station of the guided tour: instructions for the user, and the goals by which the demo detects that the user has
/// followed them.
struct TourStation: Sendable {
  let title: String
  /// The ids of the requirements that it shows.
  let requirements: [String]
  /// The instructions, one for each step.
  let instructions: [String]
  /// A short explanation of what the station shows.
  let lesson: String
  /// The events that must happen, in this order. Other events may happen between them.
  let goals: [TourGoal]
  /// What the player does at this station; nil if only the user can follow the instructions.
  var play: TourPlay?
}

/// An event that a station of the tour waits for.
struct TourGoal: Sendable {
  /// Whether an event meets the goal.
  let fits: @Sendable (DemoEvent) -> Bool

  /// A goal that is met by a step on a device.
  ///
  /// - Parameters:
  ///   - products: the step concerns one of these products; nil for any.
  ///   - device: the step happens on this device; nil for any.
  ///   - detail: the step has exactly this text; nil for any.
  static func step(
    _ step: PurchaseStep, of products: Set<String>? = nil, on device: String? = nil, withDetail detail: String? = nil
  ) -> TourGoal {
    TourGoal { event in
      guard case .step(let place, let report) = event, report.step == step else { return false }
      guard detail == nil || detail == report.detail else { return false }
      return (device ?? place) == place && products.map { $0.contains(report.product ?? "") } ?? true
    }
  }

  /// A goal that is met by a granted purchase, and by one that failed.
  static let purchaseEnded = TourGoal { event in
    guard case .step(_, let report) = event else { return false }
    return report.step == .granted || report.step == .failed
  }

  /// A goal that is met by a purchase with a quantity above 1.
  static let severalSold = TourGoal { event in
    guard case .sold(let quantity) = event else { return false }
    return quantity > 1
  }

  /// A goal that is met by any refund.
  static let refunded = TourGoal { $0 == .refunded }

  /// A goal that is met when the developer's server has received a notification.
  ///
  /// - Parameters:
  ///   - type: the notification's type, such as `REFUND`.
  ///   - products: it is about one of these products.
  static func notified(_ type: String, of products: Set<String>) -> TourGoal {
    TourGoal { event in
      guard case .notified(type, let product?) = event else { return false }
      return products.contains(product)
    }
  }
}
