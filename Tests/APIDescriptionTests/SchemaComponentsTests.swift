import APIDescription
import Foundation
import Testing

/// A1: one type describes a member of an API, checks it and reads it.
@Suite("Schemas derived from Codable types", .timeLimit(.minutes(30)))
struct SchemaComponentsTests {
  private struct BookList: APIObject {
    let name: String
    let size: Int?
    let books: [Book]
    let notes: [String: String]?

    static let notes: [String: MemberNote] = ["size": MemberNote("How many books fit.", minimum: 1)]
  }

  private struct Book: APIObject {
    let title: String
    let kind: Kind
  }

  private enum Kind: String, Codable, CaseIterable, APIValue {
    case novel, poem
    static var componentName: String? { "BookKind" }
  }

  private struct MisspeltNote: APIObject {
    let name: String
    static let notes: [String: MemberNote] = ["nmae": "The name."]
  }

  /// Neither an object nor a value of an API.
  private struct Undescribed: Codable, Sendable {}

  private struct HasUndescribed: APIObject {
    let member: Undescribed
  }

  private struct BareText: APIObject {
    let text: String
    init(from decoder: any Decoder) throws { text = try decoder.singleValueContainer().decode(String.self) }
    func encode(to encoder: any Encoder) throws {
      var container = encoder.singleValueContainer()
      try container.encode(text)
    }
  }

  @Test("Members are required unless they are optional, and keep their order")
  func members() throws {
    let members = try SchemaComponents().members(of: BookList.self)
    #expect(members.map(\.name) == ["name", "size", "books", "notes"])
    #expect(members.map(\.isRequired) == [true, false, true, false])
    #expect(members[1].schema.note.description == "How many books fit." && members[1].schema.note.minimum == 1)
    #expect(members[2].schema.shape == .array(JSONSchema(.reference("Book"))))
    #expect(members[3].schema.shape == .dictionary(JSONSchema(.string)))
  }

  @Test("Types with a name stand once among the components, also those inside others")
  func components() throws {
    let components = SchemaComponents()
    let schema = try components.schema(of: [BookList].self)
    #expect(schema.shape == .array(JSONSchema(.reference("BookList"))))
    #expect(components.schemas.keys.sorted() == ["Book", "BookKind", "BookList"])
    #expect(components.schemas["BookKind"]?.values == [.string("novel"), .string("poem")])
    #expect(components.resolved(JSONSchema(.reference("BookKind"))) == components.schemas["BookKind"])
  }

  @Test("A note on a member that does not exist is an error")
  func misspeltNote() throws {
    let error = #expect(throws: SchemaError.self) { try SchemaComponents().schema(of: MisspeltNote.self) }
    guard case .unknownMember("nmae", of: "MisspeltNote") = error else {
      Issue.record("\(String(describing: error))")
      return
    }
  }

  @Test("A type without a schema is named")
  func noSchema() throws {
    let error = #expect(throws: SchemaError.self) { try SchemaComponents().schema(of: HasUndescribed.self) }
    guard case .noSchema("Undescribed") = error else {
      Issue.record("\(String(describing: error))")
      return
    }
  }

  private struct Shelf: APIObject {
    let kind: Kind
    let next: BookKind
  }

  private struct BookKind: APIObject {
    let title: String
  }

  @Test("Two types with one name are named, because one would be described as the other")
  func usedName() throws {
    let error = #expect(throws: SchemaError.self) { try SchemaComponents().schema(of: Shelf.self) }
    guard case .usedName("BookKind") = error else {
      Issue.record("\(String(describing: error))")
      return
    }
  }

  @Test("An object that decodes itself as a bare value is an error")
  func noMembers() throws {
    let error = #expect(throws: SchemaError.self) { try SchemaComponents().schema(of: BareText.self) }
    guard case .noMembers = error else {
      Issue.record("\(String(describing: error))")
      return
    }
  }

  @Test("Keys are checked at every depth")
  func keys() throws {
    let components = SchemaComponents()
    let keys = AllowedJSON(try components.schema(of: BookList.self), in: components)
    let sound: [String: Any] = ["name": "A", "books": [["title": "B", "kind": "poem"]], "notes": ["any": "C"]]
    #expect(keys.fault(in: sound) == nil)
    #expect(
      keys.fault(in: ["name": "A", "seize": 3])
        == "seize is not known here; there are books, name, notes, size.")
    #expect(
      keys.fault(in: ["books": [["title": "B", "kind": "poem"], ["titel": "D"]]])
        == "titel is not known here in books[1]; there are kind, title.")
  }
  @Test("words and objects are checked at every depth, and the answer says what is allowed")
  func words() throws {
    let components = SchemaComponents()
    let allowed = AllowedJSON(try components.schema(of: BookList.self), in: components)
    #expect(
      allowed.fault(in: ["books": [["title": "B", "kind": "Novel"]]], checksValues: true)
        == "books[0].kind: Novel is not allowed; there are novel, poem.")
    #expect(
      allowed.fault(in: ["books": ["B"]], checksValues: true)
        == #"books[0] is no object. Write it as {"kind": …, "title": …}."#)
    // Decoding reports these.
    #expect(allowed.fault(in: ["books": [["title": "B", "kind": 1]]], checksValues: true) == nil)
    #expect(allowed.fault(in: ["books": [NSNull()]], checksValues: true) == nil)
    #expect(allowed.fault(in: "B", checksValues: true) == nil)
    #expect(allowed.fault(in: ["books": ["B"]]) == nil)
  }

  @Test("texts that have to match a pattern or to be a UUID are named, with what is expected")
  func texts() {
    let allowed = AllowedJSON.object(["unit": .pattern("^[a-z]{1,8}$"), "device": .uuid])
    #expect(
      allowed.fault(in: ["unit": "two words"], checksValues: true)
        == #"unit: "two words" is not allowed; it has to match ^[a-z]{1,8}$."#)
    #expect(
      allowed.fault(in: ["device": "phone"], checksValues: true)
        == #"device: "phone" is not allowed; it has to be a UUID."#)
    let sound = ["unit": "coins", "device": "6F6A3A1C-7B7B-4F3E-9E33-0A1B2C3D4E5F"]
    #expect(allowed.fault(in: sound, checksValues: true) == nil)
    #expect(allowed.fault(in: ["unit": 7, "device": 7], checksValues: true) == nil)
    #expect(allowed.fault(in: ["unit": "two words"]) == nil)
    let schema = JSONSchema(.string, note: MemberNote(pattern: "^[0-9]$"))
    #expect(AllowedJSON(schema, in: SchemaComponents()).fault(in: "x", checksValues: true) != nil)
  }
}
