import { STATUS_CODES, type Server } from 'node:http'
import type { Duplex } from 'node:stream'
import { wordTable } from '../lib/word-table.ts'

/** Time and bytes that a refused client may still send before its connection is closed. */
const lingerMs = 1000
const lingerBytes = 4 << 20

/** An address of at most this many characters is not what made a request too long. */
const shortLine = 16 * 1024

interface ParseError extends Error {
  readonly code?: string
  /** Bytes that the parser failed on. */
  readonly rawPacket?: Buffer
}

/**
 * Answers requests that cannot be read. A connection that is cut while its client still sends is reset, and the client never
 * sees the answer; so what comes is read and thrown away for a moment.
 */
export function answerClientErrors(server: Server): void {
  server.on('clientError', (error: ParseError, socket: Duplex) => {
    // The socket has a running reply; a second one would become part of its content.
    const { _httpMessage: underWay } = socket as { readonly _httpMessage?: { readonly headersSent: boolean } | null }
    if (!socket.writable || error.code === 'ECONNRESET' || underWay?.headersSent === true) {
      socket.destroy()
      return
    }
    const status = statusOf(error)
    const reason = STATUS_CODES[status] ?? ''
    const body = `${reason}\n`
    socket.end(
      `HTTP/1.1 ${status} ${reason}\r\nContent-Type: text/plain;charset=utf-8\r\nContent-Length: ${body.length}\r\nConnection: close\r\n\r\n${body}`,
    )
    linger(socket)
  })
}

const statuses = wordTable<number>({
  HPE_CHUNK_EXTENSIONS_OVERFLOW: 413,
  ERR_HTTP_REQUEST_TIMEOUT: 408,
})

function statusOf({ code = '', rawPacket }: ParseError): number {
  if (code !== 'HPE_HEADER_OVERFLOW') return statuses[code] ?? 400
  return rawPacket && isRequestLine(rawPacket) ? 414 : 431
}

/**
 * Whether the bytes that were one too many belong to the request line. Of a request in several pieces only the last one is
 * known: an address has no spaces and no line ends, and the protocol's name comes after it.
 */
function isRequestLine(packet: Buffer): boolean {
  const text = packet.toString('latin1')
  const [line = ''] = text.split(/\r?\n/, 1)
  const [, method, target, protocol] = /^([A-Z]+ (?=\/))?(\S+)( HTTP\/1\.\d)?$/.exec(line) ?? []
  if (target === undefined) return false
  return method === undefined ? protocol !== undefined || line.length === text.length : target.length > shortLine
}

function linger(socket: Duplex): void {
  let received = 0
  socket.removeAllListeners('data')
  socket.on('data', (piece: Buffer) => {
    received += piece.length
    if (received > lingerBytes) socket.destroy()
  })
  socket.on('error', () => socket.destroy())
  const timer = setTimeout(() => socket.destroy(), lingerMs)
  socket.once('close', () => clearTimeout(timer))
}
