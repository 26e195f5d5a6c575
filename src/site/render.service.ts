import { listMemberships } from '../access/access.store.ts'
import type { Ctx, RepoCtx } from '../access/context.ts'
import { maySeeAccount } from '../access/rights.ts'
import type { Config } from '../config/load-config.ts'
import { Invalid } from '../lib/errors.ts'
import { linkBases, type MarkdownMode } from '../markup/links.ts'
import type { MarkdownOptions } from '../markup/markdown.ts'
import { markupKind } from '../markup/markup-kind.ts'
import type { MessagePart } from '../markup/message.ts'
import type { MarkupSettings } from '../markup/markup-settings.ts'
import type { ResolvedReferences, ResolveReferences } from '../markup/references.ts'
import { listAccountsByNames, listTeamNamesOfRepo } from './reference.store.ts'

const settingsByConfig = new WeakMap<Config, MarkupSettings>()

/** Returns the rendering settings for the renderers. */
export function markupSettings(config: Config): MarkupSettings {
  const known = settingsByConfig.get(config)
  if (known !== undefined) return known
  const settings: MarkupSettings = {
    hardBreaks: {
      comments: config.markdown.enableHardLineBreakInComments,
      documents: config.markdown.enableHardLineBreakInDocuments,
    },
    math: config.markdown.enableMath,
    maxDiagramLength:
      config.markup.mermaidMaxSourceCharacters === -1
        ? Number.MAX_SAFE_INTEGER
        : config.markup.mermaidMaxSourceCharacters,
    urlSchemes: config.markdown.customUrlSchemes,
    markdownExtensions: config.markdown.fileExtensions,
    maxBytes: config.ingot.maxMarkupSize,
    table: { maxBytes: config.uiCsv.maxFileSize, maxRows: config.uiCsv.maxRows },
  }
  settingsByConfig.set(config, settings)
  return settings
}

/** Number of commits looked up concurrently, so that one text does not fill the queue of git. */
const commitsAtOnce = 8

/** Returns the given names of accounts that exist and that the viewer may see. */
async function resolveMentions(ctx: Ctx, names: readonly string[]): Promise<ReadonlySet<string>> {
  if (names.length === 0) return new Set()
  const accounts = await listAccountsByNames(ctx.db, names)
  const hidden = accounts.filter(({ kind, visibility }) => kind === 'organization' && visibility !== 'public')
  const memberships =
    ctx.viewer === undefined || hidden.length === 0
      ? []
      : await listMemberships(
          ctx.db,
          hidden.map(({ id }) => id),
          ctx.viewer.id,
        )
  const memberOf = new Set(memberships.map((row) => row.org_id))
  const seen = new Set(
    accounts
      .filter((account) => maySeeAccount(ctx.viewer, account, memberOf.has(account.id)))
      .map((row) => row.lower_name),
  )
  return new Set(names.filter((name) => seen.has(name.toLowerCase())))
}

/**
 * Returns the mentioned teams, as `organization/team`, that have the repository. Signed-in readers of the repository
 * may list them (repoListTeams); guests may not.
 */
async function resolveTeams(ctx: RepoCtx, mentions: readonly string[]): Promise<readonly string[]> {
  const prefix = `${ctx.owner.lower_name}/`
  const ofOwner = mentions.filter((mention) => mention.toLowerCase().startsWith(prefix))
  if (ctx.viewer === undefined || ofOwner.length === 0) return []
  const lowerNames = [...new Set(ofOwner.map((mention) => mention.toLowerCase().slice(prefix.length)))]
  const found = new Set(await listTeamNamesOfRepo(ctx.db, ctx.repo, lowerNames))
  return ofOwner.filter((mention) => found.has(mention.toLowerCase().slice(prefix.length)))
}

/** Returns the abbreviated ids that name a commit of the repository. */
async function resolveCommits(ctx: RepoCtx, beginnings: readonly string[]): Promise<ReadonlySet<string>> {
  const found = new Set<string>()
  if (!ctx.rights.canRead('code')) return found
  for (let at = 0; at < beginnings.length; at += commitsAtOnce) {
    await Promise.all(
      beginnings.slice(at, at + commitsAtOnce).map(async (beginning) => {
        const resolved = await ctx.git.resolve(ctx.repo.git_key, beginning)
        // A branch name may consist of hexadecimal digits; only ids count.
        if (resolved?.type === 'commit' && resolved.oid.startsWith(beginning)) found.add(beginning)
      }),
    )
  }
  return found
}

/** Looks up the mentions in a text, and in a repository also teams and commits, as far as the viewer may see them. */
export const referenceResolver =
  (ctx: Ctx, repo?: RepoCtx): ResolveReferences =>
  async ({ mentions, commits }): Promise<ResolvedReferences> => {
    const isTeam = (mention: string): boolean => mention.includes('/')
    const accounts = await resolveMentions(
      ctx,
      mentions.filter((mention) => !isTeam(mention)),
    )
    if (repo === undefined) return { mentions: accounts, commits: new Set() }
    const teams = await resolveTeams(repo, mentions.filter(isTeam))
    return { mentions: new Set([...accounts, ...teams]), commits: await resolveCommits(repo, commits) }
  }

/** Context of a text, as in `MarkdownOption` and `MarkupOption`, and the form of its HTML. */
export interface TextContext extends Pick<MarkdownOptions, 'idScope' | 'isForApi' | 'isForPage' | 'suggestion'> {
  /** Path below the root, or a full address. */
  readonly context: string
  readonly wiki?: boolean
  /** For example `branch/main`, for a text that is a file. */
  readonly branchPath?: string
}

function optionsFor(ctx: Ctx, mode: MarkdownMode, context: TextContext, repo: RepoCtx | undefined): MarkdownOptions {
  const { rootUrl } = ctx.config.server
  const { closeKeywords, reopenKeywords } = ctx.config.repositoryPullRequest
  return {
    mode,
    rootUrl,
    bases: linkBases({ rootUrl, mode, ...context }),
    ...(repo === undefined ? {} : { repository: `${repo.owner.name}/${repo.repo.name}` }),
    ...(context.wiki === undefined ? {} : { wiki: context.wiki }),
    ...(context.idScope === undefined ? {} : { idScope: context.idScope }),
    ...(context.isForApi === undefined ? {} : { isForApi: context.isForApi }),
    ...(context.isForPage === undefined ? {} : { isForPage: context.isForPage }),
    ...(context.suggestion === undefined ? {} : { suggestion: context.suggestion }),
    keywords: {
      close: closeKeywords.map((word) => word.toLowerCase()),
      reopen: reopenKeywords.map((word) => word.toLowerCase()),
    },
    settings: markupSettings(ctx.config),
  }
}

/**
 * Renders Markdown as HTML for the viewer. Mentions become links as far as the viewer may see them.
 * @param repo the repository of the text, with the viewer's rights
 */
export async function renderText(
  ctx: Ctx,
  source: string,
  mode: MarkdownMode,
  context: TextContext,
  repo?: RepoCtx,
): Promise<string> {
  return ctx.texts.render(ctx, source, 'markdown', optionsFor(ctx, mode, context, repo), referenceResolver(ctx, repo))
}

/**
 * Renders a file as HTML by its extension.
 * @throws Invalid for a kind that is not rendered (contract: 422)
 */
export async function renderFileText(
  ctx: Ctx,
  source: string,
  filePath: string,
  context: TextContext,
  repo?: RepoCtx,
): Promise<string> {
  const kind = markupKind(filePath, markupSettings(ctx.config))
  if (kind === undefined) {
    throw new Invalid(`files of this kind are not rendered: ${filePath}`, 'unknown_markup', { filePath })
  }
  return ctx.texts.render(ctx, source, kind, optionsFor(ctx, 'gfm', context, repo), referenceResolver(ctx, repo))
}

/** A plain text, and its sanitised HTML with links for references and addresses. */
export interface LinkedText {
  readonly text: string
  readonly html: string
  /** Whether the HTML has elements. */
  readonly hasMarkup: boolean
}

/**
 * Links what the title or the body of a message of a commit names.
 * @param repo the repository of the commit, with the viewer's rights
 */
export async function linkMessage(
  ctx: Ctx,
  text: string,
  kind: 'title' | 'message',
  repo: RepoCtx,
): Promise<LinkedText> {
  const context = { context: `/${repo.owner.name}/${repo.repo.name}` }
  const options = optionsFor(ctx, 'comment', context, repo)
  const html = await ctx.texts.render(ctx, text, kind, options, referenceResolver(ctx, repo))
  return { text, html, hasMarkup: html.includes('<') }
}

/** Whether a message may name something or have an address. */
const mayHaveLinks = /[#!@][\p{L}\p{N}_]|[0-9a-f]{7}|:\S/u

/** Most messages of a page whose links are looked for. */
const maxLinkedMessages = 500

/** The messages of a page that have links, in parts. */
export type LinkedMessages = ReadonlyMap<string, readonly MessagePart[]>

/**
 * Returns those of the messages of a page that name something or have an address, all by one job and one lookup.
 * @param repo the repository of the commits, with the viewer's rights
 */
export async function linkMessages(ctx: Ctx, messages: readonly string[], repo: RepoCtx): Promise<LinkedMessages> {
  const sources = [...new Set(messages.filter((message) => mayHaveLinks.test(message)))].slice(0, maxLinkedMessages)
  if (sources.length === 0) return new Map()
  const options = optionsFor(ctx, 'comment', { context: `/${repo.owner.name}/${repo.repo.name}` }, repo)
  const split = await ctx.texts.messages(ctx, sources, options, referenceResolver(ctx, repo))
  return new Map(
    sources.flatMap((source, index) => {
      const parts = split[index] ?? []
      return parts.some((part) => typeof part !== 'string') ? [[source, parts] as const] : []
    }),
  )
}
