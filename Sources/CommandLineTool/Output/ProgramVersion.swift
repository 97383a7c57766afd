/// The version of the program. CHANGELOG.md describes the changes.
enum ProgramVersion {
  static let text = "0.9.0"
}
