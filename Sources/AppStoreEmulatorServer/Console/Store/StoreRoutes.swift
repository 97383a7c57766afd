import AppStoreEmulator
import Foundation
import HTTPTypes
import Hummingbird
import WebSupport

/// The routes of `/console/store`, and of the snapshots that browsers send and receive as files.
struct StoreRoutes: Sendable {
  let console: ConsoleContext

  func add(to router: Router<EmulatorRequestContext>) {
    let store = console.store
    router.get("/console/store") { request, _ in
      let page = StorePage(
        summary: try await store.summary(), settings: try await store.settings(), directory: store.directory,
        calls: console.calls(for: request))
      return console.page("Store", in: .store, for: request, page.html)
    }
    router.get("/console/store/snapshot") { request, _ in
      // A page of another origin could not read the file, but could make the browser store it.
      try BrowserOrigin.check(request)
      let (epoch, snapshot) = (store.epoch, try await store.snapshot())
      return Response.attachment(
        "store-\(epoch.rawValue).sqlite", contentType: "application/vnd.sqlite3", ByteBuffer(bytes: snapshot))
    }
    // A separate budget, because a large snapshot would use up the memory that all other requests share. All restores
    // together may hold as many bytes as one snapshot of the maximum size.
    let budget = BodyBudgetMiddleware<EmulatorRequestContext>(BodyBudget(limitBytes: Self.largestBody))
    router.group("/console/store").add(middleware: budget).post("restore") { request, _ in
      try BrowserOrigin.checkPage(request)
      return try await console.answering(in: .store, for: request) { try await restore(request) }
    }
  }

  /// The maximum size of a submitted form, in bytes: the snapshot and the other parts of the form.
  private static let largestBody = LifecycleRoutes.largestSnapshot + BodyLimit.form

  private func restore(_ request: Request) async throws -> Response {
    let body = try await request.collectedBody(upTo: Self.largestBody)
    let file = SubmittedFile(Data(buffer: body), request.headers[.contentType] ?? "")
    guard let file, !file.content.isEmpty else {
      throw PageRefusal(.badRequest, "Choose a snapshot file first.")
    }
    try console.calls(for: request).check(token: file.otherFields[PostedCall.token], of: StorePage.restore)
    guard file.otherFields[PostedCall.confirmation] != nil else {
      throw PageRefusal(.badRequest, PostedCall.unconfirmed)
    }
    try await console.store.restore(file.content)
    return .seeOther("/console/store")
  }
}
