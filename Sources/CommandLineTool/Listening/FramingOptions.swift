import ArgumentParser
import Foundation
import WebSupport

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

/// Origins (RFC 6454) of pages that may frame this one.
enum FrameOrigin {
  /// Whether it is the origin of a page on this machine, as browsers write it, and nothing more.
  static func isLoopback(_ text: String) -> Bool {
    guard let url = URL(string: text), let scheme = url.scheme, ["http", "https"].contains(scheme),
      let host = url.host(), LoopbackHosts.contains(host), url.user == nil,
      (1...65535).contains(url.port ?? 80)
    else { return false }
    let name = host.contains(":") ? "[\(host)]" : host
    // Written again it must be the same: what goes into a policy is this and no more.
    return text == "\(scheme)://\(name)" + (url.port.map { ":\($0)" } ?? "")
  }
}
