import Hummingbird
import GRDB
print("laid next")
