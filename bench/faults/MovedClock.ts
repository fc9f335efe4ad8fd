/**
 * For `node --import`: a server process whose clock is moved by the milliseconds that the file `FAULTS_CLOCK` holds. Effect's
 * clock reads `Date.now`; timers go on as they are, as they do when a system's clock is set.
 */
import { readFileSync } from "node:fs"

const file = process.env["FAULTS_CLOCK"]
const lookEveryMillis = 200

if (file !== undefined) {
  const now = Date.now.bind(Date)
  let moved = 0
  const look = () => {
    try {
      moved = Number(readFileSync(file, "utf8"))
    } catch {
      moved = 0
    }
  }
  look()
  Date.now = () => now() + moved
  setInterval(look, lookEveryMillis).unref()
}
