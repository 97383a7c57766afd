import Foundation
import HTTPTypes
import Hummingbird
import WebSupport

// The photograph, and the forms of its filters.
extension AppPages {
  func addPhotograph(to router: Router<BasicRequestContext>) {
    onCommand("app/filters/use", of: ProductForm.self, in: router) { .apply(product: $0.product) }
    onCommand("app/filters/clear", .clearFilter, showing: .filters, in: router)
    router.post("app/photograph") { request, _ in
      let type = request.headers[.contentType] ?? ""
      // The form adds some bytes around the file.
      let body = try await request.collectedBody(upTo: PhotographAlbum.largestBytes + 4_096)
      guard let file = SubmittedFile(Data(buffer: body), type)?.content, !file.isEmpty else {
        throw PhotographError.missing
      }
      try presenter.album.replace(with: file)
      app.pageChanged()
      return Response.seeOther(AppScreen.filters.address)
    }
    router.post("app/photograph/remove") { _, _ in
      try presenter.album.remove()
      app.pageChanged()
      return Response.seeOther(AppScreen.filters.address)
    }
  }

  func photograph() async throws -> Response {
    let (type, bytes) = try presenter.album.photograph()
    return Response(
      status: .ok,
      headers: [
        .contentType: type.contentType, .xContentTypeOptions: "nosniff", .cacheControl: "private, max-age=3600",
        .contentSecurityPolicy: "default-src 'none'; sandbox",
        HTTPField.Name("Cross-Origin-Resource-Policy")!: "same-origin",
      ], body: ResponseBody(byteBuffer: ByteBuffer(bytes: bytes)))
  }
}
