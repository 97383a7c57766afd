import HTTPTypes
import Hummingbird
import WebSupport

/// The routes of the demo: its page, the stream that updates the page, and the forms of the tour.
struct DemoRoutes: Sendable {
  let pageState: DemoState
  let frames: @Sendable () -> DemoView.Frames
  /// Returns how the operator's pages are reached; nil until the purchase server has started.
  let operators: @Sendable () -> OperatorsView.Access?
  /// Begins to play a station's actions.
  let play: @Sendable (TourPlay) async -> Void

  /// The form that turns to another station of the tour.
  private struct TurnForm: Decodable, Sendable {
    let turn: String
    /// The index of a station. Required if `turn` is `to`.
    let station: Int?
  }

  /// The form that plays a station.
  private struct PlayForm: Decodable, Sendable {
    /// The index of the station.
    let station: Int
  }

  var router: Router<BasicRequestContext> {
    let router = Router()
    router.add(middleware: LocalOriginMiddleware(program: "demo"))
    PageAssets([.demo, .demoScript]).add(to: router)
    let (pageState, frames, operators, play) = (pageState, frames, operators, play)
    router.get("/") { _, _ in
      let frames = frames()
      let origins = frames.devices.map(\.address) + [frames.store]
      return Response.page(DemoView(scene: pageState.scene, frames: frames).page, frames: origins)
    }
    router.get(.init(DemoView.operators)) { _, _ in Response.page(OperatorsView(access: operators()).page) }
    router.get("live") { request, _ in try Response.liveStream(pageState.signal, for: request) }
    router.post("tour") { request, _ in
      let turn = try Self.turn(try await request.form(TurnForm.self))
      pageState.turn(turn)
      if turn == .restart { await play(.restart(on: frames().devices.map(\.name))) }
      return Response.seeOther("/")
    }
    router.post("play") { request, _ in
      let (stations, station) = (pageState.scene.tour.stations, try await request.form(PlayForm.self).station)
      guard stations.indices.contains(station), let actions = stations[station].play else {
        throw ErrorResponse(.badRequest, "noSuchPlay", "The tour has no such station that can be played.")
      }
      await play(actions)
      return Response.seeOther("/")
    }
    return router
  }

  private static func turn(_ form: TurnForm) throws -> TourProgress.Turn {
    switch (form.turn, form.station) {
    case ("next", _): .next
    case ("back", _): .back
    case ("restart", _): .restart
    case ("to", let station?): .to(station)
    default: throw ErrorResponse(.badRequest, "noSuchTurn", "The tour turns next, back, to a station, or restarts.")
    }
  }
}
