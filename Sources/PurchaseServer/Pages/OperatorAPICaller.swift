import Foundation
import HTTPTypes
import Hummingbird
import PurchaseLedger
import StoreModel
import WebSupport

/// Calls the operator's API within the process, with the session of a page's request. The API checks the session and its role, as
/// it does for requests of other programs.
struct OperatorAPICaller: Sendable {
  let api: RouterResponder<ServiceContext>

  /// Answers a request to the API.
  ///
  /// - Parameter page: the request of the page, which has the session's cookie.
  /// - Throws: ``ErrorResponse`` if the API refuses the request.
  func respond(to call: Request, for page: Request, _ context: ServiceContext) async throws -> Response {
    var head = call.head
    // The cookie is checked before; a page without a session makes no call.
    head.headerFields[.authorization] = OperatorSite().cookie?.value(in: page).map { "Bearer \($0)" }
    var own = ServiceContext(source: .init(channel: context.channel, logger: context.logger))
    own.caller = context.caller
    do {
      return try await api.respond(to: Request(head: head, body: call.body), context: own)
    } catch let error as LedgerError {
      throw error.errorResponse
    }
  }

  /// Returns the answer of an endpoint without a body.
  ///
  /// - Parameters:
  ///   - parameters: the values of the endpoint's path, in their order.
  ///   - query: the values of the endpoint's query.
  /// - Throws: ``PageRefusal`` if the API refuses the request.
  func answer<Path, Query, Body, Answer>(
    of endpoint: OperatorEndpoint<Path, Query, Body, Answer>, _ parameters: [String], query: String,
    for page: Request, _ context: ServiceContext
  ) async throws -> Answer {
    let path = "/" + APICall.address(of: endpoint, parameters) + query
    let head = HTTPRequest(
      method: .get, scheme: page.head.scheme, authority: page.head.authority, path: path, headerFields: [:])
    let response: Response
    do {
      response = try await respond(to: Request(head: head, body: RequestBody(buffer: ByteBuffer())), for: page, context)
    } catch let refusal as ErrorResponse { response = refusal.response }
    guard response.status.kind == .successful else {
      throw PageRefusal(response.status, try await response.refusalMessage())
    }
    return try JSONDecoder().decode(Answer.self, from: Data(buffer: try await response.body.collected()))
  }
}
