import { renderToString } from 'preact-render-to-string'
import { inRepo } from '../../access/repo.requirements.ts'
import type { RepoCtx } from '../../access/context.ts'
import { bytesOf, operation, validBody } from '../../http/operation.ts'
import { requestObject } from '../../http/schema.ts'
import { suggest } from '../../issues/references/suggestion.service.ts'
import { renderText } from '../../site/render.service.ts'
import type { BrowserCtx } from '../shell/browser-context.ts'
import { inBrowser, inSession, ownForm } from '../shell/browser.requirements.ts'
import { sendFragment } from '../shell/send-page.tsx'
import { csrfName } from '../ui/page-context.ts'
import { pathOf } from '../ui/paths.ts'
import { withSnippets } from '../ui/snippets.tsx'
import { SuggestionList } from '../lists/suggestion-list.tsx'
import { text } from '../ui/fields.ts'

const TextForm = requestObject('TextForm', {
  text: text,
  [csrfName]: text,
})

/** Parts of pages that scripts ask for. They reveal nothing that the pages around them hide. */
const part = { base: 'site', scope: null, accepts: ['session'] } as const

const preview = async (ctx: BrowserCtx, text: string, repo?: RepoCtx) => {
  const context = { context: repo ? pathOf(repo.owner.name, repo.repo.name) : '', idScope: 'preview', isForPage: true }
  const html = await renderText(ctx, text, 'comment', context, repo)
  return sendFragment(ctx, repo ? await withSnippets(repo, html) : html)
}

/** Renders a Markdown text that belongs to no repository, for the preview of the editor. */
export const previewText = operation({
  ...part,
  method: 'POST',
  path: '/-/markup',
  cost: 'expensive',
  writes: false,
  requires: [inBrowser, inSession, validBody, ownForm],
  body: TextForm,
  reply: { 200: bytesOf('text/html') },
  run: ({ ctx, body }) => preview(ctx, body.text ?? ''),
})

/** Renders a Markdown text of a repository, for the preview of the editor. */
export const previewRepositoryText = operation({
  ...part,
  method: 'POST',
  path: '/{username}/{reponame}/markup',
  cost: 'expensive',
  writes: false,
  requires: [inBrowser, inSession, inRepo, validBody, ownForm],
  body: TextForm,
  reply: { 200: bytesOf('text/html') },
  run: ({ ctx, body }) => preview(ctx, body.text ?? '', ctx),
})

const suggestionQuery = { key: text, q: text } as const

/** Completes mentions and emoji in a text that belongs to no repository. */
export const suggestWords = operation({
  ...part,
  method: 'GET',
  path: '/-/suggestions',
  cost: 'usual',
  requires: [inBrowser, inSession],
  query: suggestionQuery,
  reply: { 200: bytesOf('text/html') },
  run: async ({ ctx, query }) =>
    sendFragment(ctx, renderToString(<SuggestionList found={await suggest(ctx, query.key ?? '', query.q ?? '')} />)),
})

/** Completes mentions, references to issues and emoji in a text of a repository. */
export const suggestRepositoryWords = operation({
  ...part,
  method: 'GET',
  path: '/{username}/{reponame}/suggestions',
  cost: 'usual',
  requires: [inBrowser, inSession, inRepo],
  query: suggestionQuery,
  reply: { 200: bytesOf('text/html') },
  run: async ({ ctx, query }) =>
    sendFragment(
      ctx,
      renderToString(<SuggestionList found={await suggest(ctx, query.key ?? '', query.q ?? '', ctx)} />),
    ),
})
