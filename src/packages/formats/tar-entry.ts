const blockBytes = 512

/** Returns the header of a file in a tar archive. The name has at most 100 bytes. Source: POSIX ustar. */
export function tarHead(name: string, sizeBytes: number, changedUnix: number): Buffer {
  const head = Buffer.alloc(blockBytes)
  const octal = (value: number, length: number) => value.toString(8).padStart(length, '0')
  head.write(name, 0, 100)
  head.write(
    `${octal(0o644, 7)}\0${octal(0, 7)}\0${octal(0, 7)}\0${octal(sizeBytes, 11)}\0${octal(changedUnix, 11)}\0`,
    100,
  )
  // The checksum field counts as blanks in the checksum.
  head.write('        0', 148)
  head.write('ustar\u000000', 257)
  const sum = head.reduce((total, byte) => total + byte, 0)
  head.write(`${octal(sum, 6)}\0 `, 148)
  return head
}

/** Returns the padding after a file. */
export const tarPadding = (sizeBytes: number): Buffer =>
  Buffer.alloc((blockBytes - (sizeBytes % blockBytes)) % blockBytes)

/** The end of an archive. */
export const tarEnd = Buffer.alloc(2 * blockBytes)
