import type { RepoCtx } from '../../access/context.ts'
import { mapLimited } from '../../lib/map-limited.ts'
import { renderText, type TextContext } from '../../site/render.service.ts'
import { pathOf } from './paths.ts'
import { withSnippets } from './snippets.tsx'

/** Texts that are rendered at once: the renderer refuses when too many wait. */
const atOnce = 4

/** A key, a text, its scope of ids (`SanitizeOptions`), which only the main text of a page lacks, and what it suggests. */
export type SourceText<Key> = readonly [
  key: Key,
  text: string,
  idScope?: string,
  suggestion?: TextContext['suggestion'],
]

/** Renders Markdown texts of a repository as sanitised HTML with the lines that permalinks name, by key. */
export async function renderTexts<Key>(
  ctx: RepoCtx,
  sources: readonly SourceText<Key>[],
): Promise<ReadonlyMap<Key, string>> {
  const context = { context: pathOf(ctx.owner.name, ctx.repo.name), isForPage: true }
  return new Map(
    await mapLimited(sources, atOnce, async ([key, source, idScope, suggestion]) => {
      const more = { ...(idScope && { idScope }), ...(suggestion && { suggestion }) }
      const html = await renderText(ctx, source, 'comment', { ...context, ...more }, ctx)
      return [key, await withSnippets(ctx, html)] as const
    }),
  )
}
