import ArgumentParser
import Foundation
import WebSupport

/// The origins whose pages may show this program's page in a frame. Every command that serves a page has this option.
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

/// Checks origins (RFC 6454) of pages that may frame this program's page.
enum FrameOrigin {
  /// Whether `text` is exactly the origin of a page on this machine, as browsers write it.
  static func isLoopback(_ text: String) -> Bool {
    guard let url = URL(string: text), let scheme = url.scheme, ["http", "https"].contains(scheme),
      let host = url.host(), LoopbackHosts.contains(host), url.user == nil,
      (1...65535).contains(url.port ?? 80)
    else { return false }
    let name = host.contains(":") ? "[\(host)]" : host
    // The text goes into a Content-Security-Policy, so it must be identical to the canonical form.
    return text == "\(scheme)://\(name)" + (url.port.map { ":\($0)" } ?? "")
  }
}
