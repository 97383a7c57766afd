import HTTPTypes
import Hummingbird

extension Response {
  /// A page, under a policy that lets it fetch nothing from elsewhere and run nothing that is written into it.
  ///
  /// - Parameters:
  ///   - framedBy: the origins whose pages may show it in a frame.
  ///   - frames: the origins whose pages it shows in frames.
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
        // The origin is wanted here: with no-referrer a form would say "null".
        HTTPField.Name("Referrer-Policy")!: "same-origin", HTTPField.Name("Cross-Origin-Opener-Policy")!: "same-origin",
        HTTPField.Name("Cross-Origin-Resource-Policy")!: "same-origin",
      ],
      body: ResponseBody(byteBuffer: ByteBuffer(string: page.text)))
  }

  /// What a form that did its work is answered: the page to look at, to be fetched anew.
  ///
  /// - Parameter address: a path of this server, made of percent-encoded parts.
  package static func seeOther(_ address: String) -> Response {
    Response(status: .seeOther, headers: [.location: address, .cacheControl: "no-store"])
  }
}
