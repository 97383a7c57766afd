import Foundation
import SignedData
import StoreModel

/// The JSON body of a request, and the error for each of its members.
public protocol ServerAPIBody: Codable, Hashable, Sendable {
  /// The error for a missing or mistyped member, by its name. Other members cause ``ServerAPIErrorCode/generalBadRequest``.
  static var memberErrors: [String: ServerAPIErrorCode] { get }

  /// Checks the values that have a valid type, in the order of the members.
  func check() throws(ServerAPIRefusal)
}

extension ServerAPIRequest {
  /// A request with a JSON body.
  init(parameters: [String: String] = [:], query: [QueryItem] = [], json: some ServerAPIBody) throws {
    self.init(parameters: parameters, query: query, body: try ServerAPI.encoder().encode(json))
  }

  /// Reads the body.
  func content<Body: ServerAPIBody>(_ type: Body.Type = Body.self) throws(ServerAPIRefusal) -> Body {
    let content: Body
    do {
      try JSONCheck.check(body)
      content = try BoundedJSON.decode(Body.self, from: body)
    } catch let error as DecodingError {
      throw refusal(of: error, Body.memberErrors)
    } catch {
      throw ServerAPIRefusal(.generalBadRequest, "the body cannot be read: \(error)")
    }
    try content.check()
    return content
  }

  private func refusal(
    of error: DecodingError, _ memberErrors: [String: ServerAPIErrorCode]
  ) -> ServerAPIRefusal {
    let (path, problem): ([any CodingKey], String) =
      switch error {
      case .keyNotFound(let key, let context): (context.codingPath + [key], "is missing")
      case .valueNotFound(_, let context): (context.codingPath, "is null")
      case .typeMismatch(_, let context): (context.codingPath, "has another type: \(context.debugDescription)")
      case .dataCorrupted(let context): (context.codingPath, "is not valid: \(context.debugDescription)")
      @unknown default: ([], "cannot be read")
      }
    guard let member = path.first?.stringValue else {
      // Foundation does not say which number cannot be read.
      let numbers = (try? BoundedJSON.decode(UnreadableNumbers.self, from: body).members) ?? []
      if let member = numbers.first(where: { memberErrors[$0] != nil }) ?? numbers.first {
        return ServerAPIRefusal(
          memberErrors[member] ?? .generalBadRequest, "the body's \(member) is not a whole number of 64 bits")
      }
      return ServerAPIRefusal(.generalBadRequest, "the body \(problem)")
    }
    return ServerAPIRefusal(memberErrors[member] ?? .generalBadRequest, "the body's \(member) \(problem)")
  }
}

/// The members of a body whose values are numbers with a fraction, or outside of the range of `Int64`. No body has such a member.
private struct UnreadableNumbers: Decodable {
  /// In the order of their names.
  let members: [String]

  init(from decoder: any Decoder) throws {
    let container = try decoder.container(keyedBy: AnyCodingKey.self)
    members = container.allKeys.filter { key in
      do {
        _ = try container.decode(Int64.self, forKey: key)
        return false
      } catch DecodingError.typeMismatch {
        return false
      } catch DecodingError.valueNotFound {
        return false
      } catch {
        return true
      }
    }.map(\.stringValue).sorted()
  }
}

extension OpenEnum {
  /// Throws unless the value is known.
  func check(
    _ member: String, or code: ServerAPIErrorCode
  ) throws(ServerAPIRefusal) where Known: CaseIterable {
    guard known == nil else { return }
    let expected = Known.allCases.map { "\($0.rawValue)" }.joined(separator: ", ")
    throw ServerAPIRefusal(
      code, "the body's \(member) is \(ServerAPIRequest.shown("\(rawValue)")), not one of \(expected)")
  }
}
