import Foundation
import HTTPTypes
import Hummingbird
import StoreModel

/// Thrown to refuse a download. The response has the body `{"error": {"code": …, "message": …}}`.
public enum DownloadRefusal: DescribedError, Hashable, Sendable {
  /// The link is malformed, forged, or of an unknown delivery. The response is the same in all three cases, so that
  /// guessing links reveals nothing.
  case noSuchLink
  case linkExpired
  case deliveryEnded(reason: String)
  /// The content store does not have the file, or the size of its file differs from the size in the ledger.
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
    // Hummingbird does not remove the body of a response to HEAD. The client would take the body for the next response
    // on the connection.
    return request.method == .head ? response.createHeadResponse() : response
  }
}
