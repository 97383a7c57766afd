/// A station of the guided tour: something to try, and how it is known that it was tried.
struct TourStation: Sendable {
  let title: String
  /// The ids of the requirements it shows.
  let requirements: [String]
  /// What to do, one thing a line.
  let instructions: [String]
  /// What to look at.
  let lesson: String
  /// What has to happen, in this order, whatever happens between.
  let goals: [TourGoal]
}
