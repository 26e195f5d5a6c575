/** Clean-up of a script, also when it is interrupted. */

const tasks = new Set()
let listening = false

async function runAll() {
  await Promise.allSettled([...tasks].map((task) => task()))
}

/** Registers an asynchronous task that runs once on interrupt or termination. Returns a function that runs it now instead. */
export function onInterrupt(task) {
  const once = () => (tasks.delete(once) ? task() : Promise.resolve())
  tasks.add(once)
  if (!listening) {
    listening = true
    for (const [signal, number] of [
      ['SIGHUP', 1],
      ['SIGINT', 2],
      ['SIGTERM', 15],
    ]) {
      process.once(signal, () => void runAll().then(() => process.exit(128 + number)))
    }
  }
  return once
}
