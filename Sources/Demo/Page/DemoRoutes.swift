import HTTPTypes
import Hummingbird
import WebSupport

/// The routes of the demo: its page, and the stream that updates the page. They are read-only.
struct DemoRoutes: Sendable {
  let pageState: DemoState
  let frames: @Sendable () -> DemoView.Frames

  var router: Router<BasicRequestContext> {
    let router = Router()
    router.add(middleware: LocalOriginMiddleware(program: "demo"))
    PageAssets([.demo]).add(to: router)
    let (pageState, frames) = (pageState, frames)
    router.get("/") { _, _ in
      let frames = frames()
      let origins = frames.devices.map(\.address) + [frames.store]
      return Response.page(DemoView(scene: pageState.scene, frames: frames).page, frames: origins)
    }
    router.get("live") { request, _ in try Response.liveStream(pageState.signal, for: request) }
    return router
  }
}
