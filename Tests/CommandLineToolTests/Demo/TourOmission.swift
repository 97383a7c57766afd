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
    TourOmission(
      requirement: "I1", reason: "It is about how an app is compiled, and the tour shows a program that was compiled."),
    TourOmission(
      requirement: "I2", reason: "The classes of errors are internal to the app. The tour shows the errors' texts."),
    TourOmission(
      requirement: "I3",
      reason:
        "The tour changes a device's settings on its page. The environment and the control API change the same ones."),
  ]
}
