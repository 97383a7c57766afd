import Foundation
import StoreModel

/// The addresses to which the notifications of an app are sent; nil for no notifications.
public struct NotificationURLs: Hashable, Codable, Sendable {
  public var production: URL?
  public var sandbox: URL?

  public init(production: URL? = nil, sandbox: URL? = nil) {
    self.production = production
    self.sandbox = sandbox
  }

  public subscript(environment: StoreEnvironment) -> URL? {
    switch environment {
    case .production: production
    case .sandbox: sandbox
    case .xcode: nil
    }
  }

  /// - Throws: ``AppStoreEmulatorError/invalidNotificationURL(_:reason:)``.
  func check() throws(AppStoreEmulatorError) {
    for url in [production, sandbox].compactMap(\.self) { _ = try Self.url(url.absoluteString) }
  }

  /// Reads an address.
  ///
  /// - Throws: ``AppStoreEmulatorError/invalidNotificationURL(_:reason:)``.
  public static func url(_ text: String) throws(AppStoreEmulatorError) -> URL {
    guard text.utf8.count <= longestURL else {
      throw .invalidNotificationURL(text, reason: "it has more than \(longestURL) bytes")
    }
    guard let url = URL(string: text, encodingInvalidCharacters: false), let scheme = url.scheme?.lowercased() else {
      throw .invalidNotificationURL(text, reason: "it is not a URL")
    }
    guard ["http", "https"].contains(scheme) else {
      throw .invalidNotificationURL(text, reason: "its scheme is \(scheme), not http or https")
    }
    guard let host = url.host(), !host.isEmpty else { throw .invalidNotificationURL(text, reason: "it has no host") }
    guard url.user() == nil, url.password() == nil else {
      throw .invalidNotificationURL(text, reason: "it contains a user or a password")
    }
    guard url.fragment() == nil else { throw .invalidNotificationURL(text, reason: "it has a fragment") }
    guard url.port.map({ (1...65_535).contains($0) }) ?? true else {
      throw .invalidNotificationURL(text, reason: "its port is not from 1 to 65535")
    }
    return url
  }

  static let longestURL = 2_000
}

extension StoreApp {
  /// The addresses to which the app's notifications are sent.
  public var notificationURLs: NotificationURLs {
    get {
      NotificationURLs(
        production: productionNotificationURL.flatMap { URL(string: $0) },
        sandbox: sandboxNotificationURL.flatMap { URL(string: $0) })
    }
    set {
      productionNotificationURL = newValue.production?.absoluteString
      sandboxNotificationURL = newValue.sandbox?.absoluteString
    }
  }

  /// Whether notifications of an environment are made.
  func hasNotifications(in environment: StoreEnvironment) -> Bool {
    switch environment {
    case .production: productionNotificationURL != nil
    case .sandbox: sandboxNotificationURL != nil
    case .xcode: false
    }
  }
}
