import { hash } from 'node:crypto'
import type { RepoCtx } from '../access/context.ts'
import { perApplication } from '../access/per-application.ts'
import { EncodedBody } from '../lib/encoded-body.ts'

/** Larger answers are not cached, because they would evict many others. A folder of 2,000 files takes 2 to 4 MB. */
const maxEntryBytes = 4 << 20

/** Bytes of an entry besides its text. */
const entryBytes = 350

interface Page<Body extends object> {
  readonly body: EncodedBody<Body>
  /** Of all pages, for a paged answer. */
  readonly total: number
}

const pages = perApplication((caches) =>
  caches.open<string, Page<object>>('answers', {
    maxEntryBytes,
    sizeOf: ({ body }) => body.sizeBytes + entryBytes,
  }),
)

/**
 * Caches the encoded answer to a question about git contents, which never change.
 * @param madeOf everything that determines the answer: object ids, addresses, and values from rows, which the caller
 * reads on each request
 * @param toJson `listJson` for a list that has a limit
 */
export async function keptPage<Body extends object>(
  context: Pick<RepoCtx, 'caches'>,
  madeOf: readonly unknown[],
  make: () => Promise<{ readonly body: Body; readonly total: number }>,
  toJson?: (body: unknown) => string,
): Promise<Page<Body>> {
  const key = hash('sha256', JSON.stringify(madeOf), 'base64url')
  const known = pages(context).get(key)
  if (known) return known as Page<Body>
  const { body, total } = await make()
  const page = { body: new EncodedBody<Body>(body, toJson), total }
  pages(context).set(key, page)
  return page
}

/** Like `keptPage`, for an answer without pages. */
export const keptAnswer = async <Body extends object>(
  context: Pick<RepoCtx, 'caches'>,
  madeOf: readonly unknown[],
  make: () => Promise<Body>,
  toJson?: (body: unknown) => string,
): Promise<EncodedBody<Body>> =>
  (await keptPage(context, madeOf, async () => ({ body: await make(), total: 1 }), toJson)).body
