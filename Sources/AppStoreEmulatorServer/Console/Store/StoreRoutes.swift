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
        summary: try await store.summary(), directory: store.directory, command: console.command(for: request))
      return console.page("Store", in: .store, page.html)
    }
    router.get("/console/store/snapshot") { _, _ in
      let (epoch, snapshot) = (store.epoch, try await store.snapshot())
      return Response.attachment(
        "store-\(epoch.rawValue).sqlite", contentType: "application/vnd.sqlite3", ByteBuffer(bytes: snapshot))
    }
    // A separate budget, because a snapshot would use up the memory that all other requests share. It allows one
    // snapshot at a time.
    let budget = BodyBudgetMiddleware<EmulatorRequestContext>(BodyBudget(limitBytes: Self.largestBody))
    router.group("/console/store").add(middleware: budget).post("restore") { request, _ in
      try CallRoutes.checkPage(request)
      return try await console.answering(in: .store) { try await restore(request) }
    }
  }

  /// The snapshot, and the other parts of the form.
  private static let largestBody = LifecycleRoutes.largestSnapshot + BodyLimit.form

  private func restore(_ request: Request) async throws -> Response {
    let body = try await request.collectedBody(upTo: Self.largestBody)
    let snapshot = SubmittedFile.content(of: Data(buffer: body), request.headers[.contentType] ?? "")
    guard let snapshot, !snapshot.isEmpty else {
      throw ConsoleRefusal(.badRequest, "Choose a snapshot file first.")
    }
    try await console.store.restore(snapshot)
    return .seeOther("/console/store")
  }
}
