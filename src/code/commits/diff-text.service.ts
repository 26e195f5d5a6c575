import type { Services } from '../../access/context.ts'
import type { DiffTextQuery, ReadFrom } from '../../git/git.ts'

/** Reads the text of a difference, of little more than `maxBytes` at most; `isWhole` says whether that is all. */
export async function readDiffText(
  { git }: Pick<Services, 'git'>,
  at: ReadFrom,
  query: DiffTextQuery,
  maxBytes: number,
): Promise<{ readonly bytes: Buffer; readonly isWhole: boolean }> {
  const chunks: Buffer[] = []
  let size = 0
  for await (const chunk of (await git.diffText(at, query)) as AsyncIterable<Buffer>) {
    chunks.push(chunk)
    size += chunk.length
    // Leaving the loop ends the stream and its process.
    if (size > maxBytes) break
  }
  return { bytes: Buffer.concat(chunks), isWhole: size <= maxBytes }
}
