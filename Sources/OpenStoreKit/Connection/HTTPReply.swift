import Foundation

/// The answer to a request over HTTP.
struct HTTPReply: Hashable, Sendable {
  let status: Int
  let body: Data
}
