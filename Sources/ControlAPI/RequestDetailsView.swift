import APIDescription
import AppStoreEmulator

/// A request in the journal, with its body and the body of the answer.
package struct RequestDetailsView: APIObject {
  package let request: RequestView
  package let requestBody: RequestBodyView?
  package let answerBody: RequestBodyView?

  package static let notes: [String: MemberNote] = [
    "requestBody": "Missing if it is no longer kept.",
    "answerBody": "Missing if there was no answer with a body, or if it is no longer kept.",
  ]

  package init(_ details: RequestDetails) {
    request = RequestView(details.request)
    requestBody = details.requestBody.map(RequestBodyView.init)
    answerBody = details.answerBody.map(RequestBodyView.init)
  }
}

/// The body of a request or of an answer.
package struct RequestBodyView: APIObject {
  package static let schemaName = "RequestBody"

  package let json: String
  package let isCut: Bool

  package static let notes: [String: MemberNote] = [
    "json": "The body as text, at most 16 KiB. Passwords and authentication codes are replaced by (redacted).",
    "isCut": "Whether only the beginning of the body is here: it is longer, or it stops being JSON there.",
  ]

  package init(_ body: JournaledBody) {
    json = body.json
    isCut = body.isCut
  }
}
