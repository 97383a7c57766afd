import Foundation
import HTTPTypes
import Hummingbird
import WebSupport

// The routes of the photograph and its filters.
extension AppPages {
  func addPhotograph(to router: Router<BasicRequestContext>) {
    router.post("app/filters/use") { request, _ in
      let form = try await request.form(ProductForm.self)
      try await use(form.product)
      return Response.seeOther(AppScreen.filters.address)
    }
    router.post("app/filters/clear") { _, _ in
      await MainActor.run { app.filters.clearFilter() }
      return Response.seeOther(AppScreen.filters.address)
    }
    router.post("app/photograph") { request, _ in
      let type = request.headers[.contentType] ?? ""
      // The form adds some bytes around the file.
      let body = try await request.collectedBody(upTo: PhotographAlbum.largestBytes + 4_096)
      guard let file = SubmittedFile.content(of: Data(buffer: body), type), !file.isEmpty else {
        throw PhotographError.missing
      }
      try face.album.replace(with: file)
      app.say(.pageChanged)
      return Response.seeOther(AppScreen.filters.address)
    }
    router.post("app/photograph/remove") { _, _ in
      try face.album.remove()
      app.say(.pageChanged)
      return Response.seeOther(AppScreen.filters.address)
    }
  }

  @MainActor
  private func use(_ product: String) throws {
    try app.filters.apply(product)
    if case .use(let name) = try app.filters.filterButton(for: product) { face.filterName = name }
  }

  func photograph() async throws -> Response {
    let (type, bytes) = try face.album.photograph()
    return Response(
      status: .ok,
      headers: [
        .contentType: type.contentType, .xContentTypeOptions: "nosniff", .cacheControl: "private, max-age=3600",
        .contentSecurityPolicy: "default-src 'none'; sandbox",
        HTTPField.Name("Cross-Origin-Resource-Policy")!: "same-origin",
      ], body: ResponseBody(byteBuffer: ByteBuffer(bytes: bytes)))
  }
}
