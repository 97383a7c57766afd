import HTTPTypes
import Hummingbird

extension Response {
  /// A file that a browser saves instead of showing it.
  ///
  /// - Parameter name: the file's name, of ASCII letters, digits, dots and hyphens.
  package static func attachment(_ name: String, contentType: String, _ bytes: ByteBuffer) -> Response {
    Response(
      status: .ok,
      headers: [
        .contentType: contentType, .contentDisposition: "attachment; filename=\"\(name)\"", .cacheControl: "no-store",
        .xContentTypeOptions: "nosniff", HTTPField.Name("Cross-Origin-Resource-Policy")!: "same-origin",
      ],
      body: ResponseBody(byteBuffer: bytes))
  }
}
