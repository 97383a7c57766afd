import HTTPTypes
import Hummingbird

extension Response {
  /// An HTML page with a content security policy that forbids inline scripts and resources of other origins.
  ///
  /// - Parameters:
  ///   - framedBy: the origins whose pages may embed this one in a frame.
  ///   - frames: the origins whose pages this page may embed in frames.
  package static func page(
    _ page: HTML, status: HTTPResponse.Status = .ok, framedBy: [String] = [], frames: [String] = []
  ) -> Response {
    let policy = [
      "default-src 'none'", "style-src 'self'", "script-src 'self'", "img-src 'self' blob:", "connect-src 'self'",
      "form-action 'self'", "base-uri 'none'", "frame-src \(frames.isEmpty ? "'none'" : frames.joined(separator: " "))",
      "frame-ancestors \(framedBy.isEmpty ? "'none'" : framedBy.joined(separator: " "))",
    ]
    return Response(
      status: status,
      headers: [
        .contentType: "text/html; charset=utf-8", .cacheControl: "no-store", .xContentTypeOptions: "nosniff",
        .contentSecurityPolicy: policy.joined(separator: "; "),
        // Same-origin, because with no-referrer a form would send `Origin: null`.
        HTTPField.Name("Referrer-Policy")!: "same-origin", HTTPField.Name("Cross-Origin-Opener-Policy")!: "same-origin",
        HTTPField.Name("Cross-Origin-Resource-Policy")!: "same-origin",
      ],
      body: ResponseBody(byteBuffer: ByteBuffer(string: page.text)))
  }

  /// The response to a form that was processed: a redirect to the page to load (303).
  ///
  /// - Parameter address: a path on this server, made of percent-encoded parts.
  package static func seeOther(_ address: String) -> Response {
    Response(status: .seeOther, headers: [.location: address, .cacheControl: "no-store"])
  }
}

extension Response {
  /// A file that a browser saves instead of showing it.
  ///
  /// - Parameter name: the file's name, of ASCII letters, digits, dots and hyphens.
  package static func attachment(_ name: String, contentType: String, _ bytes: ByteBuffer) -> Response {
    Response(status: .ok, headers: [.contentType: contentType], body: ResponseBody(byteBuffer: bytes)).saved(as: name)
  }

  /// Returns the response as a file that a browser saves instead of showing it.
  ///
  /// - Parameter name: the file's name, of ASCII letters, digits, dots and hyphens.
  func saved(as name: String) -> Response {
    var response = self
    response.headers[.contentDisposition] = "attachment; filename=\"\(name)\""
    response.headers[.cacheControl] = "no-store"
    response.headers[.xContentTypeOptions] = "nosniff"
    response.headers[HTTPField.Name("Cross-Origin-Resource-Policy")!] = "same-origin"
    return response
  }
}
