/** What default messages and templates speak of. */
export interface MergeFacts {
  readonly index: number
  readonly title: string
  readonly description: string
  readonly posterName: string
  readonly base: { readonly ownerName: string; readonly repoName: string; readonly branch: string }
  /** undefined: the repository is gone. */
  readonly head: { readonly ownerName: string; readonly repoName: string; readonly branch: string } | undefined
  readonly headBranch: string
  /** Address of the pull request. */
  readonly url: string
  /** Names and addresses of those who approved, as `Name <address>`. */
  readonly approvers: readonly string[]
  /** Numbers of the issues that it promises to close. */
  readonly closes: readonly string[]
}

/** A message of a commit: one line, and what follows after an empty one. */
export interface Message {
  readonly title: string
  readonly body: string
}

/** Takes a text apart at its first line. */
export function splitMessage(text: string): Message {
  const [title = '', ...rest] = text.replaceAll('\r\n', '\n').trim().split('\n')
  return { title: title.trim(), body: rest.join('\n').trim() }
}

/** Puts a message together; the empty line stands only before a body. */
export const joinMessage = ({ title, body }: Message): string => (body === '' ? `${title}\n` : `${title}\n\n${body}\n`)

/** `branch`, `owner/repository:branch` for another repository, `<deleted>:branch` for one that is gone. */
function headName({ head, headBranch, base }: MergeFacts): string {
  if (!head) return `<deleted>:${headBranch}`
  const isSame = head.ownerName === base.ownerName && head.repoName === base.repoName
  return isSame ? headBranch : `${head.ownerName}/${head.repoName}:${headBranch}`
}

/** The first line of a merge that nobody gave a title (contract, pulls: styles). */
export const defaultTitle = (style: string, facts: MergeFacts): string =>
  style === 'squash'
    ? `${facts.title} (#${facts.index})`
    : `Merge pull request '${facts.title}' (#${facts.index}) from ${headName(facts)} into ${facts.base.branch}`

/** The values of a template's variables. */
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

/** Fills `${Name}`; names that are unknown become nothing. */
export const fillTemplate = (template: string, variables: Readonly<Record<string, string>>): string =>
  template.replace(/\$\{(\w+)\}/g, (_, name: string) =>
    Object.hasOwn(variables, name) ? (variables[name] as string) : '',
  )
