import ArgumentParser

/// Whose pages may show a program's own page in a frame, for every command that has one.
struct FramingOptions: ParsableArguments {
  @Option(
    name: .customLong("framed-by"),
    help: ArgumentHelp(
      "A page of this machine that may show this one in a frame, such as http://127.0.0.1:8000; may be given several times.",
      valueName: "origin"))
  var origins: [String] = []

  func validate() throws {
    for origin in origins where !FrameOrigin.isLoopback(origin) {
      throw ValidationError(
        "--framed-by takes the origin of a page on this machine, such as http://127.0.0.1:8000; not \(origin.debugDescription)."
      )
    }
  }
}
