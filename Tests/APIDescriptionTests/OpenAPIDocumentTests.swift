import APIDescription
import Foundation
import Testing

@Suite("OpenAPI documents", .timeLimit(.minutes(30)))
struct OpenAPIDocumentTests {
  private struct BookPath: APIObject {
    let id: String
  }

  private struct BookQuery: APIObject {
    let limit: Int?
    static let notes: [String: MemberNote] = ["limit": MemberNote("At most so many.", minimum: 1, maximum: 100)]
  }

  private struct Book: APIObject {
    let title: String
    let price: Double?
  }

  private struct Refusal: APIObject {
    let code: String
  }

  private func document() throws -> [String: Any] {
    let change = Endpoint<BookPath, NoMembers, Book, Book>(
      .patch, "/books/{id}", name: "changeBook", summary: "Changes a book.", answers: "The book")
    let list = Endpoint<NoMembers, BookQuery, NoMembers, [Book]>(
      .get, "/books", name: "books", summary: "Lists books.", status: 206, answers: "The books")
    let document = try OpenAPIDocument(
      title: "Library", description: "Books.", basePath: "/v1", tokens: ["token": "Always."],
      callers: EndpointCallers(schemes: ["token"], areOptional: true), error: Refusal.self,
      endpoints: [change, list])
    return try #require(try JSONSerialization.jsonObject(with: document.json()) as? [String: Any])
  }

  /// The value at a path of keys.
  private func value(_ keys: String..., in document: [String: Any]) -> Any? {
    keys.reduce(document as Any?) { ($0 as? [String: Any])?[$1] }
  }

  @Test("An endpoint has its parameters, its body, and the status of its answer")
  func operations() throws {
    let document = try document()
    #expect(value("openapi", in: document) as? String == "3.1.0")
    let change = ["paths", "/books/{id}", "patch"].reduce(document as Any?) { ($0 as? [String: Any])?[$1] }
    let changeObject = try #require(change as? [String: Any])
    #expect(changeObject["operationId"] as? String == "changeBook")
    let parameters = try #require(changeObject["parameters"] as? [[String: Any]])
    #expect(parameters.count == 1 && parameters[0]["in"] as? String == "path")
    #expect(parameters[0]["required"] as? Bool == true)
    let body = value("requestBody", "content", "application/json", "schema", "$ref", in: changeObject)
    #expect(body as? String == "#/components/schemas/Book")
    #expect(value("requestBody", "required", in: changeObject) as? Bool == true)

    let list = try #require(value("paths", "/books", "get", in: document) as? [String: Any])
    #expect(list["requestBody"] == nil)
    #expect((list["responses"] as? [String: Any])?.keys.sorted() == ["206", "default"])
    let query = try #require((list["parameters"] as? [[String: Any]])?.first)
    #expect(query["in"] as? String == "query" && query["required"] as? Bool == false)
    #expect(query["description"] as? String == "At most so many.")
    #expect(value("schema", "maximum", in: query) as? Int == 100)
  }

  @Test("Every reference of a document leads to one of its components")
  func references() throws {
    let document = try document()
    let text = String(
      decoding: try JSONSerialization.data(withJSONObject: document, options: .withoutEscapingSlashes), as: UTF8.self)
    let references = text.matches(of: /"\$ref":"#\/components\/(\w+)\/(\w+)"/)
    #expect(!references.isEmpty)
    for reference in references {
      let target = value("components", String(reference.1), String(reference.2), in: document)
      #expect(target != nil, "\(reference.0)")
    }
    let schemas = value("components", "schemas", in: document) as? [String: Any]
    #expect(schemas?.keys.sorted() == ["Book", "Refusal"])
    #expect(value("components", "schemas", "Book", "required", in: document) as? [String] == ["title"])
  }
}
