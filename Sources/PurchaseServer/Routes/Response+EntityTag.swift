import Crypto
import Foundation
import Hummingbird
import WebSupport

extension Response {
  /// Returns a JSON document with its entity tag, or the status 304 without a body if the request's `If-None-Match` names it.
  ///
  /// The tag is the digest of the document. So it changes with every change of the content, and with no other.
  ///
  /// - Parameter cacheControl: who may keep the document. It must be asked for again before each use.
  static func json(_ body: Data, unlessNamedBy request: Request, cacheControl: String) -> Response {
    let tag = EntityTag(ContentDigest(SHA256.hash(data: body)))
    var response = Response.json(body)
    if let field = request.headers[.ifNoneMatch],
      EntityTagList(field: field).contains({ $0.matchesWeakly(tag) })
    {
      response = Response(status: .notModified)
      // A 304 must not have the length of its own empty body.
      response.headers[.contentLength] = nil
    }
    response.headers[.eTag] = tag.description
    response.headers[.cacheControl] = cacheControl
    return response
  }
}
