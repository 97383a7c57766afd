import HTTPDoors
import Hummingbird

enum ServiceDescription { static var response: Response { Response(status: .ok) } }
