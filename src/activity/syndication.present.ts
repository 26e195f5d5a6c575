import type { Ctx } from '../access/context.ts'
import { escapePath } from '../lib/escape-url.ts'
import { escapeXml } from '../lib/escape-xml.ts'
import { excerpt } from './act.rules.ts'
import type { Activity } from './feed.schemas.ts'

/** Formats of syndicated feeds. */
export type SyndicationForm = 'rss' | 'atom'

export const syndicationTypes: Readonly<Record<SyndicationForm, string>> = {
  rss: 'application/rss+xml; charset=utf-8',
  atom: 'application/atom+xml; charset=utf-8',
}

/** Title and page of a feed. */
export interface Syndicated {
  readonly title: string
  readonly link: string
  readonly self: string
}

const element = (name: string, text: string): string => `<${name}>${escapeXml(text)}</${name}>`

/** The stored content of a push, without the members that feeds do not need. */
interface PushContent {
  readonly Commits: readonly { readonly Sha1: string; readonly Message: string }[] | null
  readonly HeadCommit: { readonly Sha1: string } | null
}

interface DescribedAct {
  readonly title: string
  readonly link: string
  readonly text: string
}

/** An entry of a feed. Its title is plain text. */
export interface FeedEntry {
  /** A tag URI (RFC 4151) that stays the same. */
  readonly id: string
  readonly title: string
  readonly link: string
  readonly author: string
  /** A time in RFC 3339. */
  readonly updated: string
  readonly content:
    | { readonly kind: 'text'; readonly body: string }
    /** Sanitised HTML whose links have hosts, escaped for XML: notes of releases are long. */
    | { readonly kind: 'html'; readonly escaped: string }
}

const escapedContent = ({ content }: FeedEntry): string =>
  content.kind === 'html' ? content.escaped : escapeXml(content.body)

/** Splits `index|text` at the first bar. */
function issueParts(content: string): { readonly index: string; readonly text: string } {
  const at = content.indexOf('|')
  return { index: content.slice(0, at), text: content.slice(at + 1) }
}

/** Verbs for acts on issues and pull requests. The repository and number follow. */
const issueVerbs: Partial<Record<Activity['op_type'], string>> = {
  create_issue: 'opened the issue',
  close_issue: 'closed the issue',
  reopen_issue: 'reopened the issue',
  comment_issue: 'commented on the issue',
  create_pull_request: 'opened the pull request',
  close_pull_request: 'closed the pull request',
  reopen_pull_request: 'reopened the pull request',
  merge_pull_request: 'merged the pull request',
  pull_request_ready_for_review: 'asks for reviews of the pull request',
  comment_pull: 'commented on the pull request',
  approve_pull_request: 'approved the pull request',
  reject_pull_request: 'asked for changes in the pull request',
  pull_review_dismissed: 'dismissed a review of the pull request',
}

/** Sentences for acts on repositories, references and releases. */
const repoVerbs: Partial<Record<Activity['op_type'], (where: string, name: string, content: string) => string>> = {
  create_repo: (where) => `made the repository ${where}`,
  rename_repo: (where, _, content) => `renamed the repository ${content} to ${where}`,
  transfer_repo: (where, _, content) => `moved the repository ${content} to ${where}`,
  delete_branch: (where, name) => `deleted the branch ${name} of ${where}`,
  delete_tag: (where, name) => `deleted the tag ${name} of ${where}`,
  push_tag: (where, name) => `pushed the tag ${name} of ${where}`,
  commit_repo: (where, name, content) => `${content === '' ? 'made the branch' : 'pushed to'} ${name} of ${where}`,
  publish_release: (where, name, content) => `published ${content || name} of ${where}`,
}

/** Returns an act as a title, a link and a text, all in plain text. */
export function describeAct(act: Activity): DescribedAct {
  const who = act.act_user?.login ?? ''
  const where = act.repo?.full_name ?? ''
  const page = act.repo?.html_url ?? ''
  const verb = issueVerbs[act.op_type]
  if (verb !== undefined) {
    const { index, text } = issueParts(act.content)
    const folder = act.op_type.includes('pull') ? 'pulls' : 'issues'
    const link = act.comment?.html_url ?? `${page}/${folder}/${index}`
    return { title: `${who} ${verb} ${where}#${index}`, link, text }
  }
  const name = act.ref_name.replace(/^refs\/(?:heads|tags)\//, '')
  const title = `${who} ${repoVerbs[act.op_type]?.(where, name, act.content) ?? `did something in ${where}`}`
  const isPush = act.op_type === 'commit_repo' || act.op_type === 'push_tag'
  if (isPush && act.content !== '') return { title, ...describeCommits(page, JSON.parse(act.content) as PushContent) }
  const isRelease = act.op_type === 'publish_release'
  return { title, link: isRelease ? `${page}/releases/tag/${escapePath(name)}` : page, text: '' }
}

const describeCommits = (page: string, { Commits, HeadCommit }: PushContent): Pick<DescribedAct, 'link' | 'text'> => ({
  link: HeadCommit ? `${page}/commit/${HeadCommit.Sha1}` : page,
  text: (Commits ?? []).map(({ Sha1, Message }) => `${Sha1.slice(0, 10)} ${firstLine(Message)}`).join('\n'),
})

const firstLine = (text: string): string => excerpt(text.trimStart().split('\n', 1)[0] as string)

/** Returns the id of an entry. */
export const entryId = ({ config }: Pick<Ctx, 'config'>, created: string, name: string): string =>
  `tag:${new URL(config.server.rootUrl).hostname},${created.slice(0, 10)}:${name}`

/** Returns an act as an entry. Its id is no address, because no page shows a single act. */
export const entryOfAct = (ctx: Pick<Ctx, 'config'>, act: Activity): FeedEntry => {
  const { title, link, text } = describeAct(act)
  return {
    id: entryId(ctx, act.created, `act/${act.id}`),
    title,
    link,
    author: act.act_user?.login ?? '',
    updated: act.created,
    content: { kind: 'text', body: text },
  }
}

/** Returns entries as RSS 2.0 or Atom in the given order. Titles and texts are escaped, so that readers run no markup of them. */
export function presentSyndication(
  form: SyndicationForm,
  { title, link, self }: Syndicated,
  entries: readonly FeedEntry[],
): string {
  const head = '<?xml version="1.0" encoding="UTF-8"?>\n'
  const newest = entries[0]?.updated
  if (form === 'atom') {
    const shown = entries.map((entry) => {
      const { id, title: titleText, link: to, author, updated } = entry
      const body = escapedContent(entry)
      return [
        '<entry>',
        element('id', id),
        element('title', titleText),
        `<link rel="alternate" href="${escapeXml(to)}"/>`,
        element('updated', updated),
        `<author>${element('name', author)}</author>`,
        body === '' ? '' : `<content type="${entry.content.kind}">${body}</content>`,
        '</entry>',
      ].join('')
    })
    return `${head}<feed xmlns="http://www.w3.org/2005/Atom">${element('id', self)}${element('title', title)}<link rel="alternate" href="${escapeXml(link)}"/><link rel="self" href="${escapeXml(self)}"/>${element('updated', newest ?? '1970-01-01T00:00:00Z')}${shown.join('')}</feed>\n`
  }
  const shown = entries.map((entry) => {
    const { id, title: titleText, link: to, updated } = entry
    const body = escapedContent(entry)
    return [
      '<item>',
      element('title', titleText),
      element('link', to),
      `<guid isPermaLink="false">${escapeXml(id)}</guid>`,
      element('pubDate', new Date(updated).toUTCString()),
      // A description is HTML in XML, so plain text is escaped twice.
      body === '' ? '' : `<description>${entry.content.kind === 'html' ? body : escapeXml(body)}</description>`,
      '</item>',
    ].join('')
  })
  const date = newest === undefined ? '' : element('lastBuildDate', new Date(newest).toUTCString())
  return `${head}<rss version="2.0"><channel>${element('title', title)}${element('link', link)}${element('description', title)}${date}${shown.join('')}</channel></rss>\n`
}
