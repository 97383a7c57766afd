/// A requirement that the tour does not show, and the reason.
struct TourOmission: Sendable {
  let requirement: String
  let reason: String

  static let all = [
    TourOmission(
      requirement: "A1",
      reason:
        "The demo sells what is used up and what is owned. The store sells the other kinds as well, but the app has no screen for subscriptions yet."
    ),
    TourOmission(
      requirement: "B8",
      reason:
        "The notifications and classes are names inside the app. What its screens show at every station, they were told by those notifications."
    ),
    TourOmission(
      requirement: "E3",
      reason:
        "With nothing to restore nothing happens, so no step can tell that it was tried. The app says: “There is nothing to restore.”"
    ),
  ]
}
