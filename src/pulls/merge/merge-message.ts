/** The facts that default messages and templates use. */
export interface MergeFacts {
  readonly index: number
  readonly title: string
  readonly description: string
  readonly posterName: string
  readonly base: { readonly ownerName: string; readonly repoName: string; readonly branch: string }
  /** Undefined when the head repository does not exist. */
  readonly head: { readonly ownerName: string; readonly repoName: string; readonly branch: string } | undefined
  readonly headBranch: string
  /** URL of the pull request. */
  readonly url: string
  /** Approvers as `Name <email>`. */
  readonly approvers: readonly string[]
  /** References (`#<index>`) to the issues that the pull request closes. */
  readonly closes: readonly string[]
}

/** A commit message: its first line, and the text after the empty line. */
export interface Message {
  readonly title: string
  readonly body: string
}

/** Splits a text after its first line. */
export function splitMessage(text: string): Message {
  const [title = '', ...rest] = text.replaceAll('\r\n', '\n').trim().split('\n')
  return { title: title.trim(), body: rest.join('\n').trim() }
}

/** Joins title and body; an empty line precedes a body. */
export const joinMessage = ({ title, body }: Message): string => (body === '' ? `${title}\n` : `${title}\n\n${body}\n`)

/** Returns `branch`; `owner/repository:branch` for another repository; `<deleted>:branch` for a deleted one. */
function headName({ head, headBranch, base }: MergeFacts): string {
  if (!head) return `<deleted>:${headBranch}`
  const isSame = head.ownerName === base.ownerName && head.repoName === base.repoName
  return isSame ? headBranch : `${head.ownerName}/${head.repoName}:${headBranch}`
}

/** Returns the title of a merge without a given title. Source: contract (pulls: styles). */
export const defaultTitle = (style: string, facts: MergeFacts): string =>
  style === 'squash'
    ? `${facts.title} (#${facts.index})`
    : `Merge pull request '${facts.title}' (#${facts.index}) from ${headName(facts)} into ${facts.base.branch}`

/** Returns the values of a template's variables. */
export function templateVariables(facts: MergeFacts, commit?: Message): Readonly<Record<string, string>> {
  return {
    BaseRepoOwnerName: facts.base.ownerName,
    BaseRepoName: facts.base.repoName,
    BaseBranch: facts.base.branch,
    HeadRepoOwnerName: facts.head?.ownerName ?? '',
    HeadRepoName: facts.head?.repoName ?? '',
    HeadBranch: facts.headBranch,
    PullRequestTitle: facts.title,
    PullRequestDescription: facts.description,
    PullRequestPosterName: facts.posterName,
    PullRequestIndex: String(facts.index),
    PullRequestReference: `#${facts.index}`,
    ReviewedOn: `Reviewed-on: ${facts.url}`,
    ReviewedBy: facts.approvers.map((approver) => `Reviewed-by: ${approver}`).join('\n'),
    ClosingIssues: facts.closes.map((issue) => `close ${issue}`).join(', '),
    ...(commit ? { CommitTitle: commit.title, CommitBody: commit.body } : {}),
  }
}

/** Replaces each `${Name}` by its value; an unknown name becomes the empty text. */
export const fillTemplate = (template: string, variables: Readonly<Record<string, string>>): string =>
  template.replace(/\$\{(\w+)\}/g, (_, name: string) =>
    Object.hasOwn(variables, name) ? (variables[name] as string) : '',
  )
