import { hash } from 'node:crypto'
import type { RepoCtx } from '../access/context.ts'
import { perApplication } from '../access/per-application.ts'
import { EncodedBody } from '../lib/encoded-body.ts'

/**
 * A larger answer is made anew each time: it would take the place of too many others. A folder of 2,000 files is 1.9 MB where the
 * address of its repository is short, and may be twice that.
 */
const maxEntryBytes = 4 << 20

/** What an entry takes besides its text, in bytes. */
const entryBytes = 350

interface Page<Body extends object> {
  readonly body: EncodedBody<Body>
  /** Of all pages, when the answer is one of several. */
  readonly total: number
}

const pages = perApplication((caches) =>
  caches.open<string, Page<object>>('answers', {
    maxEntryBytes,
    sizeOf: ({ body }) => body.sizeBytes + entryBytes,
  }),
)

/**
 * One page of an answer about contents of git, which never change, as it was encoded the first time.
 *
 * @param madeOf everything that the answer is made of: ids of objects, addresses, and what is shown of rows, which may
 *   change and so is asked for each time
 */
export async function keptPage<Body extends object>(
  place: Pick<RepoCtx, 'caches'>,
  madeOf: readonly unknown[],
  make: () => Promise<{ readonly body: Body; readonly total: number }>,
): Promise<Page<Body>> {
  const key = hash('sha256', JSON.stringify(madeOf), 'base64url')
  const known = pages(place).get(key)
  if (known) return known as Page<Body>
  const { body, total } = await make()
  const page = { body: new EncodedBody<Body>(body), total }
  pages(place).set(key, page)
  return page
}

/** The same for a whole answer. */
export const keptAnswer = async <Body extends object>(
  place: Pick<RepoCtx, 'caches'>,
  madeOf: readonly unknown[],
  make: () => Promise<Body>,
): Promise<EncodedBody<Body>> => (await keptPage(place, madeOf, async () => ({ body: await make(), total: 1 }))).body
