import HTTPTypes
import Hummingbird

/// `GET /assets/…`: the static files of pages.
package struct PageAssets: Sendable {
  private let files: [PageAsset]

  /// - Parameter files: files in addition to those of every page.
  package init(_ files: [PageAsset] = []) { self.files = [.stylesheet, .script, .icon] + files }

  /// Adds a route for each file, below `/assets`. Browsers cache the files permanently: other content has another URL.
  package func add(to router: some RouterMethods<some RequestContext>) {
    for file in files {
      router.get("assets/\(file.name)") { _, _ in
        Response(
          status: .ok,
          headers: [
            .contentType: file.contentType,
            // The query contains a digest, so the content under this URL never changes.
            .cacheControl: "public, max-age=31536000, immutable", .xContentTypeOptions: "nosniff",
            HTTPField.Name("Cross-Origin-Resource-Policy")!: "same-origin",
          ],
          body: ResponseBody(byteBuffer: ByteBuffer(bytes: file.bytes)))
      }
    }
  }
}
