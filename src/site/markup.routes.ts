import type { Ctx, RepoCtx } from '../access/context.ts'
import { inRepo } from '../access/repo.requirements.ts'
import { signedIn } from '../access/requirements.ts'
import { bytesOf, operation, validBody, type Call } from '../http/operation.ts'
import { bytes, type StreamReply } from '../http/reply.ts'
import { Invalid } from '../lib/errors.ts'
import { MarkdownOption, MarkupOption } from './markup.schemas.ts'
import { renderFileText, renderText, type TextContext } from './render.service.ts'

const html = (text: string): StreamReply<200> => bytes('text/html;charset=utf-8', text)

const contextOf = (body: MarkdownOption): TextContext => ({
  isForApi: true,
  context: body.Context ?? '',
  wiki: body.Wiki ?? false,
})

/** An unknown mode of `/markdown` counts as the plain one (observed). */
async function renderMarkdownOption(ctx: Ctx, body: MarkdownOption, repo?: RepoCtx): Promise<StreamReply<200>> {
  const mode = body.Mode === 'gfm' || body.Mode === 'comment' ? body.Mode : 'markdown'
  return html(await renderText(ctx, body.Text ?? '', mode, contextOf(body), repo))
}

/** `/markup` refuses unknown modes; its mode `file` uses the file name (observed). */
async function renderMarkupOption(ctx: Ctx, body: MarkupOption, repo?: RepoCtx): Promise<StreamReply<200>> {
  const { Mode: mode = '', Text: text = '', FilePath: filePath = '', BranchPath: branchPath = '' } = body
  if (mode === 'markdown' || mode === 'gfm' || mode === 'comment') {
    return html(await renderText(ctx, text, mode, contextOf(body), repo))
  }
  if (mode !== 'file') throw new Invalid(`[Mode]: unknown mode ${mode}`, 'unknown_mode', { mode })
  if (filePath === '') throw new Invalid('[FilePath]: is required in mode file', 'file_path_required')
  return html(await renderFileText(ctx, text, filePath, { ...contextOf(body), branchPath }, repo))
}

/** The body is the text, whatever its content type. */
async function renderRaw(ctx: Ctx, call: Call, repo?: RepoCtx): Promise<StreamReply<200>> {
  const source = (await call.wholeBody()).toString('utf8')
  return html(await renderText(ctx, source, 'markdown', { context: '', isForApi: true }, repo))
}

export const renderMarkdown = operation({
  method: 'POST',
  path: '/markdown',
  scope: null,
  cost: 'expensive',
  writes: false,
  requires: [signedIn, validBody],
  body: MarkdownOption,
  reply: { 200: bytesOf('text/html') },
  summary: 'Render Markdown as HTML',
  run: ({ ctx, body }) => renderMarkdownOption(ctx, body),
})

export const renderMarkdownRaw = operation({
  method: 'POST',
  path: '/markdown/raw',
  scope: null,
  cost: 'expensive',
  writes: false,
  requires: [signedIn],
  body: bytesOf('text/plain'),
  reply: { 200: bytesOf('text/html') },
  summary: 'Render a Markdown text as HTML',
  run: ({ ctx, call }) => renderRaw(ctx, call),
})

export const renderMarkup = operation({
  method: 'POST',
  path: '/markup',
  scope: null,
  cost: 'expensive',
  writes: false,
  requires: [signedIn, validBody],
  body: MarkupOption,
  reply: { 200: bytesOf('text/html') },
  summary: 'Render a markup document as HTML',
  run: ({ ctx, body }) => renderMarkupOption(ctx, body),
})

export const repoRenderMarkdown = operation({
  method: 'POST',
  path: '/repos/{username}/{reponame}/markdown',
  scope: 'repository',
  cost: 'expensive',
  writes: false,
  requires: [inRepo, signedIn, validBody],
  body: MarkdownOption,
  reply: { 200: bytesOf('text/html') },
  summary: 'Render Markdown as HTML in a repository',
  run: ({ ctx, body }) => renderMarkdownOption(ctx, body, ctx),
})

export const repoRenderMarkdownRaw = operation({
  method: 'POST',
  path: '/repos/{username}/{reponame}/markdown/raw',
  scope: 'repository',
  cost: 'expensive',
  writes: false,
  requires: [inRepo, signedIn],
  body: bytesOf('text/plain'),
  reply: { 200: bytesOf('text/html') },
  summary: 'Render a Markdown text as HTML in a repository',
  run: ({ ctx, call }) => renderRaw(ctx, call, ctx),
})

export const repoRenderMarkup = operation({
  method: 'POST',
  path: '/repos/{username}/{reponame}/markup',
  scope: 'repository',
  cost: 'expensive',
  writes: false,
  requires: [inRepo, signedIn, validBody],
  body: MarkupOption,
  reply: { 200: bytesOf('text/html') },
  summary: 'Render a markup document as HTML in a repository',
  run: ({ ctx, body }) => renderMarkupOption(ctx, body, ctx),
})
