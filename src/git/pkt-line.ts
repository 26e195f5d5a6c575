// The pkt-line format of git's protocols (gitprotocol-common).
import { BadRequest } from '../lib/errors.ts'

/** The packet that ends a list. */
export const flushPacket = '0000'

/** Returns a packet: four hexadecimal digits with its length, including themselves, then the text. */
export const packet = (text: string): string => (Buffer.byteLength(text) + 4).toString(16).padStart(4, '0') + text

/**
 * Returns the packets of a buffer. `undefined` stands for a flush packet, `''` for a delimiter packet.
 * @throws BadRequest when the bytes are not whole packets
 */
export function parsePackets(bytes: Buffer): Array<string | undefined> {
  const packets: Array<string | undefined> = []
  let offset = 0
  while (offset < bytes.length) {
    const digits = bytes.toString('latin1', offset, offset + 4)
    const length = /^[0-9a-f]{4}$/i.test(digits) ? Number.parseInt(digits, 16) : -1
    if (length === -1 || length === 2 || length === 3 || offset + length > bytes.length) {
      throw new BadRequest('the request is not in the format of git')
    }
    packets.push(length === 0 ? undefined : bytes.toString('utf8', offset + 4, offset + length).replace(/\n$/, ''))
    offset += Math.max(4, length)
  }
  return packets
}
