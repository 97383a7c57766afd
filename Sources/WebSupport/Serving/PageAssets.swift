import HTTPTypes
import Hummingbird

/// `GET /assets/…`: what pages refer to.
package struct PageAssets: Sendable {
  private let files: [PageAsset]

  /// - Parameter files: beside those of every page.
  package init(_ files: [PageAsset] = []) { self.files = [.stylesheet, .script, .icon] + files }

  /// Adds a route for each file, below `/assets`. Browsers keep them: another content has another address.
  package func add(to router: some RouterMethods<some RequestContext>) {
    for file in files {
      router.get("assets/\(file.name)") { _, _ in
        Response(
          status: .ok,
          headers: [
            .contentType: file.contentType,
            // Under this address it never becomes anything else.
            .cacheControl: "public, max-age=31536000, immutable", .xContentTypeOptions: "nosniff",
            HTTPField.Name("Cross-Origin-Resource-Policy")!: "same-origin",
          ],
          body: ResponseBody(byteBuffer: ByteBuffer(bytes: file.bytes)))
      }
    }
  }
}
