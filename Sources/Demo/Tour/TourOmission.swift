/// A requirement that the tour does not show, and the reason.
struct TourOmission: Sendable {
  let requirement: String
  let reason: String

  static let all = [
    TourOmission(
      requirement: "A1",
      reason:
        "Subscriptions are on the app’s screens Club and Subscriptions. The tour has no station for them yet."
    ),
    TourOmission(
      requirement: "B8",
      reason:
        "The notifications and classes are internal to the app. At each station, its screens are updated by these notifications."
    ),
    TourOmission(
      requirement: "E3",
      reason:
        "If there is nothing to restore, there is no step that the tour could detect. The app shows: “There is nothing to restore.”"
    ),
  ]
}
