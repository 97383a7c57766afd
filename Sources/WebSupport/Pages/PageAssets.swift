import Crypto
import Foundation
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

/// A static file of a page: a stylesheet, a script or an image. It is part of the program. Its URL changes with its
/// content.
package struct PageAsset: Hashable, Sendable {
  package let name: String
  let contentType: String
  let bytes: [UInt8]
  let digest: String

  package init(_ name: String, contentType: String, _ bytes: [UInt8]) {
    self.name = name
    self.contentType = contentType
    self.bytes = bytes
    digest = SHA256.hash(data: bytes).prefix(8).map { byte in (byte < 16 ? "0" : "") + String(byte, radix: 16) }
      .joined()
  }

  /// A stylesheet with a file name.
  package static func stylesheet(_ name: String, _ bytes: [UInt8]) -> PageAsset {
    PageAsset(name, contentType: "text/css; charset=utf-8", bytes)
  }

  /// A script with a file name.
  package static func script(_ name: String, _ bytes: [UInt8]) -> PageAsset {
    PageAsset(name, contentType: "text/javascript; charset=utf-8", bytes)
  }

  /// The path and query under which it is served.
  package var address: String { "/assets/\(name)?\(digest)" }

  static let stylesheet = PageAsset.stylesheet("pages.css", PackageResources.pages_css)
  static let script = PageAsset.script("pages.js", PackageResources.pages_js)
  static let icon = PageAsset("icon.svg", contentType: "image/svg+xml", PackageResources.icon_svg)
}
