import { connect, createServer, type AddressInfo, type Socket } from 'node:net'
import { parentPort, workerData } from 'node:worker_threads'
import type { PortData } from './watched-port.ts'

/** How often the main thread is looked at, in milliseconds. */
const lookMs = 200

const { turns, stallMs, sentence } = workerData as PortData

/** Connections whose request the forge has not begun to answer. */
const unanswered = new Map<Socket, Socket>()
let target = 0

const server = createServer((client) => {
  const forge = connect({ host: '127.0.0.1', port: target })
  client.on('data', () => unanswered.set(client, forge))
  forge.on('data', () => unanswered.delete(client))
  client.pipe(forge).pipe(client)
  for (const [socket, other] of [
    [client, forge],
    [forge, client],
  ] as const) {
    socket.on('error', () => other.destroy())
    socket.on('close', () => {
      unanswered.delete(client)
      other.destroySoon()
    })
  }
})

const body = `${sentence}\n`
const reply = [
  'HTTP/1.1 503 Service Unavailable',
  'content-type: text/plain;charset=utf-8',
  `content-length: ${Buffer.byteLength(body)}`,
  'connection: close',
  '',
  body,
].join('\r\n')

let known = -1
let knownSince = performance.now()
setInterval(() => {
  const turn = Atomics.load(turns, 0)
  if (turn !== known) {
    known = turn
    knownSince = performance.now()
  }
  if (performance.now() - knownSince < stallMs) return
  for (const [client, forge] of unanswered) {
    forge.unpipe(client)
    forge.destroy()
    client.end(reply)
  }
  unanswered.clear()
}, lookMs)

parentPort?.on('message', (port: number) => (target = port))
server.listen(0, '127.0.0.1', () => parentPort?.postMessage((server.address() as AddressInfo).port))
