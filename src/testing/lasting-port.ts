import { randomInt } from 'node:crypto'
import { once } from 'node:events'
import { createServer } from 'node:net'

/** Systems take ports for connections, and for servers that ask for any, from 32,768 or 49,152 on. */
const [lowest, end] = [10_000, 32_000]

const given = new Set<number>()

/**
 * Returns a free port for a server of another process, which may end and come back. A port that the system names would be given to
 * the next connection of any program while nothing listens there.
 */
export async function lastingPort(): Promise<number> {
  for (;;) {
    const port = randomInt(lowest, end)
    if (given.has(port)) continue
    given.add(port)
    const server = createServer().listen(port, '127.0.0.1')
    try {
      await once(server, 'listening')
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === 'EADDRINUSE') continue
      throw error
    }
    server.close()
    await once(server, 'close')
    return port
  }
}
