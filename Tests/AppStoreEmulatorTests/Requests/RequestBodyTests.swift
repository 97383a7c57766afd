import Foundation
import SharedFixtures
import StoreModel
import Testing

@testable import AppStoreEmulator

@Suite("The bodies in the request journal", .timeLimit(.minutes(30)))
struct RequestBodyTests {
  @Test("a call has its body and that of its answer, or of its refusal")
  func call() async throws {
    let shop = try await TeaShop()
    let phone = try await shop.phone()
    try await shop.buy(on: phone)
    #expect(try await refusal { try await shop.store.finish(TransactionID(7), for: phone.id) } != nil)
    let requests = shop.store.requests()
    let confirm = try #require(requests.first { $0.metadata.kind == .device(.confirm) })
    let details = try shop.store.request(confirm.sequence)
    #expect(details.request == confirm)
    #expect(details.requestBody?.json.contains("\"paymentID\":\"payment 1\"") == true)
    #expect(details.answerBody?.json.hasPrefix("{\"purchased\":") == true)
    let finish = try shop.store.request(try #require(requests.last).sequence)
    #expect(finish.requestBody == JournaledBody(Array("{\"transactionID\":\"7\"}".utf8), count: 21))
    #expect(finish.answerBody?.json.contains("\"code\":\"unknownTransaction\"") == true)
    #expect(throws: AppStoreEmulatorError.unknownRequest(99)) { try shop.store.request(99) }
  }

  @Test("a request that nobody answered has no answer's body")
  func unanswered() async throws {
    let shop = try await TeaShop()
    let phone = try await shop.phone()
    try shop.store.set(Fault(AnswerLostFault()))
    #expect(try await shop.endOfPurchase(on: phone) == .noAnswer)
    let last = try #require(shop.store.requests().last)
    let details = try shop.store.request(last.sequence)
    #expect(details.requestBody != nil && details.answerBody == nil)
  }

  @Test("passwords, shared secrets and authentication codes are in no body")
  func secrets() async throws {
    let shop = try await TeaShop()
    let phone = try await shop.phone(signedInAs: nil)
    try await shop.store.addCustomer(Customer(environment: .sandbox, name: "ada", password: "battery"))
    _ = try await shop.store.signIn(SignInCredentials(account: "ada", password: "battery"), on: phone.id)
    let quote = try await shop.quote(on: phone)
    _ = try await shop.store.confirm(quote, for: phone.id)
    let secret = try await shop.store.app(TeaShop.app).sharedSecret
    _ = try await shop.store.verifyReceipt(
      Data(#"{"password" : "\#(secret)", "receipt-data":"AAAA"}"#.utf8), at: .sandbox)
    let bodies = try shop.store.requests().map { try shop.store.request($0.sequence) }
    let text = bodies.map { "\($0.requestBody?.json ?? "") \($0.answerBody?.json ?? "")" }.joined()
    #expect(!text.contains("battery") && !text.contains(secret))
    #expect(!text.contains(quote.authenticationCode.base64EncodedString()))
    #expect(text.contains(#""password":"(redacted)""#) && text.contains(#""password" : "(redacted)""#))
    #expect(text.contains(#""authenticationCode":"(redacted)""#))
    #expect(text.contains(#""receipt-data":"AAAA""#))
  }

  @Test(
    "a secret is replaced wherever it is, also in a text that is cut off",
    arguments: [
      (#"{"password":"a\"b","x":1}"#, #"{"password":"(redacted)","x":1}"#),
      (#"{"p\u0061ssword":"s"}"#, #"{"p\u0061ssword":"(redacted)"}"#),
      (#"{"password":{"a":["s","}"]},"x":"password"}"#, #"{"password":"(redacted)","x":"password"}"#),
      (#"{"a":[{"authenticationCode" : 12}]}"#, #"{"a":[{"authenticationCode" : "(redacted)"}]}"#),
      (#"{"a":"{\"b\":[{\"Password\":\"s\"}]}","x":1}"#, #"{"a":"(redacted)","x":1}"#),
      (#"{"a":["{\"authenticationCode\" : \"cut o"#, #"{"a":["(redacted)""#),
      (#"{"a":"{\"passwords\":1} password"}"#, #"{"a":"{\"passwords\":1} password"}"#),
      (#"{"password":"never clo"#, #"{"password":"(redacted)""#), (#"{"password":"#, #"{"password":"#),
      (#"{"password"#, #"{"password"#), (#"{"password":nul"#, #"{"password":"(redacted)""#), ("{}", "{}"),
    ])
  func redaction(text: String, redacted: String) {
    #expect(JournaledBody(Array(text.utf8), count: text.utf8.count).json == redacted)
  }

  @Test(
    "text that is no JSON ends where it stops being JSON, so no secret behind that place is shown",
    arguments: [
      #"{"receipt-data":"AAAA, "password":"SECRET"}"#, #"{password:"SECRET"}"#, #"{"password"="SECRET"}"#,
      #"{"password","SECRET"}"#, #"{"password"/**/:"SECRET"}"#, #"{"password":/*,*/"SECRET"}"#,
      #"{"pass\word":"SECRET"}"#, #"{"password":'a,SECRET'}"#, #"{"password":"x"SECRET"}"#,
      "{\"password\"\u{0B}:\"SECRET\"}", "{\"password\"\u{A0}:\"SECRET\"}", #"{"Password":"SECRET"}"#,
      #"{"a":1} "password":"SECRET""#, #"{"a":[1}, "password":"SECRET"}"#,
    ])
  func brokenJSON(text: String) {
    let body = JournaledBody(Array(text.utf8), count: text.utf8.count)
    #expect(!body.json.contains("SECRET"))
    #expect(body.json.hasPrefix("{"))
    #expect(body.isCut || body.json.contains("(redacted)"))
  }

  @Test("JSON without secrets is shown byte by byte, whatever its values are")
  func unchanged() {
    let text = #" {"a" : [1.5e-3, true, null, "\u00e9\"", {}, []], "b":{"c":[[{"d":false}]]}} "#
    let body = JournaledBody(Array(text.utf8), count: text.utf8.count)
    #expect(body.json == text && !body.isCut)
  }

  @Test("a long body is cut after 16 KiB, between characters, and says so; other text is only counted")
  func cut() {
    let long = Array(("{\"x\":\"a" + String(repeating: "é", count: 20_000)).utf8)
    let body = JournaledBody(long, count: long.count)
    #expect(body.isCut && body.json.utf8.count == (16 << 10) - 1 && body.json.last == "é")
    #expect(RecordedBody(json: long).heldBytes == (16 << 10) + 1)
    for text in ["password=secret", "", "{\u{0}\"password\""] {
      let bytes = Array(text.utf8)
      #expect(
        JournaledBody(bytes, count: bytes.count).json == "\"\(bytes.count) bytes that are no JSON object in UTF-8\"")
    }
  }

  @Test("bodies are kept for the newest requests only, by number and by size")
  func bounds() throws {
    var log = RequestBodyLog()
    let small = RecordedBody("x", heldBytes: 10)
    for sequence in 1...Int64(RequestBodyLog.largestNumber) + 20 { log.append(small, of: sequence) }
    #expect(log.count == RequestBodyLog.largestNumber)
    #expect(log[20] == nil && log[21] != nil)
    log.add(small, to: 20)
    log.add(small, to: 21)
    #expect(log.heldBytes == 10 * (RequestBodyLog.largestNumber + 1))
    log.append(RecordedBody("x", heldBytes: RequestBodyLog.largestSize - 10), of: 521)
    #expect(log.count == 2 && log[521] != nil && log.heldBytes == RequestBodyLog.largestSize)
    log.add(RecordedBody("x", heldBytes: RequestBodyLog.largestSize), to: 521)
    #expect(log.count == 0 && log.heldBytes == 0)
    log.append(small, of: 522)
    #expect(log[522] != nil)
  }

  @Test("the duration is the machine's time from the arrival to the answer, in whole microseconds")
  func duration() async throws {
    let time = LockedValue<Int64>(0)
    let machine = ScriptedClock(
      date: { TeaShop.opening },
      nanoseconds: {
        time.withLock {
          $0 += 1_234_567; return $0
        }
      })
    let store = try EmulatedAppStore(.inMemory(wallClock: machine, seed: 1))
    _ = try await store.verifyReceipt(Data("{}".utf8), at: .sandbox)
    #expect(store.requests().first?.durationMicroseconds == 1_234)
    let number = store.requestJournal.begin(
      RequestMetadata(.verifyReceipt), RecordedBody("x", heldBytes: 1), date: TeaShop.opening)
    #expect(store.requests().last?.sequence == number && store.requests().last?.durationMicroseconds == nil)
  }

  @Test("a poll without news is idle; with news, or with a fault, it is not")
  func polls() async throws {
    let shop = try await TeaShop()
    let phone = try await shop.phone()
    func poll() async throws -> Bool? {
      _ = try? await shop.store.changes(after: ChangeCursor(rawValue: 0), waitSeconds: 0, for: phone.id)
      return shop.store.requests().last?.isIdlePoll
    }
    #expect(try await poll() == true)
    try shop.store.set(Fault(OutageFault(), id: "outage"))
    #expect(try await poll() == false)
    try shop.store.removeFault("outage")
    _ = try await shop.store.purchase(TeaShop.oolong, of: TeaShop.app, for: TeaShop.customer, in: .sandbox)
    #expect(try await poll() == false)
    _ = try await shop.store.unfinished(for: phone.id)
    #expect(shop.store.requests().last?.isIdlePoll == false)
  }
}
