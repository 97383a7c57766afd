import Foundation
import Hummingbird
import Logging

/// Serves the app's pages on a Unix domain socket in the phone's folder. Only users who can enter the folder can
/// connect.
package struct AppServer: Sendable {
  /// The maximum length of a socket's path, in bytes, on both Linux and Apple's systems.
  package static let longestPathBytes = 103

  private let pages: AppPages
  private let path: String
  private let send: EventSender

  package init(_ pages: AppPages, path: String, send: EventSender) {
    self.pages = pages
    self.path = path
    self.send = send
  }

  /// Returns the listener, to be run in a service group.
  package func application(logger: Logger) -> some ApplicationProtocol {
    // A killed app may have left its socket. Only this phone uses the path.
    try? FileManager.default.removeItem(atPath: path)
    return Application(
      responder: pages.router().buildResponder(),
      configuration: .init(address: .unixDomainSocket(path: path), serverName: nil),
      onServerRunning: { [send] _ in send(.ready) }, logger: logger)
  }
}
