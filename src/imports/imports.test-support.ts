import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http'
import { startForge, type Forge, type ForgeOptions } from '../testing/forge.ts'

const settings = {
  migrations: { ALLOW_LOCALNETWORKS: true, RETRY_BACKOFF: 0 },
  attachment: { ENABLED: true },
  server: { LFS_START_SERVER: true },
}
/** A forge that imports from this machine. */
export const openForge = (more: ForgeOptions['settings'] = {}) => startForge({ settings: { ...settings, ...more } })

/** Every item that can be asked for. */
export const everything = {
  wiki: true,
  labels: true,
  milestones: true,
  issues: true,
  pull_requests: true,
  releases: true,
  lfs: true,
}

/** A server that begins as `source` and does something else for some addresses; `answer` gives true where it has answered. */
export function inFrontOf(
  source: Forge,
  answer: (request: IncomingMessage, response: ServerResponse) => boolean,
): RequestListener {
  return (request, response) => {
    if (answer(request, response)) return
    const headers = Object.fromEntries(
      Object.entries(request.headers).flatMap(([name, value]) =>
        name === 'host' || name === 'connection' || value === undefined ? [] : [[name, String(value)]],
      ),
    )
    const forward = async (): Promise<void> => {
      const body = request.method === 'POST' ? Buffer.concat(await request.toArray()) : undefined
      const reply = await fetch(source.url + request.url, {
        method: request.method ?? 'GET',
        headers,
        ...(body ? { body } : {}),
      })
      const kept = [...reply.headers].filter(
        ([name]) => !/^(content-encoding|content-length|connection|transfer-encoding)$/.test(name),
      )
      response.writeHead(reply.status, Object.fromEntries(kept)).end(Buffer.from(await reply.arrayBuffer()))
    }
    forward().catch(() => response.destroy())
  }
}
