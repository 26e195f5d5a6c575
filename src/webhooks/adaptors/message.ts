import { branchOf, tagOf } from '../../lib/refs.ts'
import {
  partsOf,
  type CommitPart,
  type IssuePart,
  type Parts,
  type PersonPart,
  type RepoPart,
  type DeliveredPayload,
} from './payload-parts.ts'
import { wordTable } from '../../lib/word-table.ts'
import { trimTrailing } from '../../lib/trim-ends.ts'

/** Colours of messages, as services take them: six hexadecimal digits (contract, webhooks: adaptors). */
const colors = {
  green: '1ac600',
  lightGreen: 'bfe5bf',
  yellow: 'ffd930',
  grey: '4f545c',
  purple: '7289da',
  orange: 'eb6420',
  lightOrange: 'e68d60',
  red: 'ff3232',
} as const
type Color = (typeof colors)[keyof typeof colors]

/** Formats a link as a service expects it. */
export type LinkForm = (url: string, text: string) => string

/** An event in words, before it takes the format of a service. */
export interface Message {
  readonly kind: 'issue' | 'pull' | 'comment' | 'review' | 'push' | 'ref' | 'release' | 'other'
  readonly repoName: string
  readonly repoUrl: string
  readonly sender: PersonPart
  /** Returns one sentence. `plain` escapes the text around the link. */
  headline(
    link: LinkForm,
    options?: { readonly withSender?: boolean; readonly plain?: (text: string) => string },
  ): string
  /** Name of the subject; empty when the headline says all. */
  readonly title: string
  /** Page of the subject. */
  readonly url: string
  /** Label of the button that opens `url`. */
  readonly opens: string
  /** Text that a user wrote; may be empty. */
  readonly body: string
  readonly color: Color
  /** A fact to show beside the name of the repository. */
  readonly fact: readonly [name: string, value: string] | undefined
  /** Present for pushes. */
  readonly push?: Push
  /** Present for issues, pull requests, and comments on them. */
  readonly issue?: IssuePart
  /** Present for reviews: the act in words. */
  readonly reviewed?: string
  readonly action: string
}

export interface Push {
  readonly branch: string
  readonly branchUrl: string
  readonly commits: readonly CommitPart[]
  readonly count: string
  readonly compareUrl: string
}

/** Returns the short form of a commit id. */
export const shortId = (id: string): string => id.slice(0, 7)

const unescaped = (text: string): string => text

interface Sentence {
  readonly before: string
  readonly link: readonly [url: string, text: string]
  readonly after?: string
}

const headlineOf =
  (repoName: string, sender: PersonPart, sentence: Sentence): Message['headline'] =>
  (link, { withSender = true, plain = unescaped } = {}) => {
    const { before, after = '' } = sentence
    const [url, text] = sentence.link
    return `${plain(`[${repoName}] ${before}`)}${link(url, text)}${plain(`${after}${withSender ? ` by ${sender.login}` : ''}`)}`
  }

const logins = (people: readonly PersonPart[] | null): string => (people ?? []).map(({ login }) => login).join(', ')

/** Returns the words for an action on an issue or pull request, and their colour. */
function actionOf(action: string, issue: IssuePart, isPull: boolean): readonly [words: string, color: Color] {
  switch (action) {
    case 'opened':
      return ['opened', isPull ? colors.green : colors.orange]
    case 'closed':
      return issue.merged === true ? ['merged', colors.purple] : ['closed', colors.red]
    case 'reopened':
      return ['re-opened', colors.yellow]
    case 'edited':
      return ['edited', colors.yellow]
    case 'assigned':
      return [`assigned to ${logins(issue.assignees)}`, colors.green]
    case 'unassigned':
      return ['unassigned', colors.yellow]
    case 'label_updated':
      return ['labels updated', colors.yellow]
    case 'label_cleared':
      return ['labels cleared', colors.yellow]
    case 'milestoned':
      return [`milestoned to ${issue.milestone?.title ?? ''}`, colors.yellow]
    case 'demilestoned':
      return ['milestone cleared', colors.yellow]
    case 'synchronized':
      return ['synchronized', colors.yellow]
    case 'review_requested':
      return ['review requested', colors.yellow]
    case 'review_request_removed':
      return ['review request removed', colors.yellow]
    default:
      return [action.replaceAll('_', ' '), colors.yellow]
  }
}

const named = (issue: IssuePart): string => `#${issue.number} ${issue.title}`

function issueMessage(parts: Parts, issue: IssuePart, isPull: boolean): OwnFields {
  const [words, color] = actionOf(parts.action, issue, isPull)
  const what = isPull ? 'Pull request' : 'Issue'
  return {
    kind: isPull ? 'pull' : 'issue',
    headline: headlineOf(parts.repository.full_name, parts.sender, {
      before: `${what} ${words}: `,
      link: [issue.html_url, named(issue)],
    }),
    title: named(issue),
    url: issue.html_url,
    opens: isPull ? 'view pull request' : 'view issue',
    body: parts.action === 'opened' || parts.action === 'edited' ? issue.body : '',
    color,
    fact: [`${what} #:`, String(issue.number)],
    issue,
  }
}

const commentWords = wordTable<string>({
  created: 'New comment on',
  edited: 'Comment edited on',
  deleted: 'Comment deleted on',
})

function commentColor(action: string, isPull: boolean): Color {
  if (action === 'deleted') return colors.red
  if (action === 'edited') return colors.yellow
  return isPull ? colors.lightGreen : colors.lightOrange
}

function commentMessage(parts: Parts): OwnFields {
  const isPull = parts.pull_request !== undefined
  const { issue, comment } = parts
  return {
    kind: 'comment',
    headline: headlineOf(parts.repository.full_name, parts.sender, {
      before: `${commentWords[parts.action] ?? 'Comment on'} ${isPull ? 'pull request' : 'issue'} `,
      link: [issue.html_url, named(issue)],
    }),
    title: named(issue),
    url: comment.html_url,
    opens: `view ${isPull ? 'pull request' : 'issue'} comment`,
    body: comment.body,
    color: commentColor(parts.action, isPull),
    fact: [`${isPull ? 'Pull request' : 'Issue'} #:`, String(issue.number)],
    issue,
  }
}

const reviewWords = wordTable<readonly [words: string, color: Color]>({
  pull_request_review_approved: ['approved', colors.green],
  pull_request_review_rejected: ['rejected', colors.red],
  pull_request_review_comment: ['comment', colors.grey],
})

function reviewMessage(parts: Parts, eventType: string): OwnFields {
  const issue = parts.pull_request
  const [words, color] = reviewWords[eventType] ?? ['comment', colors.grey]
  return {
    kind: 'review',
    headline: headlineOf(parts.repository.full_name, parts.sender, {
      before: `Pull request review ${words}: `,
      link: [issue.html_url, named(issue)],
    }),
    title: named(issue),
    url: issue.html_url,
    opens: 'view pull request',
    reviewed: `Pull request review ${words}`,
    body: parts.review?.content ?? '',
    color,
    fact: ['Pull request #:', String(issue.number)],
    issue,
  }
}

function pushMessage(parts: Parts): OwnFields | undefined {
  const { commits, total_commits: total, repository } = parts
  const [newest] = commits
  // A push without commits is reported by the events `create` and `delete`.
  if (!newest) return undefined
  const branch = branchOf(parts.ref) ?? tagOf(parts.ref) ?? parts.ref
  const count = `${total} new commit${total === 1 ? '' : 's'}`
  const url = total === 1 ? newest.url : parts.compare_url
  return {
    kind: 'push',
    headline: (_, { plain = unescaped } = {}) => plain(`[${repository.full_name}:${branch}] ${count}`),
    title: '',
    url,
    opens: total === 1 ? 'view commit' : 'view commits',
    body: '',
    color: colors.green,
    fact: ['Commit count:', String(total)],
    push: {
      branch,
      branchUrl: `${repository.html_url}/src/branch/${escaped(branch)}`,
      commits,
      count,
      compareUrl: parts.compare_url,
    },
  }
}

const escaped = (path: string): string => path.split('/').map(encodeURIComponent).join('/')

function refMessage(parts: Parts, isNew: boolean): OwnFields {
  const { repository, ref_type: type } = parts
  const name = branchOf(parts.ref) ?? tagOf(parts.ref) ?? parts.ref
  const url = isNew ? `${repository.html_url}/src/${escaped(name)}` : repository.html_url
  return {
    kind: 'ref',
    headline: (link, { plain = unescaped } = {}) =>
      isNew
        ? `${plain(`[${repository.full_name}] ${type} `)}${link(url, name)}${plain(' created')}`
        : plain(`[${repository.full_name}] ${type} ${name} deleted`),
    title: '',
    url,
    opens: `view ref ${name}`,
    body: '',
    color: isNew ? colors.green : colors.red,
    fact: [`${type}:`, name],
  }
}

const releaseWords = wordTable<string>({ published: 'created', updated: 'updated', deleted: 'deleted' })

function releaseMessage(parts: Parts): OwnFields {
  const { release, action } = parts
  return {
    kind: 'release',
    headline: headlineOf(parts.repository.full_name, parts.sender, {
      before: `Release ${releaseWords[action] ?? action}: `,
      link: [release.html_url, release.tag_name],
    }),
    title: '',
    url: release.html_url,
    opens: 'view release',
    body: '',
    color: action === 'published' ? colors.green : action === 'deleted' ? colors.red : colors.yellow,
    fact: ['Tag:', release.tag_name],
  }
}

/** Returns the message about a wiki page; `message` is that of the commit. */
function wikiMessage(parts: Parts, message: string): OwnFields {
  const { page, action, repository } = parts
  const url = `${repository.html_url}/wiki/${escaped(page)}`
  const isNew = action === 'created'
  const [subject = ''] = message.split('\n', 1)
  const note = subject === '' ? '' : ` (${cutText(subject, 200)})`
  return {
    kind: 'other',
    headline: headlineOf(repository.full_name, parts.sender, {
      before: isNew ? `New wiki page '` : `Wiki page '`,
      link: [url, page],
      after: `${isNew ? `'` : `' ${action}`}${note}`,
    }),
    title: '',
    url,
    opens: 'view wiki',
    body: '',
    color: isNew ? colors.green : action === 'deleted' ? colors.red : colors.yellow,
    fact: ['Page:', page],
  }
}

function repositoryMessage(parts: Parts): OwnFields {
  const { repository, action } = parts
  return {
    kind: 'other',
    headline: headlineOf(repository.full_name, parts.sender, {
      before: 'Repository ',
      link: [repository.html_url, action],
    }),
    title: '',
    url: repository.html_url,
    opens: 'view repository',
    body: '',
    color: action === 'deleted' ? colors.red : colors.green,
    fact: undefined,
  }
}

function forkMessage(parts: Parts): OwnFields {
  const { forkee, repository } = parts
  return {
    kind: 'other',
    headline: (link, { plain = unescaped } = {}) =>
      `${link(forkee.html_url, forkee.full_name)}${plain(' is forked to ')}${link(repository.html_url, repository.full_name)}`,
    title: '',
    url: repository.html_url,
    opens: `view forked repo ${repository.full_name}`,
    body: '',
    color: colors.green,
    fact: ['Fork:', repository.full_name],
  }
}

const packageMessage = ({ package: shown, organization, sender, action }: Parts): OwnFields => ({
  kind: 'other',
  headline: headlineOf(organization.login, sender, {
    before: `Package ${action}: `,
    link: [shown.html_url, `${shown.name}:${shown.version}`],
  }),
  title: '',
  url: shown.html_url,
  opens: 'view package',
  body: '',
  color: action === 'deleted' ? colors.red : colors.green,
  fact: ['Package:', `${shown.name}:${shown.version}`],
})

const runWords = wordTable<readonly [words: string, color: Color]>({
  success: ['succeeded', colors.green],
  failure: ['failed', colors.red],
  recover: ['recovered', colors.green],
})

function runMessage(parts: Parts, run: NonNullable<Parts['run']>): OwnFields {
  const [words, color] = runWords[parts.action] ?? ['ended', colors.grey]
  return {
    kind: 'other',
    headline: headlineOf(run.repository.full_name, run.trigger_user, {
      before: `Run ${words}: `,
      link: [run.html_url, `${run.workflow_id} (${run.prettyref})`],
    }),
    title: run.title,
    url: run.html_url,
    opens: 'view run',
    body: '',
    color,
    fact: ['Workflow:', run.workflow_id],
  }
}

/** The fields that depend on the event; `messageOf` adds the others. */
type OwnFields = Omit<Message, 'repoName' | 'repoUrl' | 'sender' | 'action'>

function ownMessage(event: DeliveredPayload, parts: Parts): OwnFields | undefined {
  const { eventType } = event
  if (eventType.startsWith('pull_request_review_') && parts.action === 'reviewed') {
    return reviewMessage(parts, eventType)
  }
  if (event.event === 'issue_comment') return commentMessage(parts)
  if (parts.run) return runMessage(parts, parts.run)
  if (event.event === 'issues') return issueMessage(parts, parts.issue, false)
  if (event.event === 'pull_request') return issueMessage(parts, parts.pull_request, true)
  switch (eventType) {
    case 'push':
      return pushMessage(parts)
    case 'create':
    case 'delete':
      return refMessage(parts, eventType === 'create')
    case 'release':
      return releaseMessage(parts)
    case 'wiki':
      return wikiMessage(parts, typeof event.payload['comment'] === 'string' ? event.payload['comment'] : '')
    case 'repository':
      return repositoryMessage(parts)
    case 'fork':
      return forkMessage(parts)
    case 'package':
      return packageMessage(parts)
    default:
      return undefined
  }
}

/** Returns an event in words; undefined for events without a message. */
export function messageOf(event: DeliveredPayload): Message | undefined {
  const parts = partsOf(event)
  const own = ownMessage(event, parts)
  // A package without a linked repository belongs to its owner only.
  const repository = parts.repository as RepoPart | null
  const [repoName, repoUrl] = repository
    ? [repository.full_name, repository.html_url]
    : [parts.organization.login, parts.organization.html_url]
  return own && { ...own, repoName, repoUrl, sender: parts.sender, action: parts.action ?? '' }
}

/** Returns a text of at most `limit` characters, with an ellipsis where it was cut. */
export const cutText = (text: string, limit: number): string =>
  text.length <= limit ? text : `${text.slice(0, limit - 1)}…`

/** Returns one line per commit in Markdown: a linked id, the message and the author. */
export const commitLines = (commits: readonly CommitPart[]): string =>
  commits
    .map(({ id, url, message, author }) => `[${shortId(id)}](${url}) ${trimTrailing(message, '\n')} - ${author.name}`)
    .join('\n')

export const plainLink: LinkForm = (_, text) => text
