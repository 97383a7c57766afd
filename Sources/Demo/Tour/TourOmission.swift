/// A requirement that the tour does not show, and the reason.
struct TourOmission: Sendable {
  let requirement: String
  let reason: String

  static let all = [
    TourOmission(
      requirement: "B8",
      reason:
        "The notifications and classes are internal to the app. At each step of the tour, the app's screens are updated by these notifications."
    ),
    TourOmission(
      requirement: "E3",
      reason:
        "If there is nothing to restore, there is no step that the tour could detect. The app shows: “There is nothing to restore.”"
    ),
  ]
}
