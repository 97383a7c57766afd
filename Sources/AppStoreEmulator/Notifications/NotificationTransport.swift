import AppStoreServerAPI
import Foundation
import StoreModel

/// Posts notifications to the servers of developers.
///
/// `AppStoreEmulatorServer` has one for HTTP. A test in the same process can receive them with ``NotificationFunction``.
public protocol NotificationTransport: Sendable {
  /// Sends `POST` with `Content-Type: application/json`, and returns the answer. Redirects are not followed. Of the body, at most
  /// ``NotificationAnswer/longestBody`` bytes are read.
  ///
  /// The caller cancels the task after 30 seconds.
  ///
  /// - Parameter body: JSON, a `SignedNotification`.
  /// - Throws: ``NotificationFailure`` if there was no answer.
  func post(_ body: Data, to url: URL) async throws(NotificationFailure) -> NotificationAnswer
}

/// What a server has answered to a notification.
public struct NotificationAnswer: Hashable, Sendable {
  public let status: Int
  public let body: Data

  public init(status: Int, body: Data = Data()) {
    self.status = status
    self.body = body
  }

  /// The number of bytes that are read of an answer.
  public static let longestBody = 64 << 10

  /// Whether the server has accepted the notification.
  public var isSuccess: Bool { (200...206).contains(status) }
}

/// Why a server has not answered.
public struct NotificationFailure: DescribedError, Hashable, Sendable {
  public let result: SendAttemptResult
  /// The error in words.
  public let reason: String

  public init(_ result: SendAttemptResult, _ reason: String) {
    self.result = result
    self.reason = reason
  }

  public var description: String { "The server has not answered (\(result.rawValue)): \(reason)" }
}

/// A transport that passes each notification to a function, whatever its address is.
public struct NotificationFunction: NotificationTransport {
  private let receive: @Sendable (SignedNotification) async -> Int

  /// - Parameter receive: returns an HTTP status; 200 to 206 accept the notification.
  public init(_ receive: @escaping @Sendable (SignedNotification) async -> Int) { self.receive = receive }

  public func post(_ body: Data, to url: URL) async throws(NotificationFailure) -> NotificationAnswer {
    guard let notification = try? JSONDecoder().decode(SignedNotification.self, from: body) else {
      throw NotificationFailure(.other, "the body is damaged")
    }
    return NotificationAnswer(status: await receive(notification))
  }
}
