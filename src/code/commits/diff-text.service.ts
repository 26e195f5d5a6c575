import type { Services } from '../../access/context.ts'
import type { DiffTextQuery, ReadFrom } from '../../git/git.ts'

/** How much of a text is read: each line becomes an object, so that short lines count by their number. */
export interface DiffTextLimits {
  readonly maxBytes: number
  readonly maxLines: number
}

const lineFeed = 10

/** Reads the text of a difference up to a limit, where it ends with a whole line; `isWhole` says whether that is all. */
export async function readDiffText(
  { git }: Pick<Services, 'git'>,
  at: ReadFrom,
  query: DiffTextQuery,
  { maxBytes, maxLines }: DiffTextLimits,
): Promise<{ readonly bytes: Buffer; readonly isWhole: boolean }> {
  const chunks: Buffer[] = []
  let [size, lines, wholeSize] = [0, 0, 0]
  for await (const chunk of (await git.diffText(at, query)) as AsyncIterable<Buffer>) {
    for (let end = chunk.indexOf(lineFeed); end !== -1 && lines <= maxLines; end = chunk.indexOf(lineFeed, end + 1)) {
      lines += 1
      if (lines <= maxLines && size + end < maxBytes) wholeSize = size + end + 1
    }
    chunks.push(chunk)
    size += chunk.length
    // Leaving the loop ends the stream and its process.
    if (size > maxBytes || lines > maxLines) break
  }
  const isWhole = size <= maxBytes && lines <= maxLines
  const read = Buffer.concat(chunks)
  return { bytes: isWhole ? read : read.subarray(0, wholeSize), isWhole }
}
