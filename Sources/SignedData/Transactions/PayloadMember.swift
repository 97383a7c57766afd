import Foundation
import StoreModel

/// The contents of signed JSON, declared once as a list of members. Reading and writing both follow from the list.
///
/// ``SignedTransaction`` has its own reader, because it is read with each verification of a transaction.
protocol SignedPayload: Sendable {
  /// Its name in error messages, such as `the renewal information`.
  static var title: StaticString { get }
  /// The members, ordered by name, so that the same value always has the same bytes.
  static var members: [PayloadMember<Self>] { get }
  /// A value in which every member is still to be read.
  static var unread: Self { get }
}

/// A member of a payload: its name, its property, and how it is read and written.
struct PayloadMember<Payload>: Sendable {
  let name: StaticString
  let isRequired: Bool
  let read: @Sendable (inout JSONReader, inout Payload) throws(JSONFault) -> Void
  let write: @Sendable (Payload, inout JSONWriter) -> Void

  /// A member that may be missing.
  init<Value>(
    _ name: StaticString, _ property: WritableKeyPath<Payload, Value?> & Sendable, _ coding: PayloadCoding<Value>
  ) {
    self.name = name
    isRequired = false
    read = { (reader, payload) throws(JSONFault) in payload[keyPath: property] = try coding.read(&reader) }
    write = { payload, writer in
      if let value = payload[keyPath: property] { coding.write(value, name, &writer) }
    }
  }

  /// A member that only another kind of payload has. Payloads of several kinds are signed by the same key, so one of another
  /// kind must be refused.
  init(forbidden name: StaticString) {
    self.name = name
    isRequired = false
    read = { (reader, _) throws(JSONFault) in throw reader.fault("a payload of this kind has no \(name)") }
    write = { _, _ in }
  }

  /// A member without which the payload is refused.
  init<Value>(
    required name: StaticString, _ property: WritableKeyPath<Payload, Value> & Sendable, _ coding: PayloadCoding<Value>
  ) {
    self.name = name
    isRequired = true
    read = { (reader, payload) throws(JSONFault) in payload[keyPath: property] = try coding.read(&reader) }
    write = { payload, writer in coding.write(payload[keyPath: property], name, &writer) }
  }
}

/// How a value is read from JSON, and written as a member.
struct PayloadCoding<Value>: Sendable {
  let read: @Sendable (inout JSONReader) throws(JSONFault) -> Value
  let write: @Sendable (Value, StaticString, inout JSONWriter) -> Void
}

extension PayloadCoding<String> {
  static let string = Self(
    read: { (reader) throws(JSONFault) in try reader.string() }, write: { $2.member($1, $0) })
  /// Any JSON value, as its text.
  static let json = Self(
    read: { (reader) throws(JSONFault) in try reader.rawValue() }, write: { $2.member($1, json: $0) })
}

extension PayloadCoding<Int64> {
  static let integer = Self(
    read: { (reader) throws(JSONFault) in try reader.integer() }, write: { $2.member($1, $0) })
}

extension PayloadCoding<Bool> {
  static let bool = Self(
    read: { (reader) throws(JSONFault) in try reader.bool() }, write: { $2.member($1, $0) })
}

extension PayloadCoding<StoreDate> {
  static let date = Self(
    read: { (reader) throws(JSONFault) in try reader.date() }, write: { $2.member($1, $0.millisecondsSince1970) })
}

extension PayloadCoding<Milliunits> {
  static let milliunits = Self(
    read: { (reader) throws(JSONFault) in Milliunits(try reader.integer()) }, write: { $2.member($1, $0.rawValue) })
}

extension PayloadCoding<TransactionID> {
  static let transactionID = Self(
    read: { (reader) throws(JSONFault) in try reader.transactionID() }, write: { $2.member($1, $0.rawValue) })
}

extension PayloadCoding<UUID> {
  static let uuid = Self(
    read: { (reader) throws(JSONFault) in try reader.uuid() },
    write: { $2.member($1, $0.uuidString.lowercased()) })
}

extension PayloadCoding<[UInt8]> {
  static let base64 = Self(
    read: { (reader) throws(JSONFault) in try reader.base64() },
    write: { $2.member($1, Base64.text($0, .standard)) })
}

extension PayloadCoding<[String]> {
  static let strings = Self(
    read: { (reader) throws(JSONFault) in
      var values: [String] = []
      try reader.elements { (reader) throws(JSONFault) in values.append(try reader.string()) }
      return values
    },
    write: { $2.member($1, strings: $0) })
}

extension PayloadCoding where Value: StringIdentifier {
  static var identifier: Self {
    Self(
      read: { (reader) throws(JSONFault) in Value(rawValue: try reader.string()) },
      write: { $2.member($1, $0.rawValue) })
  }
}

extension PayloadCoding where Value: SignedPayload {
  /// An object within the payload.
  static var object: Self {
    Self(
      read: { (reader) throws(JSONFault) in try Value.read(&reader) },
      write: { value, name, writer in writer.object(name) { value.write(to: &$0) } })
  }
}

extension PayloadCoding {
  static func objects<Element: SignedPayload>() -> Self where Value == [Element] {
    Self(
      read: { (reader) throws(JSONFault) in
        var values: [Element] = []
        try reader.elements { (reader) throws(JSONFault) in values.append(try Element.read(&reader)) }
        return values
      },
      write: { values, name, writer in writer.array(name, of: values) { $1.write(to: &$0) } })
  }
}

extension SignedPayload {
  /// Decodes the signed JSON. A member that is `null` is treated as missing. Unknown members are checked and skipped.
  static func read(payload: [UInt8]) throws(VerificationFailure) -> Self {
    do throws(JSONFault) {
      return try payload.withBuffer { (bytes) throws(JSONFault) in try JSONReader.read(bytes, Self.read) }
    } catch {
      throw .structure("\(title) cannot be read: \(error)")
    }
  }

  static func read(_ reader: inout JSONReader) throws(JSONFault) -> Self {
    var value = unread
    let members = members
    var missing = Set(members.indices.filter { members[$0].isRequired })
    try reader.members { (reader, key) throws(JSONFault) in
      guard let index = members.firstIndex(where: { key == $0.name }) else {
        try reader.skipValue()
        return
      }
      if reader.isNull() { return }
      try members[index].read(&reader, &value)
      missing.remove(index)
    }
    if let first = missing.min() { throw reader.fault("\(members[first].name) is missing") }
    return value
  }

  /// The JSON to sign. Missing values are omitted, UUIDs are in lower case.
  func writtenPayload() -> [UInt8] {
    var writer = JSONWriter()
    write(to: &writer)
    return writer.finished()
  }

  func write(to writer: inout JSONWriter) {
    for member in Self.members { member.write(self, &writer) }
  }
}
