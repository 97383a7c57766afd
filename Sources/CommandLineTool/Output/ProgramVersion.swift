/// The version of the program. CHANGELOG.md lists the versions.
enum ProgramVersion {
  static let text = "0.1.0-dev"
}
