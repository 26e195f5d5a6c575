import type { RepoCtx } from '../../access/context.ts'
import { renderText } from '../../site/render.service.ts'
import { pathOf } from '../ui/paths.ts'

/** Texts that are rendered at once; the renderer refuses more than it can queue. */
const atOnce = 8

/** Renders Markdown texts of a repository as sanitised HTML, by key. */
export async function renderTexts<Key>(
  ctx: RepoCtx,
  sources: readonly (readonly [Key, string])[],
): Promise<ReadonlyMap<Key, string>> {
  const place = { context: pathOf(ctx.owner.name, ctx.repo.name) }
  const rendered = new Map<Key, string>()
  for (let start = 0; start < sources.length; start += atOnce) {
    const part = sources.slice(start, start + atOnce)
    const texts = await Promise.all(part.map(([, source]) => renderText(ctx, source, 'comment', place, ctx)))
    for (const [index, [key]] of part.entries()) rendered.set(key, texts[index] ?? '')
  }
  return rendered
}
