import Foundation
import Hummingbird
import Logging

/// Serves the app's pages on a socket in the phone's folder: only who may read the folder reaches it.
package struct AppServer: Sendable {
  /// The longest path a socket can have on Linux and on Apple's systems.
  package static let longestPathBytes = 103

  private let pages: AppPages
  private let path: String
  private let say: EventSender

  package init(_ pages: AppPages, path: String, say: EventSender) {
    self.pages = pages
    self.path = path
    self.say = say
  }

  /// The listener, to be run in a service group.
  package func application(logger: Logger) -> some ApplicationProtocol {
    // Left by an app that was killed; its owner is this phone alone.
    try? FileManager.default.removeItem(atPath: path)
    return Application(
      responder: pages.router().buildResponder(),
      configuration: .init(address: .unixDomainSocket(path: path), serverName: nil),
      onServerRunning: { [say] _ in say(.ready) }, logger: logger)
  }
}
