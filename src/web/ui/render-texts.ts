import type { RepoCtx } from '../../access/context.ts'
import { mapLimited } from '../../lib/map-limited.ts'
import { renderText } from '../../site/render.service.ts'
import { pathOf } from './paths.ts'

/** Texts that are rendered at once: the renderer refuses when too many wait. */
const atOnce = 4

/** A key, a text, and its scope of ids (`SanitizeOptions`), which only the main text of a page lacks. */
export type SourceText<Key> = readonly [key: Key, text: string, idScope?: string]

/** Renders Markdown texts of a repository as sanitised HTML, by key. */
export async function renderTexts<Key>(
  ctx: RepoCtx,
  sources: readonly SourceText<Key>[],
): Promise<ReadonlyMap<Key, string>> {
  const context = { context: pathOf(ctx.owner.name, ctx.repo.name), isForPage: true }
  return new Map(
    await mapLimited(
      sources,
      atOnce,
      async ([key, source, idScope]) =>
        [key, await renderText(ctx, source, 'comment', { ...context, ...(idScope && { idScope }) }, ctx)] as const,
    ),
  )
}
