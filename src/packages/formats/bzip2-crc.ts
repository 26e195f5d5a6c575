const crcTable = Uint32Array.from({ length: 256 }, (_, index) => {
  let value = index << 24
  for (let bit = 0; bit < 8; bit += 1) value = value & 0x80000000 ? (value << 1) ^ 0x04c11db7 : value << 1
  return value
})

/** CRC-32 with the highest bit first; `node:zlib` takes the lowest bit first. */
export const nextCrc = (crc: number, byte: number): number =>
  ((crc << 8) ^ (crcTable[(crc >>> 24) ^ byte] as number)) >>> 0
