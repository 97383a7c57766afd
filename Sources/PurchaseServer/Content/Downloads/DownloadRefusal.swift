import Foundation
import HTTPTypes
import Hummingbird

/// A download that is not begun, with words that say what to do. Its body is `{"error": {"code": …, "message": …}}`.
public enum DownloadRefusal: Error, Hashable, Sendable, CustomStringConvertible {
  /// Said alike of a link that is malformed, forged, or of no delivery: whoever tries links learns nothing from the answers.
  case noSuchLink
  case linkExpired
  case deliveryEnded(reason: String)
  /// The ledger knows the file, and the content store has not got it as the ledger knows it.
  case contentMissing

  public var description: String {
    switch self {
    case .noSuchLink: "There is no such download. Redeem the purchase again for a new link."
    case .linkExpired: "This download link has expired. Redeem the purchase again for a new one."
    case .deliveryEnded(let reason): "This can no longer be downloaded: \(reason)"
    case .contentMissing: "The file is not to be had at the moment. Try again later."
    }
  }

  var code: String {
    switch self {
    case .noSuchLink: "noSuchLink"
    case .linkExpired: "linkExpired"
    case .deliveryEnded: "deliveryEnded"
    case .contentMissing: "contentMissing"
    }
  }
}

extension DownloadRefusal: HTTPResponseError {
  public var status: HTTPResponse.Status {
    switch self {
    case .noSuchLink: .notFound
    case .linkExpired: .gone
    case .deliveryEnded: .forbidden
    case .contentMissing: .serviceUnavailable
    }
  }

  public func response(from request: Request, context: some RequestContext) throws -> Response {
    let body = try JSONEncoder().encode(["error": ["code": code, "message": description]])
    var response = Response(
      status: status, headers: [.contentType: "application/json; charset=utf-8", .cacheControl: "no-store"],
      body: ResponseBody(byteBuffer: ByteBuffer(bytes: body)))
    if self == .contentMissing { response.headers[.retryAfter] = "30" }
    // Nobody else takes the body away, and the next answer on the connection would begin with it.
    return request.method == .head ? response.createHeadResponse() : response
  }
}
