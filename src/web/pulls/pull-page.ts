import type { RepoCtx } from '../../access/context.ts'
import { canRead, gitRepo, inRepo, pullsEnabled } from '../../access/repo.requirements.ts'
import { mayEditIssue } from '../../issues/issue.policy.ts'
import { getReadableIssue } from '../../issues/issue.service.ts'
import { Moved } from '../../lib/errors.ts'
import { viewPull } from '../../pulls/pull-view.service.ts'
import { repoWebUrl } from '../../repos/repo-url.ts'
import { renderText } from '../../site/render.service.ts'
import { placeOf } from './pull-paths.ts'

/** What every page of a pull request requires, in the order of the API. */
export const readsPull = [inRepo, pullsEnabled, canRead('code'), gitRepo] as const

/** Returns what the head of each page of a pull request shows. A number of an issue redirects there. */
export async function loadPull(ctx: RepoCtx, index: number) {
  const issue = await getReadableIssue(ctx, index)
  if (!issue.is_pull) throw new Moved(303, `${new URL(repoWebUrl(ctx)).pathname}/issues/${index}`)
  const view = await viewPull(ctx, index)
  return {
    view,
    place: placeOf(ctx),
    mayEdit:
      ctx.viewer !== undefined &&
      mayEditIssue(ctx.viewer, ctx.rights, view.pair.issue).allowed &&
      !ctx.repo.is_archived,
  }
}

/** Texts that are rendered at once: the renderer refuses when too many wait. */
const rendersAtOnce = 6

/** Renders texts of a repository as sanitised HTML, by key. */
export async function renderTexts<Key>(
  ctx: RepoCtx,
  texts: readonly (readonly [Key, string])[],
): Promise<ReadonlyMap<Key, string>> {
  const rendered = new Map<Key, string>()
  const place = { context: `${ctx.owner.name}/${ctx.repo.name}` }
  for (let at = 0; at < texts.length; at += rendersAtOnce) {
    const some = texts.slice(at, at + rendersAtOnce)
    const html = await Promise.all(some.map(([, text]) => renderText(ctx, text, 'comment', place, ctx)))
    for (const [index, [key]] of some.entries()) rendered.set(key, html[index] ?? '')
  }
  return rendered
}
